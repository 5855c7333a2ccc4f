// PETSc solves the system of proxies/tfqmr by its own tfqmr and additive Schwarz, on the same blocks, and nothing else: petsc.py says how
// to build it.
//
//   petsc_driver N LINES PLANES BLOCKS ITERATIONS    prints one line: seconds, FLOPs by PETSc's own log, and the bounds of the residual,
//   that
//                                                    before all iterations first; the iterations are the region "iterations" for who counts
#include <petscksp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plumbline.h"
#include "proxies/solvers/convection.hpp"

namespace {

using plumbline::ConvectionGrid;

Mat matrix_of(const ConvectionGrid& grid) {
  const plumbline::SparseMatrix rows = plumbline::convection_matrix(grid);
  const auto size = static_cast<PetscInt>(rows.rows());
  Mat matrix = nullptr;
  MatCreateSeqAIJ(PETSC_COMM_SELF, size, size, static_cast<PetscInt>(plumbline::convection_entries.size()), nullptr, &matrix);
  for (PetscInt row = 0; row < size; ++row)
    rows.for_row(static_cast<std::size_t>(row), [&](std::size_t entry, std::size_t column) {
      MatSetValue(matrix, row, static_cast<PetscInt>(column), rows.values[entry], INSERT_VALUES);
    });
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
  return matrix;
}

/// Blocks of as many planes, each with what its rows reach, in the order of the ring. PETSc's own overlap would put planes that lie at the
/// ring's other end last, and its incomplete factors would be others.
void set_blocks(PC preconditioner, const ConvectionGrid& grid, PetscInt blocks) {
  const auto plane = static_cast<PetscInt>(grid.plane()), planes = static_cast<PetscInt>(grid.planes), of_block = planes / blocks;
  std::vector<IS> extended(static_cast<std::size_t>(blocks)), own(extended.size());
  for (PetscInt block = 0; block < blocks; ++block) {
    std::vector<PetscInt> points;
    for (PetscInt k = -static_cast<PetscInt>(ConvectionGrid::planes_before);
         k < of_block + static_cast<PetscInt>(ConvectionGrid::planes_behind); ++k)
      for (PetscInt i = 0; i < plane; ++i) points.push_back((block * of_block + k + planes) % planes * plane + i);
    ISCreateGeneral(PETSC_COMM_SELF, static_cast<PetscInt>(points.size()), points.data(), PETSC_COPY_VALUES,
                    &extended[static_cast<std::size_t>(block)]);
    ISCreateStride(PETSC_COMM_SELF, of_block * plane, block * of_block * plane, 1, &own[static_cast<std::size_t>(block)]);
  }
  PCSetType(preconditioner, PCASM);
  PCASMSetType(preconditioner, PC_ASM_BASIC);
  PCASMSetOverlap(preconditioner, 0);
  PCASMSetSortIndices(preconditioner, PETSC_FALSE);
  PCASMSetLocalSubdomains(preconditioner, blocks, extended.data(), own.data());
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const ConvectionGrid grid{std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10)};
  const PetscInt blocks = std::atoi(argv[4]), iterations = std::atoi(argv[5]);
  int words = 1;
  PetscInitialize(&words, &argv, nullptr, nullptr);
  Mat matrix = matrix_of(grid);
  Vec solution = nullptr, right = nullptr;
  MatCreateVecs(matrix, &solution, &right);
  for (PetscInt point = 0; point < static_cast<PetscInt>(grid.points()); ++point)
    VecSetValue(solution, point, plumbline::varied(3, static_cast<std::uint64_t>(point)), INSERT_VALUES);
  VecAssemblyBegin(solution);
  VecAssemblyEnd(solution);
  MatMult(matrix, solution, right);

  KSP solver = nullptr;
  PC preconditioner = nullptr;
  KSPCreate(PETSC_COMM_SELF, &solver);
  KSPSetOperators(solver, matrix, matrix);
  KSPSetType(solver, KSPTFQMR);
  KSPGetPC(solver, &preconditioner);
  set_blocks(preconditioner, grid, blocks);
  KSPSetTolerances(solver, 1e-300, 1e-300, 1e300, iterations);
  std::vector<double> bounds;  // two an iteration, of which the second is what proxies/tfqmr tells
  KSPMonitorSet(
      solver,
      [](KSP, PetscInt, PetscReal bound, void* all) -> PetscErrorCode {
        static_cast<std::vector<double>*>(all)->push_back(bound);
        return 0;
      },
      &bounds, nullptr);
  KSPSetUp(solver);
  KSPSetUpOnBlocks(solver);
  PetscLogDouble before = 0, after = 0;
  double taken = 0;
  for (int set = 0; set < 2; ++set) {  // the first one warms up
    bounds.clear();
    VecSet(solution, 0);
    PetscGetFlops(&before);
    const double begin = seconds();
    if (set == 1) PLUMBLINE_START("iterations");
    KSPSolve(solver, right, solution);
    if (set == 1) PLUMBLINE_STOP("iterations");
    taken = seconds() - begin;
    PetscGetFlops(&after);
  }
  std::printf("%.9g %.0f", taken, after - before);
  for (std::size_t k = 0; k < bounds.size(); k += 2) std::printf(" %.17g", bounds[k]);
  std::printf("\n");
  PetscFinalize();
  return 0;
}
