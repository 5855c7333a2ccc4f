// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads enter a region; while both are there, the first forks three children inside another region.
#include <plumbline.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t entered, forked;

static void* enter(void* unused) {
  PLUMBLINE_START("before");
  PLUMBLINE_STOP("before");
  pthread_barrier_wait(&entered);
  pthread_barrier_wait(&forked);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&entered, NULL, 2);
  pthread_barrier_init(&forked, NULL, 2);
  if (pthread_create(&thread, NULL, enter, NULL) != 0) return 1;
  PLUMBLINE_START("before");
  PLUMBLINE_STOP("before");
  pthread_barrier_wait(&entered);
  PLUMBLINE_START("around");
  for (int i = 0; i < 3; i++) {
    const pid_t child = fork();
    if (child == 0) {
      PLUMBLINE_STOP("around");
      _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child) return 2;
  }
  PLUMBLINE_STOP("around");
  pthread_barrier_wait(&forked);
  return pthread_join(thread, NULL);
}
