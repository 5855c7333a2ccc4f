// SPDX-License-Identifier: BSD-3-Clause
//
// A chain of processes, each with divisions of its own: 1000 here, then a forked child with 100 more that ends, another with 10 more that
// becomes "chain last" with 3000, then this process itself becomes "chain second" with 2000.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double quotient = 1.0;

static void divide(int times) {
  for (int i = 0; i < times; i++) quotient = quotient / 1.0000001;
}

static int ended_well(pid_t child) {
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "second") == 0) return divide(2000), 0;
  if (argc == 2 && strcmp(argv[1], "last") == 0) return divide(3000), 0;
  divide(1000);
  pid_t child = fork();
  if (child == 0) return divide(100), 0;
  if (!ended_well(child)) return 1;
  child = fork();
  if (child == 0) {
    divide(10);
    execl(argv[0], argv[0], "last", (char*)NULL);
    return 1;
  }
  if (!ended_well(child)) return 1;
  execl(argv[0], argv[0], "second", (char*)NULL);
  return 1;
}
