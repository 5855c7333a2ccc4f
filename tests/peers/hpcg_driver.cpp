// One set of HPCG's iterations, as its main() runs them, and nothing else: hpcg.py says how to link it with HPCG's own sources.
//
//   hpcg_driver NX NY NZ ITERATIONS    prints one line: seconds, iterations, entries of the matrix that are no zeros, and what is left of
//   the
//                                      residual; the iterations are the region "iterations" for who counts
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "CGData.hpp"
#include "CG_ref.hpp"
#include "GenerateCoarseProblem.hpp"
#include "GenerateGeometry.hpp"
#include "GenerateProblem.hpp"
#include "SetupHalo.hpp"
#include "SparseMatrix.hpp"
#include "mytimer.hpp"
#include "plumbline.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]), iterations = std::atoi(argv[4]);
  Geometry geometry;
  GenerateGeometry(1, 0, 1, 0, 0, 0, nx, ny, nz, 0, 0, 0, &geometry);
  SparseMatrix matrix;
  InitializeSparseMatrix(matrix, &geometry);
  Vector right, solution, exact;
  GenerateProblem(matrix, &right, &solution, &exact);
  SetupHalo(matrix);
  SparseMatrix* level = &matrix;
  for (int coarser = 1; coarser < 4; ++coarser) {
    GenerateCoarseProblem(*level);
    level = level->Ac;
  }
  CGData data;
  InitializeSparseCGData(matrix, data);
  std::vector<double> times(10);
  int done = 0;
  double norm = 0, first_norm = 0, seconds = 0;
  for (int set = 0; set < 2; ++set) {  // the first one warms up
    ZeroVector(solution);
    const double start = mytimer();
    if (set == 1) PLUMBLINE_START("iterations");
    CG_ref(matrix, data, right, solution, iterations, 0.0, done, norm, first_norm, times.data(), true);
    if (set == 1) PLUMBLINE_STOP("iterations");
    seconds = mytimer() - start;
  }
  std::printf("%.9g %d %lld %.6e\n", seconds, done, static_cast<long long>(matrix.totalNumberOfNonzeros), norm / first_norm);
}
