// SPDX-License-Identifier: BSD-3-Clause
// Rank r of R does its part, (r + 1) / (R (R + 1) / 2), of so many million steps of two operations each, and waits for the others. It tells
// its operations.
#include <mpi.h>
#include <plumbline.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) double work(long steps) {
  double x = 0.5;
  for (long i = 0; i < steps; i++) x = x * 0.9 + 0.2;
  return x;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long steps = (argc > 1 ? atol(argv[1]) : 100) * 1000000 / (size * (size + 1) / 2) * (rank + 1);
  PLUMBLINE_START("part");
  volatile double x = work(steps);
  PLUMBLINE_STOP("part");
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d %ld\n", rank, x > 0 ? 2 * steps : 0);
  fflush(stdout);
  MPI_Finalize();
  return argc > 2 && rank == 0 ? atoi(argv[2]) : 0;
}
