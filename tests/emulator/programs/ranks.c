// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank marks a region in which it divides 100 times, rank 1 200 times, and so on.
#include <mpi.h>

#include "client_requests.h"

int main(int argc, char** argv) {
  int rank;
  volatile double x = 1.0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!plumbline_region_begin("share")) return 1;
  for (int i = 0; i < 100 * (rank + 1); i++) x = x / 1.0000001;
  plumbline_region_end("share");
  MPI_Finalize();
  return 0;
}
