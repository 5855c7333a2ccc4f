// Every rank says its host and the world's size: shows that a launcher really joined ranks of several hosts into one world.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "comm/mpich_ucx_finalize.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sum_of_ranks = 0;
  MPI_Allreduce(&rank, &sum_of_ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::printf("host %s world %d sum %d\n", host.data(), size, sum_of_ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  plumbline::leave_out_ucx_disconnect(); // MPICH 4.0's MPI_Finalize hangs now and then between hosts
  MPI_Finalize();
}
