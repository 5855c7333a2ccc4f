// SPDX-License-Identifier: GPL-2.0-or-later
//
// The geometry of a simulated cache: how large it is and how it is divided.
#ifndef PLUMBLINE_CACHE_GEOMETRY_H
#define PLUMBLINE_CACHE_GEOMETRY_H

#include "pub_tool_basics.h"

typedef struct {
  ULong size_bytes;
  UInt ways;
  UInt line_bytes;
} CacheGeometry;

#endif
