// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stdio.h>

#include "client_requests.h"

int main(int argc, char** argv) {
  static struct plumbline_counts before, after;
  int rank, size, sum = 0;
  volatile double x = 0.5;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!plumbline_read_thread(&before)) return 1;
  for (int i = 0; i < 100 * (rank + 1); i++) x = x * 0.5;
  plumbline_read_thread(&after);
  int mine = (int)(after.value[PLUMBLINE_EVENT_flops_fp64_mul] - before.value[PLUMBLINE_EVENT_flops_fp64_mul]);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("ranks %d multiplications %d\n", size, sum);
  MPI_Finalize();
  return mine == 100 * (rank + 1) ? 0 : 1;
}
