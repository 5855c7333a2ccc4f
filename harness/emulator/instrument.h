// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PLUMBLINE_INSTRUMENT_H
#define PLUMBLINE_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

void instrument_start(Bool simulate_caches);
IRSB* instrument_block(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                       const VexArchInfo* host, IRType guest_word, IRType host_word);

#endif
