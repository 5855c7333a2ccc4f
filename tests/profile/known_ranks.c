// SPDX-License-Identifier: BSD-3-Clause
//
// The twelve functions of known work (known_functions.h) on each rank, rank r with r + 1 times the rounds of rank 0. Behind each function
// the ranks wait for the slowest in an Allreduce. Each tells what it did, its CPU time, and that of its messages: "rank name flops
// seconds".
#include <mpi.h>

#include "known_functions.h"

/* All ranks have done a function. Gives the CPU time of waiting for each other. */
static double meet(void) {
  const double start = cpu_seconds();
  const double mine = 1;
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return cpu_seconds() - start;
}

int main(int argc, char** argv) {
  double of_messages = cpu_seconds(), seconds[number_of_functions];
  MPI_Init(&argc, &argv);
  of_messages = cpu_seconds() - of_messages;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long rounds = (argc > 1 ? atol(argv[1]) : 1) * (rank + 1);
  fill();
  for (int i = 0; i < number_of_functions; i++) {
    seconds[i] = run_one(&known_functions[i], rounds);
    of_messages += meet();
  }
  for (int i = 0; i < number_of_functions; i++) {
    const struct known* one = &known_functions[i];
    printf("%d %s %ld %.6f\n", rank, one->name, one->flops * one->sweeps * rounds, seconds[i]);
  }
  printf("%d messages 0 %.6f\n", rank, of_messages);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
