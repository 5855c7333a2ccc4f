// SPDX-License-Identifier: BSD-3-Clause
//
// LIKWID's marker macros (the interface of LIKWID 5) become Plumbline's marks; see likwid.h here. As there, they do nothing without
// -DLIKWID_PERFMON, and those for GPUs do nothing at all.
#ifndef PLUMBLINE_LIKWID_MARKER_H
#define PLUMBLINE_LIKWID_MARKER_H

#ifdef LIKWID_PERFMON
#include "likwid_functions.h"
#define LIKWID_MARKER_INIT likwid_markerInit()
#define LIKWID_MARKER_THREADINIT likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH likwid_markerNextGroup()
#define LIKWID_MARKER_REGISTER(name) likwid_markerRegisterRegion(name)
#define LIKWID_MARKER_START(name) likwid_markerStartRegion(name)
#define LIKWID_MARKER_STOP(name) likwid_markerStopRegion(name)
#define LIKWID_MARKER_RESET(name) likwid_markerResetRegion(name)
#define LIKWID_MARKER_GET(name, events, values, seconds, entries) likwid_markerGetRegion(name, events, values, seconds, entries)
#define LIKWID_MARKER_CLOSE likwid_markerClose()
#else
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(name)
#define LIKWID_MARKER_START(name)
#define LIKWID_MARKER_STOP(name)
#define LIKWID_MARKER_RESET(name)
#define LIKWID_MARKER_GET(name, events, values, seconds, entries)
#define LIKWID_MARKER_CLOSE
#endif

// The older name of the switch.
#define LIKWID_MARKER_NEXTGROUP LIKWID_MARKER_SWITCH

#define LIKWID_NVMARKER_INIT
#define LIKWID_NVMARKER_THREADINIT
#define LIKWID_NVMARKER_SWITCH
#define LIKWID_NVMARKER_REGISTER(name)
#define LIKWID_NVMARKER_START(name)
#define LIKWID_NVMARKER_STOP(name)
#define LIKWID_NVMARKER_RESET(name)
#define LIKWID_NVMARKER_GET(name, gpus, events, values, seconds, entries)
#define LIKWID_NVMARKER_CLOSE

#endif
