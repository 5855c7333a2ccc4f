// The series' arrays, what a sweep moves of them, and the check of its result are the same for CPUs (series.cpp) and GPUs (series.cu).
#pragma once
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "validation/series.hpp"

namespace plumbline {

inline SeriesForm series_form_of(const Parameters& p) {
  const std::string& word = p.word("form");
  return word == "inline" ? SeriesForm::inlined : word == "loop" ? SeriesForm::loop : SeriesForm::power;
}

template <class Real, template <class> class ArrayOf>
class SeriesData : public Workload {
 public:
  /// The work of a sweep without its FLOPs.
  static Work traffic(const Parameters& p) {
    const std::uint64_t n = p.integer("n"), points = p.integer("m") * p.integer("m"), real = sizeof(Real);
    return {.streams = {{.array = "x", .footprint_bytes = points * real, .read = true, .loads = points, .element_bytes = real},
                        {.array = "sum", .footprint_bytes = points * real, .written = true, .stores = points, .element_bytes = real}},
            .paper = {{"paper.flops", points * (2 * n - 1)}, {"paper.bytes", 2 * points * real}}};  // (2) and (3)
  }
  /// The products of a point. Inline: x^2 ... x^n are n - 1 products, and there are n terms beside the 1. The loops begin with 1 x: one
  /// product more.
  static std::uint64_t products(const Parameters& p) {
    return series_form_of(p) == SeriesForm::inlined ? p.integer("n") - 1 : p.integer("n");
  }

  SeriesData(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : x_(p.integer("m") * p.integer("m"), memory),
        sum_(x_.size(), memory),
        arguments_{series_form_of(p), static_cast<int>(p.integer("n")), Real(1), x_.data(), sum_.data()} {}

  std::size_t extent() const override { return x_.size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }
  void initialise(std::size_t begin, std::size_t end) override {
    x_.fill(begin, end, [](std::size_t i) { return Real(varied(1, i)); });
    sum_.fill(begin, end, [](std::size_t) { return Real(0.5); });
  }
  const void* arguments() const override { return &arguments_; }

  double error() const override {
    LargestError largest;
    sum_.read(0, sum_.size(), [&](std::size_t i, Real computed) {
      const auto x = static_cast<long double>(Real(varied(1, i)));
      long double exact = 1;
      for (int k = 0; k < arguments_.n; ++k) exact = exact * x + 1;
      largest.compare(computed, exact);
    });
    return largest.value();
  }
  // Every term is positive and passes n products and n sums at most.
  double tolerance() const override { return rounding_bound<Real>(2 * arguments_.n); }

 protected:
  ArrayOf<Real> x_, sum_;
  Series<Real> arguments_;
};

/// `m` is the preset row length.
inline std::vector<ParameterSpec> series_parameters(std::int64_t m) {
  return {{.name = "form",
           .preset = std::string("loop"),
           .description = "unrolled for each order, Horner's loop, or a loop with a running power",
           .choices = {"inline", "loop", "power"}},
          {.name = "n", .preset = std::int64_t{7}, .description = "order", .max = series_max_order},
          {.name = "m", .preset = m, .description = "row length of the m x m array", .max = std::int64_t{1} << 20}};
}

}  // namespace plumbline
