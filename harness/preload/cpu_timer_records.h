/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file in which a process leaves its samples: a head, then records one behind the other. cpu_timer.c writes it, harness/profile reads
 * it. */
#ifndef PLUMBLINE_CPU_TIMER_RECORDS_H
#define PLUMBLINE_CPU_TIMER_RECORDS_H

#include <stdint.h>

#include "preload/record_file_head.h"

/* The environment variables that tell a process where to leave its file, "FOLDER/PID.N.samples", and the distance between samples. */
#define PLUMBLINE_CPU_TIMER_FOLDER "PLUMBLINE_CPU_TIMER_FOLDER"
#define PLUMBLINE_CPU_TIMER_PERIOD "PLUMBLINE_CPU_TIMER_PERIOD_NS"

#define PLUMBLINE_CPU_TIMER_FORMAT 0x31524D5450ull

typedef struct {
  RecordFileHead file;
  uint64_t lost;      /* samples that found no room */
  uint64_t in_system; /* samples that met a system call, and are not written */
} CpuTimerHead;

enum { kCpuTimerSample = 1, kCpuTimerThread, kCpuTimerMap };

typedef struct {
  uint32_t kind;  /* 0: not yet whole */
  uint32_t bytes; /* of this record, a multiple of 8 */
  uint64_t time_ns;
  uint64_t address;          /* of a sample where, of a mapping its begin */
  uint64_t end, file_offset; /* of a mapping */
  uint32_t thread;
  uint32_t cpu;
  uint32_t periods; /* that a sample stands for */
  uint32_t name;    /* of a mapping: bytes of the file's name, which stands behind the record */
} CpuTimerRecord;

#endif
