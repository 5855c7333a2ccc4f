// SPDX-License-Identifier: BSD-3-Clause
//
// Marked regions of known work, of which each tells how often it was entered, its operations and the time that it took by the same clock:
// "name entries operations seconds". Two threads share one, a forked child enters another, one waits, and one is entered once more where
// the environment has LD_BIND_NOW, as in a counted run.
#include <plumbline.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { entries = 3 };
static long steps;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((noinline, noclone)) static void add(long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += 0.5;
  __asm__ volatile("" : : "x"(s));
}

static void* share(void* parts) {
  for (int entry = 0; entry < entries; entry++) {
    PLUMBLINE_START("shared");
    add(*(const long*)parts * steps);
    PLUMBLINE_STOP("shared");
  }
  return NULL;
}

static void tell(const char* name, int times, long operations, double begin) {
  printf("%s %d %ld %.9f\n", name, times, operations, now() - begin);
}

static void in_two_threads(void) {
  pthread_t thread;
  long one = 1, two = 2;
  const double begin = now();
  if (pthread_create(&thread, NULL, share, &two) != 0) exit(1);
  share(&one);
  pthread_join(thread, NULL);
  tell("shared", 2 * entries, 3L * entries * steps, begin);
}

static void nested(void) {
  double begin = now();
  PLUMBLINE_START("outer");
  add(steps);
  const double inner = now();
  PLUMBLINE_START("inner");
  PLUMBLINE_START("inner");  // they balance each other
  add(3 * steps);
  PLUMBLINE_STOP("inner");
  PLUMBLINE_STOP("inner");
  tell("inner", 1, 3 * steps, inner);
  PLUMBLINE_STOP("outer");
  tell("outer", 1, 4 * steps, begin);
}

static void in_a_child(void) {
  double begin = now();
  const pid_t child = fork();
  if (child == 0) {
    PLUMBLINE_START("of a child");
    add(2 * steps);
    PLUMBLINE_STOP("of a child");
    exit(0);
  }
  if (child < 0 || waitpid(child, NULL, 0) != child) exit(1);
  tell("of a child", 1, 2 * steps, begin);
}

int main(int argc, char** argv) {
  steps = 1000000 * (argc > 1 ? atol(argv[1]) : 10);
  setvbuf(stdout, NULL, _IOLBF, 4096);  // a child has nothing of it to write again
  in_two_threads();
  nested();
  in_a_child();
  const double begin = now();
  PLUMBLINE_START("waiting");
  usleep(100000);
  PLUMBLINE_STOP("waiting");
  tell("waiting", 1, 0, begin);
  for (int entry = 0; entry < (getenv("LD_BIND_NOW") ? 2 : 1); entry++) {
    PLUMBLINE_START("differs");
    add(1000);
    PLUMBLINE_STOP("differs");
  }
  PLUMBLINE_START("open");
  add(steps);
  return 0;
}
