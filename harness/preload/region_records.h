/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file in which a process leaves the times of its marked regions: a head, then records one behind the other. regions.c writes it,
 * harness/profile reads it. */
#ifndef PLUMBLINE_REGION_RECORDS_H
#define PLUMBLINE_REGION_RECORDS_H

#include <stdint.h>

#include "preload/record_file_head.h"

/* The environment variable that tells a process where to leave its file, "FOLDER/PID.N.regions". */
#define PLUMBLINE_REGIONS_FOLDER "PLUMBLINE_REGIONS_FOLDER"
/* The window, "FIRST-LAST:NAME": only what happens in each thread's entries FIRST to LAST (0: all, from 1) of that region is recorded. */
#define PLUMBLINE_REGIONS_WINDOW "PLUMBLINE_REGIONS_WINDOW"

#define PLUMBLINE_REGIONS_FORMAT 0x31534E4752ull

typedef struct {
  RecordFileHead file;
  uint64_t lost;     /* entries that found no room */
  uint64_t marks_ns; /* that a start and a stop cost */
} RegionsHead;

enum { kRegionRecord = 1, kRegionThreadRecord, kRegionStay };

typedef struct {
  uint32_t kind;  /* 0: not yet whole */
  uint32_t bytes; /* of this record, a multiple of 8 */
} RegionRecordBegin;

/* A region of the process. Times are those of CLOCK_MONOTONIC. */
typedef struct {
  RegionRecordBegin begin;
  uint64_t elapsed_ns;        /* while at least one thread was in it */
  uint64_t first_ns, last_ns; /* its first start, and its last stop; 0: none yet */
  uint64_t entered_ns;        /* when the first of the threads that are in it now came */
  uint32_t inside;            /* threads that are in it now */
  uint32_t name;              /* bytes of its name, which stands behind the record */
} RegionRecord;

/* A thread's part of a region. */
typedef struct {
  RegionRecordBegin begin;
  uint64_t region; /* the place of its record in the file */
  uint64_t entries;
  uint64_t elapsed_ns, cpu_ns;         /* between start and stop */
  uint64_t entered_ns, entered_cpu_ns; /* when it came, on both clocks */
  uint32_t thread;
  uint32_t depth;  /* how often it started and did not stop */
  uint64_t begins; /* outermost starts, whether they are recorded or not */
} RegionThreadRecord;

/* A stretch of time in which the window was open. */
typedef struct {
  RegionRecordBegin begin;
  uint64_t begin_ns, end_ns; /* end 0: it is open */
} RegionStay;

#endif
