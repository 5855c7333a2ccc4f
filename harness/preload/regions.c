// SPDX-License-Identifier: BSD-3-Clause
//
// The loader loads this library (LD_PRELOAD) into a program that `plumbline profile` times. The marks of regions (marker/plumbline.h) call
// plumbline_marked() where there is one: here is the only one. Regions are what they are under the emulator (emulator/regions.c): told
// apart by name and thread, and inside a region of the same name a start and a stop only balance each other.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "marker/plumbline.h"
#include "preload/record_file.h"
#include "preload/region_records.h"

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

enum { kFileBytes = 16 << 20, kTrials = 50 };

typedef struct Region {
  struct Region* next;
  RegionRecord* record;
  const char* name;
  atomic_flag taken;  // by who changes the record
} Region;

typedef struct ThreadRegion {
  struct ThreadRegion* next;
  RegionThreadRecord* record;
  Region* region;
  int is_recorded;  // the entry that is under way; 0: it began outside of the window
  int is_window;    // it keeps the window open
} ThreadRegion;

static RecordFile file_;
static RegionsHead* head_;  // of the file; NULL: regions are not timed
static char folder_[kRecordFolderBytes];
static Region* _Atomic regions_;
static atomic_flag making_ = ATOMIC_FLAG_INIT;
static __thread ThreadRegion* mine_ INITIAL_EXEC;

static struct {
  const char* name;  // NULL: all is recorded
  uint64_t first, last;
  uint32_t entries;  // that are under way
  RegionStay* stay;  // that is open; NULL: it found no room
  atomic_flag taken;
} window_ = {.taken = ATOMIC_FLAG_INIT};

static uint64_t time_of(clockid_t clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void take(atomic_flag* flag) {
  while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) sched_yield();
}
static void let_go(atomic_flag* flag) { atomic_flag_clear_explicit(flag, memory_order_release); }

// --------------------------------------------------------------------------------------------------------- the regions

static Region* known_region(const char* name) {
  for (Region* region = atomic_load(&regions_); region != NULL; region = region->next)
    if (strcmp(region->name, name) == 0) return region;
  return NULL;
}

static Region* make_region(const char* name) {
  const size_t length = strlen(name), bytes = sizeof(RegionRecord) + length + 1;
  Region* region = calloc(1, sizeof *region);
  RegionRecord* record = region == NULL ? NULL : record_file_room(&file_, bytes);
  if (record == NULL) {
    free(region);
    return NULL;
  }
  memcpy(record + 1, name, length);
  record->name = (uint32_t)length, record->begin.bytes = (uint32_t)((bytes + 7) / 8 * 8);
  atomic_store((_Atomic uint32_t*)&record->begin.kind, kRegionRecord);
  region->record = record, region->name = (const char*)(record + 1), region->next = atomic_load(&regions_);
  atomic_store(&regions_, region);
  return region;
}

static Region* region_of(const char* name) {
  Region* region = known_region(name);
  if (region != NULL) return region;
  take(&making_);
  region = known_region(name);
  if (region == NULL) region = make_region(name);
  let_go(&making_);
  return region;
}

static ThreadRegion* known_to_thread(const char* name) {
  for (ThreadRegion* mine = mine_; mine != NULL; mine = mine->next)
    if (strcmp(mine->region->name, name) == 0) return mine;
  return NULL;
}

static ThreadRegion* make_for_thread(const char* name) {
  ThreadRegion* mine = calloc(1, sizeof *mine);
  Region* region = mine == NULL ? NULL : region_of(name);
  RegionThreadRecord* record = region == NULL ? NULL : record_file_room(&file_, sizeof *record);
  if (record == NULL) {
    free(mine);
    return NULL;
  }
  record->region = (uint64_t)((char*)region->record - (char*)head_);
  record->thread = (uint32_t)syscall(SYS_gettid), record->begin.bytes = sizeof *record;
  atomic_store((_Atomic uint32_t*)&record->begin.kind, kRegionThreadRecord);
  mine->record = record, mine->region = region, mine->next = mine_;
  mine_ = mine;
  return mine;
}

// ------------------------------------------------------------------------------------------------------ come and leave

static void come(Region* region, uint64_t now) {
  RegionRecord* record = region->record;
  take(&region->taken);
  if (record->first_ns == 0) record->first_ns = now;
  if (record->inside++ == 0) record->entered_ns = now;
  let_go(&region->taken);
}

