// SPDX-License-Identifier: BSD-3-Clause
//
// The loader loads this library (LD_PRELOAD) into a program that `plumbline profile` times where perf_event is refused. Each thread has a
// timer of its own CPU time, whose signal finds out where the thread is. The signal is one that hardly any program uses; what the program
// does with all signals at once leaves it out, and system calls that it interrupts go on by themselves (SA_RESTART).
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/cpu_timer_records.h"
#include "preload/record_file.h"

enum { kFileBytes = 64 << 20, kRanges = 4096, kMostReadings = 1000 };

static RecordFile file_;
static CpuTimerHead* head_;  // of the file; NULL: this process is not sampled
static uint64_t period_ns_;
static char folder_[kRecordFolderBytes];
static pthread_key_t key_;  // its destructor ends a thread's timer
static __thread timer_t timer_ __attribute__((tls_model("initial-exec")));

// It is far from those that libraries take, from SIGRTMIN on.
static int timer_signal(void) { return SIGRTMAX - 5; }

// ----------------------------------------------------------------------------------------------------------- the file

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t thread_number(void) { return (uint32_t)syscall(SYS_gettid); }

// The room for a record and a name behind it; NULL where there is none.
static CpuTimerRecord* room_for(size_t name) {
  CpuTimerRecord* record = record_file_room(&file_, sizeof *record + name);
  if (record == NULL) return NULL;
  record->bytes = (uint32_t)((sizeof *record + name + 7) / 8 * 8);
  record->time_ns = now_ns();
  record->thread = thread_number();
  return record;
}

static void finish(CpuTimerRecord* record, uint32_t kind) { atomic_store((_Atomic uint32_t*)&record->kind, kind); }

static void open_file(void) {
  record_file_open(&file_, folder_, "samples", kFileBytes, sizeof *head_);
  head_ = (CpuTimerHead*)file_.head;
  if (head_ != NULL) head_->file.format = PLUMBLINE_CPU_TIMER_FORMAT;
}

// ----------------------------------------------------------------------------------------------------- what lies where

// The ranges of executable memory that the file tells. Only who has the flag changes them, and reads the list anew.
static struct { uint64_t begin, end; } ranges_[kRanges];
static atomic_int n_ranges_;
static atomic_flag reading_ = ATOMIC_FLAG_INIT;
static int readings_;

static int is_known(uint64_t address) {
  for (int k = atomic_load(&n_ranges_); k-- > 0;)
    if (address >= ranges_[k].begin && address < ranges_[k].end) return 1;
  return 0;
}

