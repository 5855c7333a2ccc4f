// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads share one function's work, the second doing as many parts of ten as the first argument says; a child does as much again. The
// program ends with the second argument as its exit code, or by that signal where it is negative. With a third argument one thread works alone.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline, noclone)) static void work(long parts) {
  double s = 0;
  for (long i = 0; i < parts * 10000000; i++) s += 0.5;
  sink = s;
}

static void* work_in_thread(void* parts) {
  work(*(const long*)parts);
  return NULL;
}

int main(int argc, char** argv) {
  long parts = argc > 1 ? atol(argv[1]) : 10;
  const int end = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3) {
    work(10);
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) {
    work(10);
    _exit(0);
  }
  pthread_t thread;
  if (child < 0 || pthread_create(&thread, NULL, work_in_thread, &parts) != 0) return 1;
  work(10);
  if (pthread_join(thread, NULL) != 0 || waitpid(child, NULL, 0) != child) return 1;
  if (end < 0) raise(-end);
  return end;
}
