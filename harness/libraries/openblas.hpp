// OpenBLAS is opened at run time: what of it kernels need, how many FLOPs it does, or why it cannot be had.
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/work.hpp"

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

/// c = a b by the library, for matrices by rows: a is m x k, b k x n, c m x n, without gaps.
template <class Real>
void openblas_product(std::size_t m, std::size_t n, std::size_t k, const Real* a, const Real* b, Real* c) {
  const auto rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  const auto multiply = [&](auto gemm) {
    gemm(OpenBlas::row_major, OpenBlas::no_transpose, OpenBlas::no_transpose, rows, columns, depth, Real(1), a, depth, b, columns, Real(0),
         c, columns);
  };
  if (rows == 0) return;
  if constexpr (std::is_same_v<Real, double>)
    multiply(openblas().dgemm);
  else
    multiply(openblas().sgemm);
}

/// The work of openblas_product() in at most so many calls, for elements of 8 bytes (fp64) or of 4 (fp32). FLOPs are an interval, as is how
/// often what crosses.
Work openblas_work(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t element_bytes, std::uint64_t calls);

}  // namespace plumbline
