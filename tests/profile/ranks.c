// SPDX-License-Identifier: BSD-3-Clause
// Rank r does 100 (r + 1) additions in a region. What MPI itself adds while it waits lies outside.
#include <mpi.h>
#include <plumbline.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size;
  volatile double x = 0.5;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PLUMBLINE_START("work");
  for (int i = 0; i < 100 * (rank + 1); i++) x = x + 0.5;
  PLUMBLINE_STOP("work");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks\n", size);
  MPI_Finalize();
  return 0;
}
