/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that preloaded libraries leave begin alike. */
#ifndef PLUMBLINE_RECORD_FILE_HEAD_H
#define PLUMBLINE_RECORD_FILE_HEAD_H

#include <stdint.h>

typedef struct {
  uint64_t format;
  uint64_t bytes; /* of the file that are in use; more than it has where records found no room */
  uint32_t process, parent;
} RecordFileHead;

#endif