static uint64_t hexadecimal(const char** text) {
  uint64_t value = 0;
  for (;; ++*text) {
    const char c = **text;
    if (c >= '0' && c <= '9')
      value = value * 16 + (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + (uint64_t)(c - 'a') + 10;
    else
      return value;
  }
}

// A line is "begin-end rwxp offset device inode   name".
static void take_mapping(const char* line) {
  const uint64_t begin = hexadecimal(&line), end = (line++, hexadecimal(&line));
  if (line[0] != ' ' || line[3] != 'x') return;
  line += 6;
  const uint64_t offset = hexadecimal(&line);
  const char* name = strpbrk(line, "/[");
  const size_t length = name == NULL ? 0 : strlen(name);
  for (int k = 0; k < n_ranges_; k++)
    if (ranges_[k].begin == begin && ranges_[k].end == end) return;
  if (n_ranges_ == kRanges) return;
  CpuTimerRecord* record = room_for(length);
  if (record == NULL) return;
  record->address = begin, record->end = end, record->file_offset = offset, record->name = (uint32_t)length;
  if (length > 0) memcpy(record + 1, name, length);
  finish(record, kCpuTimerMap);
  ranges_[n_ranges_].begin = begin, ranges_[n_ranges_].end = end;
  atomic_fetch_add(&n_ranges_, 1);
}

// It calls nothing that a signal's handler may not call.
static void read_mappings(void) {
  static char line[4200], block[8192];
  if (atomic_flag_test_and_set(&reading_)) return;
  const int file = readings_++ < kMostReadings ? open("/proc/self/maps", O_RDONLY | O_CLOEXEC) : -1;
  size_t length = 0;
  for (ssize_t got; file >= 0 && (got = read(file, block, sizeof block)) > 0;)
    for (ssize_t k = 0; k < got; k++) {
      if (block[k] != '\n') {
        if (length < sizeof line - 1) line[length++] = block[k];
        continue;
      }
      line[length] = '\0', length = 0;
      take_mapping(line);
    }
  if (file >= 0) close(file);
  atomic_flag_clear(&reading_);
}

// --------------------------------------------------------------------------------------------------------- the samples

static uint64_t place_of(const void* context) {
#if defined(__x86_64__)
  return (uint64_t)((const ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#else
  return (uint64_t)((const ucontext_t*)context)->uc_mcontext.pc;
#endif
}

// Whether the thread comes back from a system call, whose time is not its code's.
static int is_behind_system_call(uint64_t place) {
#if defined(__x86_64__)
  return place % 4096 >= 2 && memcmp((const void*)(place - 2), "\x0f\x05", 2) == 0;
#else
  return place % 4096 >= 4 && memcmp((const void*)(place - 4), "\x01\x00\x00\xd4", 4) == 0;
#endif
}

static void on_timer(int number, siginfo_t* info, void* context) {
  const int error = errno;
  (void)number;
  if (head_ == NULL || info->si_code != SI_TIMER) return;
  const uint64_t place = place_of(context);
  if (!is_known(place)) read_mappings();
  CpuTimerRecord* record = NULL;
  if (is_known(place) && is_behind_system_call(place))
    atomic_fetch_add((_Atomic uint64_t*)&head_->in_system, 1);
  else if ((record = room_for(0)) == NULL)
    atomic_fetch_add((_Atomic uint64_t*)&head_->lost, 1);
  if (record != NULL) {
    record->address = place;
    record->cpu = (uint32_t)sched_getcpu();
    record->periods = 1 + (uint32_t)info->si_overrun;
    finish(record, kCpuTimerSample);
  }
  errno = error;
}

static void start_timer(void) {
  struct sigevent event;
  const struct timespec period = {(time_t)(period_ns_ / 1000000000u), (long)(period_ns_ % 1000000000u)};
  const struct itimerspec times = {period, period};
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = timer_signal();
  event._sigev_un._tid = (pid_t)thread_number();
  CpuTimerRecord* record = room_for(0);
  if (record != NULL) finish(record, kCpuTimerThread);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) return;
  pthread_setspecific(key_, &timer_);
  timer_settime(timer_, 0, &times, NULL);
}

static void end_timer(void* timer) { timer_delete(*(timer_t*)timer); }

// A forked child has neither its parent's timers nor its other threads.
static void begin_process(void) {
  atomic_store(&n_ranges_, 0);
  atomic_flag_clear(&reading_);
  readings_ = 0;
  open_file();
  if (head_ == NULL) return;
  read_mappings();
  start_timer();
}

static void begin_child(void) {
  if (head_ == NULL) return;
  record_file_leave(&file_);
  begin_process();
}

// --------------------------------------------------------------------------------------- what the program would call

typedef int (*CreateThread)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
typedef int (*SetAction)(int, const struct sigaction*, struct sigaction*);
typedef void (*(*SetHandler)(int, void (*)(int)))(int);
typedef int (*SetMask)(int, const sigset_t*, sigset_t*);

typedef struct {
  void* (*run)(void*);
  void* argument;
} Start;

static void* run_thread(void* given) {
  const Start start = *(Start*)given;
  free(given);
  start_timer();
  return start.run(start.argument);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  const CreateThread create = (CreateThread)dlsym(RTLD_NEXT, "pthread_create");
  Start* start = head_ == NULL ? NULL : malloc(sizeof *start);
  if (start == NULL) return create(thread, attributes, run, argument);
  *start = (Start){run, argument};
  const int failed = create(thread, attributes, run_thread, start);
  if (failed) free(start);
  return failed;
}

int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  static _Atomic(SetAction) set;
  if (set == NULL) set = (SetAction)dlsym(RTLD_NEXT, "sigaction");
  if (head_ == NULL || number != timer_signal()) return set(number, action, before);
  if (before != NULL) memset(before, 0, sizeof *before);
  return 0;
}

void (*signal(int number, void (*handler)(int)))(int) {
  static _Atomic(SetHandler) set;
  if (set == NULL) set = (SetHandler)dlsym(RTLD_NEXT, "signal");
  return head_ != NULL && number == timer_signal() ? SIG_DFL : set(number, handler);
}

static int set_mask(SetMask set, int how, const sigset_t* mask, sigset_t* before) {
  if (head_ == NULL || mask == NULL || how == SIG_UNBLOCK) return set(how, mask, before);
  sigset_t without = *mask;
  sigdelset(&without, timer_signal());
  return set(how, &without, before);
}

int pthread_sigmask(int how, const sigset_t* mask, sigset_t* before) {
  static _Atomic(SetMask) set;
  if (set == NULL) set = (SetMask)dlsym(RTLD_NEXT, "pthread_sigmask");
  return set_mask(set, how, mask, before);
}

int sigprocmask(int how, const sigset_t* mask, sigset_t* before) {
  static _Atomic(SetMask) set;
  if (set == NULL) set = (SetMask)dlsym(RTLD_NEXT, "sigprocmask");
  return set_mask(set, how, mask, before);
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv(PLUMBLINE_CPU_TIMER_FOLDER), *period = getenv(PLUMBLINE_CPU_TIMER_PERIOD);
  if (folder == NULL || period == NULL || strlen(folder) >= sizeof folder_) return;
  period_ns_ = strtoull(period, NULL, 10);
  if (period_ns_ == 0 || pthread_key_create(&key_, end_timer) != 0) return;
  strcpy(folder_, folder);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_timer;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, timer_signal());
  if (sigaction(timer_signal(), &action, NULL) != 0) return;  // no file yet: this is the program's own
  pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
  pthread_atfork(NULL, NULL, begin_child);
  begin_process();
}
