// SPDX-License-Identifier: BSD-3-Clause
//
// OpenBLAS's matrix products, explained to the last operation. n x n matrices, C = alpha A B + beta C, its Haswell kernels;
// what they do beside the n^3 products was read from their machine code (0.3.21).
#include <cblas.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../measured.hpp"

namespace {

using measured::Counts;
using measured::counts_of;

constexpr std::int64_t orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 31, 64, 100, 129, 256, 300};
constexpr std::int64_t largest = 300;

struct Operations {
  std::int64_t add, mul, fma;
  std::int64_t flops() const { return add + mul + 2 * fma; }
};
bool operator==(const Operations& a, const Operations& b) { return a.add == b.add && a.mul == b.mul && a.fma == b.fma; }
void PrintTo(const Operations& o, std::ostream* out) {
  *out << "add " << o.add << " mul " << o.mul << " fma " << o.fma << " flops " << o.flops();
}

// The interface multiplies m n k as doubles, to decide on threads.
constexpr std::int64_t of_the_interface = 2;

// Products are accumulated over panels of at most 256 of k, the last two of equal size; each panel's sums are multiplied by alpha and added
// to C. In panels of 8 and more, the blocks of 4 x 4 begin with a product instead of a fused one. The last column, where n is odd, keeps
// four sums for each 4 rows and adds them up: 3 vectors of 4.
Operations dgemm(std::int64_t n, bool scales_c) {
  const std::int64_t panels = n > 256 ? 2 : 1, whole = n - n % 4;
  const std::int64_t plain_products = n >= 8 ? panels * whole * whole : 0;
  const std::int64_t joined = n % 2 ? panels * 12 * (n / 4) : 0;
  return {.add = panels * n * n + joined,
          .mul = plain_products + panels * n * n + (scales_c ? n * n : 0) + of_the_interface,
          .fma = n * n * n - plain_products};
}

// The operations for n a multiple of 4. C is updated by fused operations. Columns are taken by 12, the rest by 4. Every block of 8 rows and
// 4 of the rest's columns keeps two sums and joins them: 32 additions; of 12 columns only one block of 8 rows does, when there are 16 rows
// or more.
Operations sgemm(std::int64_t n) {
  const std::int64_t rows = n / 8, twelves = n / 12, fours = n % 12 / 4;
  return {.add = 32 * rows * fours + (rows >= 2 ? 96 * twelves : 0), .mul = 0, .fma = n * n * n + n * n};
}

Operations fp64_of(const Counts& c) {
  return {c[PLUMBLINE_EVENT_flops_fp64_add], c[PLUMBLINE_EVENT_flops_fp64_mul], c[PLUMBLINE_EVENT_flops_fp64_fma]};
}
Operations fp32_of(const Counts& c) {
  return {c[PLUMBLINE_EVENT_flops_fp32_add], c[PLUMBLINE_EVENT_flops_fp32_mul], c[PLUMBLINE_EVENT_flops_fp32_fma]};
}

template <class Real>
struct Matrices {
  std::vector<Real> a = std::vector<Real>(largest * largest, Real(0.625)), b = std::vector<Real>(largest * largest, Real(0.75)),
                    c = std::vector<Real>(largest * largest, Real(0.5));
};

Counts dgemm_counts(Matrices<double>& m, CBLAS_TRANSPOSE a, CBLAS_TRANSPOSE b, std::int64_t n, double alpha, double beta) {
  const int order = static_cast<int>(n);
  return counts_of(
      [&] { cblas_dgemm(CblasColMajor, a, b, order, order, order, alpha, m.a.data(), order, m.b.data(), order, beta, m.c.data(), order); });
}

Counts sgemm_counts(Matrices<float>& m, std::int64_t n) {
  const int order = static_cast<int>(n);
  return counts_of([&] {
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1.0F, m.a.data(), order, m.b.data(), order, 0.0F,
                m.c.data(), order);
  });
}

TEST(OpenBlas, dgemm_counts_are_explained_to_the_last_operation) {
  Matrices<double> matrices;
  dgemm_counts(matrices, CblasNoTrans, CblasNoTrans, 4, 1, 0);  // the library's first call sets up its buffers
  for (std::int64_t n : orders) {
    const Counts c = dgemm_counts(matrices, CblasNoTrans, CblasNoTrans, n, 1, 0);
    EXPECT_EQ(fp64_of(c), dgemm(n, false)) << "n = " << n;
    EXPECT_EQ(measured::flops(c), dgemm(n, false).flops()) << "n = " << n;
  }
}

TEST(OpenBlas, dgemm_scales_c_by_beta) {
  Matrices<double> matrices;
  for (std::int64_t n : {1, 5, 8, 31, 64})
    EXPECT_EQ(fp64_of(dgemm_counts(matrices, CblasNoTrans, CblasNoTrans, n, 1.5, 0.5)), dgemm(n, true)) << n;
}

TEST(OpenBlas, dgemm_transposed_is_the_same_arithmetic) {
  Matrices<double> matrices;
  for (std::int64_t n : {3, 7, 8, 17, 31, 64})
    for (CBLAS_TRANSPOSE a : {CblasNoTrans, CblasTrans})
      for (CBLAS_TRANSPOSE b : {CblasNoTrans, CblasTrans})
        EXPECT_EQ(fp64_of(dgemm_counts(matrices, a, b, n, 1, 0)), dgemm(n, false)) << "n = " << n << " " << a << b;
}

// Orders whose halves are whole blocks: OpenBLAS's own threads divide the work and add none.
TEST(OpenBlas, dgemm_by_two_threads_is_the_same_arithmetic) {
  Matrices<double> matrices;
  openblas_set_num_threads(2);
  for (std::int64_t n : {128, 256}) {
    plumbline_counts before, after;
    plumbline_read_thread(&before);
    EXPECT_EQ(fp64_of(dgemm_counts(matrices, CblasNoTrans, CblasNoTrans, n, 1, 0)), dgemm(n, false)) << n;
    plumbline_read_thread(&after);
    EXPECT_EQ(2 * fp64_of(measured::difference(before, after)).fma, dgemm(n, false).fma) << "the calling thread's half, n = " << n;
  }
  openblas_set_num_threads(1);
}

TEST(OpenBlas, sgemm_counts_are_explained_to_the_last_operation) {
  Matrices<float> matrices;
  sgemm_counts(matrices, 4);
  for (std::int64_t n : {4, 8, 12, 16, 20, 24, 32, 48, 64, 100, 128, 256}) {
    const Counts c = sgemm_counts(matrices, n);
    EXPECT_EQ(fp32_of(c), sgemm(n)) << "n = " << n;
    EXPECT_EQ(measured::flops_fp64(c), of_the_interface) << "n = " << n;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string config = openblas_get_config();
  if (config.find("OpenBLAS 0.3.21 ") == std::string::npos || std::strcmp(openblas_get_corename(), "Haswell") != 0) {
    std::printf("SKIP: the formulas are those of OpenBLAS 0.3.21's Haswell kernels; this is %s, core %s\n", config.c_str(),
                openblas_get_corename());
    return 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