static void leave(Region* region, uint64_t now) {
  RegionRecord* record = region->record;
  take(&region->taken);
  if (now > record->last_ns) record->last_ns = now;
  if (--record->inside == 0 && now > record->entered_ns) record->elapsed_ns += now - record->entered_ns;
  let_go(&region->taken);
}

// --------------------------------------------------------------------------------------------------------- the window

static int is_window(const char* name) { return window_.name != NULL && strcmp(name, window_.name) == 0; }

static void open_window(uint64_t now) {
  RegionStay* stay = record_file_room(&file_, sizeof *stay);
  window_.stay = stay;
  if (stay == NULL) {
    atomic_fetch_add((_Atomic uint64_t*)&head_->lost, 1);
    return;
  }
  stay->begin_ns = now, stay->begin.bytes = sizeof *stay;
  atomic_store((_Atomic uint32_t*)&stay->begin.kind, kRegionStay);
}

static void enter_window(ThreadRegion* mine, uint64_t now) {
  const uint64_t number = mine->record->begins;
  mine->is_window = is_window(mine->region->name) && number >= window_.first && (window_.last == 0 || number <= window_.last);
  if (!mine->is_window) return;
  take(&window_.taken);
  if (window_.entries++ == 0) open_window(now);
  let_go(&window_.taken);
}

static void leave_window(ThreadRegion* mine, uint64_t now) {
  if (!mine->is_window) return;
  mine->is_window = 0;
  take(&window_.taken);
  if (--window_.entries == 0 && window_.stay != NULL) atomic_store((_Atomic uint64_t*)&window_.stay->end_ns, now);
  let_go(&window_.taken);
}

static int is_to_be_recorded(const ThreadRegion* mine) {
  return window_.name == NULL || mine->is_window || (window_.entries > 0 && !is_window(mine->region->name));
}

// ----------------------------------------------------------------------------------------------------- start and stop

// The CPU time of a start and a stop is outside of the region's elapsed time, and most of it outside of its CPU time.
static void enter(ThreadRegion* mine) {
  RegionThreadRecord* record = mine->record;
  record->entries++;
  record->entered_cpu_ns = time_of(CLOCK_THREAD_CPUTIME_ID);
  record->entered_ns = time_of(CLOCK_MONOTONIC);
  come(mine->region, record->entered_ns);
}

static void stop_at(ThreadRegion* mine, uint64_t now, uint64_t cpu_now) {
  RegionThreadRecord* record = mine->record;
  record->elapsed_ns += now - record->entered_ns;
  if (cpu_now > record->entered_cpu_ns) record->cpu_ns += cpu_now - record->entered_cpu_ns;
  record->entered_ns = 0;
  leave(mine->region, now);
}

static void start(const char* name) {
  ThreadRegion* mine = known_to_thread(name);
  if (mine == NULL) mine = make_for_thread(name);
  if (mine == NULL)
    atomic_fetch_add((_Atomic uint64_t*)&head_->lost, 1);
  else if (mine->record->depth++ == 0) {
    mine->record->begins++;
    if (window_.name != NULL) enter_window(mine, time_of(CLOCK_MONOTONIC));
    mine->is_recorded = is_to_be_recorded(mine);
    if (mine->is_recorded) enter(mine);
  }
}

static void stop(const char* name) {
  const uint64_t now = time_of(CLOCK_MONOTONIC);
  ThreadRegion* mine = known_to_thread(name);
  if (mine == NULL || mine->record->depth == 0) return;
  if (--mine->record->depth > 0) return;
  if (mine->is_recorded) stop_at(mine, now, time_of(CLOCK_THREAD_CPUTIME_ID));
  leave_window(mine, now);
}

__attribute__((visibility("default"))) void plumbline_marked(unsigned long request, const char* name);

void plumbline_marked(unsigned long request, const char* name) {
  const int error = errno;
  if (head_ == NULL || name == NULL) return;
  if (request == PLUMBLINE_MARKER_REGION_BEGIN)
    start(name);
  else if (request == PLUMBLINE_MARKER_REGION_END)
    stop(name);
  errno = error;
}

// ---------------------------------------------------------------------------------------------- processes and their end

static void open_file(void) {
  record_file_open(&file_, folder_, "regions", kFileBytes, sizeof *head_);
  head_ = (RegionsHead*)file_.head;
  if (head_ != NULL) head_->file.format = PLUMBLINE_REGIONS_FORMAT;
}

