// A clock that is set while a program runs: preloaded, it moves CLOCK_REALTIME by STEPPING_CLOCK_OFFSET seconds and, with
// STEPPING_CLOCK_STEPS=1, by a day forth or back as well, another way every 50 ms. All other clocks stay as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*Gettime)(clockid_t, struct timespec*);

static Gettime real_gettime(void) {
  static Gettime gettime;
  if (!gettime) gettime = (Gettime)dlsym(RTLD_NEXT, "clock_gettime");
  return gettime;
}

static long long offset_seconds(void) {
  const char* offset = getenv("STEPPING_CLOCK_OFFSET");
  long long seconds = offset ? atoll(offset) : 0;
  if (!getenv("STEPPING_CLOCK_STEPS")) return seconds;
  struct timespec t;
  real_gettime()(CLOCK_MONOTONIC, &t);
  const long long step = t.tv_nsec / 50000000 % 3 - 1;
  return seconds + step * 86400;
}

int clock_gettime(clockid_t id, struct timespec* t) {
  const int result = real_gettime()(id, t);
  if (result == 0 && id == CLOCK_REALTIME) t->tv_sec += offset_seconds();
  return result;
}

int gettimeofday(struct timeval* t, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
