// SPDX-License-Identifier: BSD-3-Clause
//
// LIKWID's marker functions become Plumbline's marks: a program that is marked for likwid-perfctr is counted without a change when
// this folder comes first on its include path: -I .../plumbline/likwid -DLIKWID_PERFMON, and no -llikwid.
//
// Only the marker is here. A program that calls other parts of LIKWID (topology, performance monitoring, pinning) does not
// compile against this file, which is better than calls that do nothing.
#ifndef PLUMBLINE_LIKWID_H
#define PLUMBLINE_LIKWID_H

#include "../plumbline.h"

static inline void likwid_markerInit(void) {}
static inline void likwid_markerThreadInit(void) {}
static inline void likwid_markerNextGroup(void) {}  // all is counted at once: there are no groups
static inline void likwid_markerClose(void) {}

static inline int likwid_markerRegisterRegion(const char* name) {
  (void)name;
  return 0;
}

static inline int likwid_markerStartRegion(const char* name) {
  PLUMBLINE_START(name);
  return 0;
}

static inline int likwid_markerStopRegion(const char* name) {
  PLUMBLINE_STOP(name);
  return 0;
}

// Sums are never reset: what was counted before stays in the region. Answers LIKWID's "not done".
static inline int likwid_markerResetRegion(const char* name) {
  (void)name;
  return -1;
}

// Counts are read from the profile, never inside the program: it sees no events, as without likwid-perfctr.
static inline void likwid_markerGetRegion(const char* name, int* events, double* values, double* seconds, int* entries) {
  (void)name, (void)values;
  if (events) *events = 0;
  if (seconds) *seconds = 0;
  if (entries) *entries = 0;
}

#include "likwid-marker.h"

#endif
