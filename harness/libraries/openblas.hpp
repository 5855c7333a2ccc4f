// OpenBLAS is opened at run time: what of it kernels need, how many FLOPs it does, or why it cannot be had.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/flavor.hpp"
#include "core/work.hpp"

namespace plumbline {

inline constexpr std::string_view openblas_flavor = "lib-openblas";

struct OpenBlas {
  using Dgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                         int ldb, double beta, double* c, int ldc);
  using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                         int ldb, float beta, float* c, int ldc);
  Dgemm dgemm = nullptr;
  Sgemm sgemm = nullptr;
  std::string absent;  // why there is none; empty when there is

  static constexpr int row_major = 101, no_transpose = 111, transpose = 112;
};

/// The library, opened at first use: with its Haswell kernels, whatever the CPU, so that a count under the emulator and a time outside it
/// are of the same instructions; and with one thread, because the team's threads are ours.
const OpenBlas& openblas();

/// The flavors of a kernel whose own are these, with the library's beside them where it is.
std::vector<Flavor> with_openblas(std::span<const Flavor> own, Sweep fp64, Sweep fp32);
/// The library's flavor where it cannot be had.
std::vector<AbsentFlavor> absent_openblas();

/// A matrix of a product by rows: element (i, j) lies at first[i row + j], or where it is turned at first[j row + i].
template <class Real>
struct OpenBlasOperand {
  const Real* first;
  std::size_t row;
  bool is_turned = false;
};

/// c = kept c + a b by the library: a is m x k, b k x n, c m x n, its rows c_row apart.
template <class Real>
void openblas_product(std::size_t m, std::size_t n, std::size_t k, OpenBlasOperand<Real> a, OpenBlasOperand<Real> b, Real kept, Real* c,
                      std::size_t c_row) {
  const auto whole = [](std::size_t size) { return static_cast<int>(size); };
  const auto turned = [](const OpenBlasOperand<Real>& x) { return x.is_turned ? OpenBlas::transpose : OpenBlas::no_transpose; };
  const auto multiply = [&](auto gemm) {
    gemm(OpenBlas::row_major, turned(a), turned(b), whole(m), whole(n), whole(k), Real(1), a.first, whole(a.row), b.first, whole(b.row),
         kept, c, whole(c_row));
  };
  if (m == 0) return;
  if constexpr (std::is_same_v<Real, double>)
    multiply(openblas().dgemm);
  else
    multiply(openblas().sgemm);
}
/// c = a b by the library, for matrices by rows without gaps.
template <class Real>
void openblas_product(std::size_t m, std::size_t n, std::size_t k, const Real* a, const Real* b, Real* c) {
  openblas_product<Real>(m, n, k, {a, k}, {b, n}, Real(0), c, n);
}

/// The work of openblas_product() in at most so many calls, for elements of 8 bytes (fp64) or of 4 (fp32). FLOPs are an interval, as is how
/// often what crosses.
Work openblas_work(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t element_bytes, std::uint64_t calls);

}  // namespace plumbline
