// The matrix product's arrays and the check of its result: the same for CPUs (dgemm.cpp) and GPUs (dgemm.cu).
#pragma once
#include <algorithm>
#include <vector>

#include "core/kernel_data.hpp"
#include "validation/dgemm_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class DgemmData : public KernelData<Dgemm<Real>> {
 public:
  DgemmData(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : n_(p.integer("n")), a_(n_ * n_, memory), b_(n_ * n_, memory), c_(n_ * n_, memory) {
    this->arguments_ = {a_.data(), b_.data(), c_.data(), n_};
  }

  std::size_t extent() const override { return n_; }
  void initialise(std::size_t begin, std::size_t end) override {
    a_.fill(begin * n_, end * n_, [](std::size_t i) { return Real(varied(1, i)); });
    b_.fill(begin * n_, end * n_, [](std::size_t i) { return Real(varied(2, i)); });
    c_.fill(begin * n_, end * n_, [](std::size_t) { return Real(0.5); });
  }

  /// Every row's sum against A (B 1), every element against its bounds, and rows element by element as far as 2^24 products go.
  double error() const override {
    LargestError largest;
    const auto a = a_.to_host(), b = b_.to_host(), c = c_.to_host();
    const auto row_sum = [&](const auto& matrix, std::size_t i) {
      long double sum = 0;
      for (std::size_t j = 0; j < n_; ++j) sum += static_cast<long double>(matrix[i * n_ + j]);
      return sum;
    };
    std::vector<long double> b_sums(n_), exact(n_);
    for (std::size_t k = 0; k < n_; ++k) b_sums[k] = row_sum(b, k);
    for (std::size_t i = 0; i < n_; ++i) {
      long double product = 0;
      for (std::size_t k = 0; k < n_; ++k) product += static_cast<long double>(a[i * n_ + k]) * b_sums[k];
      largest.compare(row_sum(c, i), product);
    }
    compare_with_bounds(a, b, c, largest);
    const std::size_t step = std::max<std::size_t>(1, n_ * n_ * n_ >> 24);
    for (std::size_t i = 0; i < n_; i += step) {
      std::fill(exact.begin(), exact.end(), 0);
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t j = 0; j < n_; ++j) exact[j] += static_cast<long double>(a[i * n_ + k]) * static_cast<long double>(b[k * n_ + j]);
      for (std::size_t j = 0; j < n_; ++j) largest.compare(c[i * n_ + j], exact[j]);
    }
    return largest.value();
  }
  // All terms are positive; the first passes one product and n sums, and in the library a product with alpha, which is 1.
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(n_) + 2); }

 private:
  /// All terms are positive, so that c(i,j) lies between the smallest and the largest element of column j of B, times the sum of row i of
  /// A. In single precision a row of 4096 elements may miss one of them within its own sum's tolerance: this sees it at any n.
  template <class Matrix>
  void compare_with_bounds(const Matrix& a, const Matrix& b, const Matrix& c, LargestError& largest) const {
    std::vector<Real> least(b.data(), b.data() + n_), most = least;
    for (std::size_t i = 0; i < b.size(); ++i) {
      least[i % n_] = std::min(least[i % n_], b[i]);
      most[i % n_] = std::max(most[i % n_], b[i]);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      long double sum = 0;
      for (std::size_t k = 0; k < n_; ++k) sum += static_cast<long double>(a[i * n_ + k]);
      for (std::size_t j = 0; j < n_; ++j) {
        const auto value = static_cast<long double>(c[i * n_ + j]);
        const long double lo = sum * static_cast<long double>(least[j]), hi = sum * static_cast<long double>(most[j]);
        if (!(value >= lo && value <= hi)) largest.compare(c[i * n_ + j], value > hi ? hi : lo);  // a NaN too
      }
    }
  }

 protected:
  std::size_t n_;
  ArrayOf<Real> a_, b_, c_;
};

inline KernelFacts dgemm_facts(std::string summary) {
  return {"validation/dgemm",
          std::move(summary),
          {{.name = "n", .preset = std::int64_t{256}, .description = "rows and columns", .max = 32768}},
          {.edges = sizes("n", {67, 64}), .caches = sizes("n", {4, 20, 40, 80, 150})}};  // 67: long enough for every unrolled loop, and odd
}

}  // namespace plumbline
