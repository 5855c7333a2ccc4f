// SPDX-License-Identifier: BSD-3-Clause
#include "preload/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kGrowthBytes = 64 << 10, kFirstNumbers = 10000 };

// The file grows while it is filled: a disk that is full would otherwise be met by a store to it, and that is the program's end.
static void grow(RecordFile* file) {
  if (atomic_flag_test_and_set(&file->growing)) return;
  const uint64_t begin = atomic_load(&file->allocated);
  const int opened = begin + kGrowthBytes <= file->most_bytes ? open(file->path, O_RDWR | O_CLOEXEC) : -1;
  if (opened >= 0 && posix_fallocate(opened, (off_t)begin, kGrowthBytes) == 0) atomic_fetch_add(&file->allocated, (uint64_t)kGrowthBytes);
  if (opened >= 0) close(opened);
  atomic_flag_clear(&file->growing);
}

__attribute__((visibility("hidden"))) void* record_file_room(RecordFile* file, size_t wanted) {
  const uint64_t bytes = (wanted + 7) / 8 * 8, used = atomic_load((_Atomic uint64_t*)&file->head->bytes);
  if (used + kGrowthBytes / 2 > atomic_load(&file->allocated)) grow(file);
  if (used + bytes > atomic_load(&file->allocated)) return NULL;
  const uint64_t at = atomic_fetch_add((_Atomic uint64_t*)&file->head->bytes, bytes);
  if (at + bytes > atomic_load(&file->allocated)) return NULL;
  return (char*)file->head + at;
}

static int may_have_file(uint64_t bytes) {
  struct rlimit most;
  return getrlimit(RLIMIT_FSIZE, &most) == 0 && (most.rlim_cur == RLIM_INFINITY || most.rlim_cur > bytes);
}

__attribute__((visibility("hidden"))) void record_file_open(RecordFile* file, const char* folder, const char* extension,
                                                            uint64_t most_bytes, size_t head_bytes) {
  int opened = -1;
  file->head = NULL, file->most_bytes = most_bytes;
  atomic_flag_clear(&file->growing);
  for (int number = 0; opened < 0 && number < kFirstNumbers && may_have_file(most_bytes); number++) {
    snprintf(file->path, sizeof file->path, "%s/%d.%d.%s", folder, (int)getpid(), number, extension);
    opened = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (opened < 0 && errno != EEXIST) break;
  }
  if (opened < 0) return;
  atomic_store(&file->allocated, (uint64_t)kGrowthBytes);
  if (posix_fallocate(opened, 0, kGrowthBytes) == 0 && ftruncate(opened, (off_t)most_bytes) == 0) {
    void* memory = mmap(NULL, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    if (memory != MAP_FAILED) file->head = memory;
  }
  close(opened);
  if (file->head == NULL) return;
  file->head->bytes = head_bytes;
  file->head->process = (uint32_t)getpid(), file->head->parent = (uint32_t)getppid();
}

__attribute__((visibility("hidden"))) void record_file_leave(RecordFile* file) {
  if (file->head != NULL) munmap(file->head, file->most_bytes);
  file->head = NULL;
}
