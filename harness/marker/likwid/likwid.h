// SPDX-License-Identifier: BSD-3-Clause
//
// LIKWID's marker as Plumbline's marks: a program that is marked for likwid-perfctr is counted without a change when
// this folder comes first on its include path: -I .../plumbline/likwid -DLIKWID_PERFMON, and no -llikwid.
//
// Only the marker is here. A program that calls other parts of LIKWID (topology, performance monitoring, pinning) does not
// compile against this file, which is better than calls that do nothing.
#ifndef PLUMBLINE_LIKWID_H
#define PLUMBLINE_LIKWID_H

#include "likwid-marker.h"
#include "likwid_functions.h"

#endif
