// SPDX-License-Identifier: BSD-3-Clause
// Forks a child that becomes this program anew; each of the three does additions of its own: 1 + 10 + 100, and 1000 after all.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink = 1.0;

static void add(int n) {
  for (int i = 0; i < n; i++) sink = sink + 1.5;
}

int main(int count, char** words) {
  if (count > 1) {
    add(100);
    return 0;
  }
  add(1);
  const pid_t child = fork();
  if (child == 0) {
    add(10);
    execl(words[0], words[0], "again", (char*)NULL);
    return 1;
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  add(1000);
  return 0;
}
