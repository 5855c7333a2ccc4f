// One factorization and one solution by SuperLU as proxies/sparse_lu does them, beside SuperLU's own report and the model's interval:
// direct.py says how to build it.
//
//   superlu_driver N LINES PLANES    prints one line of JSON; its factors are the region "factor", its triangular systems "solve"
#include <cstdio>
#include <string>
#include <vector>

#include "marker/plumbline.h"
#include "proxies/solvers/sparse_lu_libraries.hpp"
#include "tests/peers/direct_system.hpp"

int main(int argc, char** argv) {
  using namespace plumbline;
  return run_driver("superlu_driver", argc, argv, 0, [](const std::vector<std::string>& words) {
    if (words.size() != 3) throw user_error("give N LINES PLANES: what is not a grid has no order here");
    DirectSystem system = direct_system(words, 0, 1);
    const ConvectionGrid grid{std::stoul(words[0]), std::stoul(words[1]), std::stoul(words[2])};
    system.matrix = dissected_matrix(grid);
    const ApplicationWork model = superlu_work(grid);
    const SparseMatrix by_columns = transposed(system.matrix);
    SuperLuSystem superlu(by_columns.values, by_columns.columns, by_columns.starts, elimination_tree(system.matrix));
    std::vector<double> right(system.rows(), 1), solution(system.rows());
    PLUMBLINE_START("factor");
    superlu.factor();
    PLUMBLINE_STOP("factor");
    PLUMBLINE_START("solve");
    superlu.solve(right, solution);
    PLUMBLINE_STOP("solve");
    std::printf(
        "{\"system\": \"%s\", \"rows\": %zu, \"entries\": %zu, \"ranks\": 1, \"factor\": %.0f, \"solve\": %.0f, \"backward_error\": %.3g",
        system.name.c_str(), system.rows(), system.matrix.entries(), superlu.factor_flops(), superlu.solve_flops(),
        system.backward_error(solution));
    for (const Phase& phase : model.phases) {
      const Amount flops = total_flops(phase.work.flops, "fp64");
      std::printf(", \"%s_model\": [%llu, %llu]", phase.name.c_str(), static_cast<unsigned long long>(flops.lo),
                  static_cast<unsigned long long>(flops.hi));
    }
    std::printf("}\n");
  });
}
