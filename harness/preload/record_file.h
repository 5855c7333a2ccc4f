/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process leaves records in a file while it runs, by memory that it shares with it: what is written stays, however the process ends. */
#ifndef PLUMBLINE_RECORD_FILE_H
#define PLUMBLINE_RECORD_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/record_file_head.h"

enum { kRecordFolderBytes = 3500, kRecordPathBytes = kRecordFolderBytes + 64 };

typedef struct {
  RecordFileHead* head; /* NULL: there is no file */
  uint64_t most_bytes;  /* that it may have */
  char path[kRecordPathBytes];
  _Atomic uint64_t allocated;
  atomic_flag growing;
} RecordFile;

/* Makes "FOLDER/PID.N.EXTENSION" with a head of so many bytes, of which this fills the first. Where that cannot be, there is no file. */
void record_file_open(RecordFile* file, const char* folder, const char* extension, uint64_t most_bytes, size_t head_bytes);
/* Lets go of the memory, not of the file. */
void record_file_leave(RecordFile* file);
/* Gives zeroed room for so many bytes, the next multiple of 8; NULL where there is none. It calls nothing that a signal's handler may not
 * call. */
void* record_file_room(RecordFile* file, size_t bytes);

#endif
