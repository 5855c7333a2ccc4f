// One factorization and one solution by SuperLU_DIST without exchanges of rows, over the ranks of Open MPI: direct.py says how to build it.
//
//   superlu_dist_driver FILE.mtx | N LINES PLANES [FILE]    prints one line of JSON; its factors are the region "factor", its triangular
//                                                           systems "solve", for who counts
#include <superlu_ddefs.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "marker/plumbline.h"
#include "tests/peers/direct_system.hpp"

namespace {

/// The columns that divide ranks evenly, as few as make no more rows of ranks than columns.
int columns_of_ranks(int ranks) {
  int columns = 1;
  while (columns * columns < ranks || ranks % columns != 0) ++columns;
  return columns;
}

class SuperLuDist {
 public:
  SuperLuDist(const plumbline::DirectSystem& system, int ranks) : system_(system) {
    superlu_gridinit(MPI_COMM_WORLD, ranks / columns_of_ranks(ranks), columns_of_ranks(ranks), &grid_);
    set_default_options_dist(&options_);
    options_.Equil = NO, options_.RowPerm = NOROWPERM, options_.IterRefine = NOREFINE, options_.PrintStat = NO;
    options_.ColPerm = MMD_AT_PLUS_A;
    options_.ReplaceTinyPivot = NO;
    for (std::size_t row = system.begin; row <= system.end; ++row)
      starts_.push_back(static_cast<int_t>(system.matrix.starts[row] - system.matrix.starts[system.begin]));
    const auto first = static_cast<std::ptrdiff_t>(system.matrix.starts[system.begin]), last = first + starts_.back();
    columns_.assign(system.matrix.columns.begin() + first, system.matrix.columns.begin() + last);
    values_.assign(system.matrix.values.begin() + first, system.matrix.values.begin() + last);
    const auto n = static_cast<int_t>(system.rows());
    dCreate_CompRowLoc_Matrix_dist(&matrix_, n, n, starts_.back(), own_rows(), static_cast<int_t>(system.begin), values_.data(),
                                   columns_.data(), starts_.data(), SLU_NR_loc, SLU_D, SLU_GE);
    dScalePermstructInit(n, n, &permutations_), dLUstructInit(n, &factors_);
    PStatInit(&statistics_);
  }
  SuperLuDist(const SuperLuDist&) = delete;
  SuperLuDist& operator=(const SuperLuDist&) = delete;
  ~SuperLuDist() {
    PStatFree(&statistics_);
    Destroy_SuperMatrix_Store_dist(&matrix_);
    dScalePermstructFree(&permutations_), dLUstructFree(&factors_);
    superlu_gridexit(&grid_);
  }

  /// Orders and factors without a right-hand side, then solves with one. Throws Error where a pivot is zero, on all ranks.
  void run(std::vector<double>& side, int sides, const char* region) {
    options_.Fact = sides == 0 ? DOFACT : FACTORED;
    double error = 0;
    int found = 0;
    PLUMBLINE_START(region);
    pdgssvx(&options_, &matrix_, &permutations_, side.data(), std::max(1, static_cast<int>(own_rows())), sides, &grid_, &factors_, &solver_,
            &error, &statistics_, &found);
    PLUMBLINE_STOP(region);
    if (found != 0)
      throw plumbline::singular_error(system_, "SuperLU_DIST says that pivot " + std::to_string(found) + " of its order is zero");
  }
  /// The sum over all ranks, as it adds them up itself when it prints them.
  double flops(PhaseType phase) const {
    float own = statistics_.ops[phase], all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return static_cast<double>(all);
  }

 private:
  int_t own_rows() const { return static_cast<int_t>(system_.end - system_.begin); }

  const plumbline::DirectSystem& system_;
  gridinfo_t grid_{};
  superlu_dist_options_t options_{};
  std::vector<int_t> starts_, columns_;
  std::vector<double> values_;
  SuperMatrix matrix_{};
  dScalePermstruct_t permutations_{};
  dLUstruct_t factors_{};
  dSOLVEstruct_t solver_{};
  SuperLUStat_t statistics_{};
};

/// The parts of all ranks, one behind the other.
std::vector<double> gathered(const std::vector<double>& own, std::size_t begin, std::size_t all, int ranks) {
  std::vector<int> counts(static_cast<std::size_t>(ranks)), places(counts);
  const int count = static_cast<int>(own.size()), place = static_cast<int>(begin);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(&place, 1, MPI_INT, places.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<double> whole(all);
  MPI_Allgatherv(own.data(), count, MPI_DOUBLE, whole.data(), counts.data(), places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  return whole;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int code = plumbline::run_driver("superlu_dist_driver", argc, argv, rank, [&](const std::vector<std::string>& words) {
    const plumbline::DirectSystem system = plumbline::direct_system(words, rank, ranks);
    SuperLuDist superlu(system, ranks);
    std::vector<double> side(system.end - system.begin, 1.0);
    superlu.run(side, 0, "factor");
    const double factor_flops = superlu.flops(FACT);
    superlu.run(side, 1, "solve");
    const double solve_flops = superlu.flops(SOLVE), error = system.backward_error(gathered(side, system.begin, system.rows(), ranks));
    if (rank == 0) plumbline::print_report(system, ranks, factor_flops, solve_flops, error);
  });
  MPI_Finalize();
  return code;
}