// A region that is nowhere in the file tells what a start and a stop cost: the least of many trials.
static void measure_marks(void) {
  RegionRecord shared = {0};
  RegionThreadRecord record = {0};
  Region region = {.record = &shared, .taken = ATOMIC_FLAG_INIT};
  ThreadRegion mine = {.record = &record, .region = &region};
  head_->marks_ns = UINT64_MAX;
  for (int trial = 0; trial < kTrials; trial++) {
    const uint64_t begin = time_of(CLOCK_MONOTONIC);
    enter(&mine);
    stop_at(&mine, time_of(CLOCK_MONOTONIC), time_of(CLOCK_THREAD_CPUTIME_ID));
    const uint64_t both = time_of(CLOCK_MONOTONIC) - begin;
    if (both < head_->marks_ns) head_->marks_ns = both;
  }
}

// A forked child has the forking thread alone: what that has open goes on from zero, in a file of the child's own.
static void begin_child(void) {
  if (head_ == NULL) return;
  RecordFile parents = file_;
  const uint64_t marks_ns = head_->marks_ns;
  ThreadRegion* open = mine_;
  atomic_store(&regions_, NULL);
  let_go(&making_), let_go(&window_.taken);
  window_.entries = 0, window_.stay = NULL;
  mine_ = NULL;
  open_file();
  if (head_ != NULL) head_->marks_ns = marks_ns;
  for (; head_ != NULL && open != NULL; open = open->next) {
    ThreadRegion* mine = open->record->depth == 0 ? NULL : make_for_thread(open->region->name);
    if (mine == NULL) continue;
    mine->record->depth = open->record->depth, mine->record->begins = 1;
    mine->is_window = open->is_window, mine->is_recorded = open->is_recorded;
    if (mine->is_window && window_.entries++ == 0) open_window(time_of(CLOCK_MONOTONIC));
    if (mine->is_recorded) enter(mine);
  }
  record_file_leave(&parents);
}

// The clock of another thread's CPU time, as Linux numbers them.
static clockid_t cpu_clock_of(uint32_t thread) { return (clockid_t)((~thread << 3) | 6); }

// What is open when the process exits lasts until then; its depth stays, and tells that it was.
__attribute__((destructor)) static void end(void) {
  if (head_ == NULL) return;
  RegionsHead* const head = head_;
  const uint64_t now = time_of(CLOCK_MONOTONIC);
  head_ = NULL;  // later marks are in nobody's run
  if (window_.stay != NULL && window_.stay->end_ns == 0) window_.stay->end_ns = now;
  for (Region* region = atomic_load(&regions_); region != NULL; region = region->next)
    if (region->record->inside > 0 && now > region->record->entered_ns)
      region->record->elapsed_ns += now - region->record->entered_ns, region->record->last_ns = now;
  const uint64_t used = atomic_load((_Atomic uint64_t*)&head->file.bytes), most = atomic_load(&file_.allocated);
  for (uint64_t at = sizeof *head; at < used && at < most;) {
    RegionThreadRecord* record = (RegionThreadRecord*)((char*)head + at);
    if (record->begin.bytes == 0) break;  // its thread is about to fill it
    at += record->begin.bytes;
    if (record->begin.kind != kRegionThreadRecord || record->depth == 0 || record->entered_ns == 0) continue;
    const uint64_t cpu_now = time_of(cpu_clock_of(record->thread));
    record->elapsed_ns += now - record->entered_ns;
    if (cpu_now > record->entered_cpu_ns) record->cpu_ns += cpu_now - record->entered_cpu_ns;
  }
}

static void choose_window(void) {
  const char* text = getenv(PLUMBLINE_REGIONS_WINDOW);
  char* end = NULL;
  if (text == NULL) return;
  window_.first = strtoull(text, &end, 10);
  if (*end == '-') window_.last = strtoull(end + 1, &end, 10);
  if (*end == ':') window_.name = strdup(end + 1);
}

__attribute__((constructor)) static void begin(void) {
  const char* folder = getenv(PLUMBLINE_REGIONS_FOLDER);
  if (folder == NULL || strlen(folder) >= sizeof folder_) return;
  strcpy(folder_, folder);
  choose_window();
  open_file();
  if (head_ == NULL) return;
  measure_marks();
  pthread_atfork(NULL, NULL, begin_child);
}
