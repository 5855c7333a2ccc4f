// One factorization and one solution by MUMPS with its presets, over the ranks of Open MPI: direct.py says how to build it.
//
//   mumps_driver FILE.mtx | N LINES PLANES [FILE]    prints one line of JSON; its factors are the region "factor", its triangular systems
//                                                    "solve", for who counts
#include <dmumps_c.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "marker/plumbline.h"
#include "tests/peers/direct_system.hpp"

namespace {

enum Job { begin_use = -1, end_use = -2, analyse = 1, factor = 2, solve = 3 };

/// The numbers of MUMPS's manual count from 1.
template <class Number>
Number& element(Number* array, int number) {
  return array[number - 1];
}

/// MUMPS's word for MPI_COMM_WORLD.
constexpr MUMPS_INT all_ranks = -987654;

/// MUMPS without MPI comes with an mpi.h of its own, which knows of one rank alone.
int count_ranks() {
  int ranks = 1;
#ifndef MUMPS_MPI_H
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  return ranks;
}

class Mumps {
 public:
  explicit Mumps(const plumbline::DirectSystem& system) : system_(system) {
    mumps_.par = 1, mumps_.sym = 0;
    mumps_.comm_fortran = all_ranks;
    run(begin_use, nullptr);
    for (const int printed : {1, 2, 3, 4}) element(mumps_.icntl, printed) = 0;
    element(mumps_.icntl, 18) = 3;  // each rank gives its rows
    element(mumps_.icntl, 28) = 1;  // and one orders them
  }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;
  ~Mumps() {
    mumps_.job = end_use;
    dmumps_c(&mumps_);
  }

  /// Runs a job, inside a region where it has a name. Throws Error where MUMPS says that it failed, on all ranks.
  void run(Job job, const char* region) {
    mumps_.job = job;
    if (region) PLUMBLINE_START(region);
    dmumps_c(&mumps_);
    if (region) PLUMBLINE_STOP(region);
    const int found = element(mumps_.infog, 1), more = element(mumps_.infog, 2);
    const std::string said = "MUMPS says INFOG(1) = " + std::to_string(found) + ", INFOG(2) = " + std::to_string(more);
    if (found == -6 || found == -10) throw plumbline::singular_error(system_, said);
    if (found < 0)
      throw plumbline::io_error(system_.name + ": job " + std::to_string(job) + " failed: " + said + "; its manual says what that is");
  }
  void take_rows() {
    for (std::size_t row = system_.begin; row < system_.end; ++row)
      system_.matrix.for_row(row, [&](std::size_t entry, std::size_t column) {
        rows_.push_back(static_cast<MUMPS_INT>(row + 1)), columns_.push_back(static_cast<MUMPS_INT>(column + 1));
        values_.push_back(system_.matrix.values[entry]);
      });
    mumps_.n = static_cast<MUMPS_INT>(system_.rows()), mumps_.nnz_loc = static_cast<MUMPS_INT8>(values_.size());
    mumps_.irn_loc = rows_.data(), mumps_.jcn_loc = columns_.data(), mumps_.a_loc = values_.data();
  }
  /// The vector is the right-hand side, and then the solution; only rank 0 has one.
  void take_side(std::vector<double>& side) { mumps_.rhs = side.data(); }
  /// Floating-point operations of assembling fronts and of eliminating in them, over all ranks (RINFOG(2), RINFOG(3)).
  double flops() { return element(mumps_.rinfog, 2) + element(mumps_.rinfog, 3); }

 private:
  const plumbline::DirectSystem& system_;
  DMUMPS_STRUC_C mumps_{};
  std::vector<MUMPS_INT> rows_, columns_;
  std::vector<double> values_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int ranks = count_ranks();
  const int code = plumbline::run_driver("mumps_driver", argc, argv, rank, [&](const std::vector<std::string>& words) {
    const plumbline::DirectSystem system = plumbline::direct_system(words, rank, ranks);
    Mumps mumps(system);
    mumps.take_rows();
    mumps.run(analyse, nullptr);
    mumps.run(factor, "factor");
    std::vector<double> side(rank == 0 ? system.rows() : 0, 1.0);
    if (rank == 0) mumps.take_side(side);
    mumps.run(solve, "solve");
    if (rank == 0) plumbline::print_report(system, ranks, mumps.flops(), -1, system.backward_error(side));
  });
  MPI_Finalize();
  return code;
}
