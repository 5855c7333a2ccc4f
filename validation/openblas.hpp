// OpenBLAS is opened at run time: what of it the dgemm kernel needs, or why it cannot be had.
#pragma once
#include <string>

namespace plumbline {

struct OpenBlas {
  using Dgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                         int ldb, double beta, double* c, int ldc);
  using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                         int ldb, float beta, float* c, int ldc);
  Dgemm dgemm = nullptr;
  Sgemm sgemm = nullptr;
  std::string absent;  // why there is none; empty when there is

  static constexpr int row_major = 101, no_transpose = 111;
};

/// The library, opened at first use: with its Haswell kernels, whatever the CPU, so that a count under the emulator and a time outside it
/// are of the same instructions; and with one thread, because the team's threads are ours.
const OpenBlas& openblas();

}  // namespace plumbline
