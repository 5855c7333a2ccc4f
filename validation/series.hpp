// The series' arrays, what a sweep moves of them, and the check of its result: the same for CPUs (series.cpp) and GPUs (series.cu).
#pragma once
#include "core/kernel_data.hpp"
#include "validation/series_loop.hpp"

namespace plumbline {

inline SeriesForm series_form_of(const Parameters& p) {
  const std::string& word = p.word("form");
  return word == "inline" ? SeriesForm::inlined : word == "loop" ? SeriesForm::loop : SeriesForm::power;
}

template <class Real, template <class> class ArrayOf>
class SeriesData : public ElementwiseData<Series<Real>, Real, ArrayOf> {
 public:
  /// The work without its FLOPs.
  static Work traffic(const Parameters& p) {
    const std::uint64_t n = p.integer("n"), points = p.integer("m") * p.integer("m");
    return {.streams = {loaded<Real>("x", points), stored<Real>("sum", points)},
            .paper = {{"paper.flops", points * (2 * n - 1)}, {"paper.bytes", 2 * points * sizeof(Real)}}};  // (2) and (3)
  }
  /// The products of a point. Inline: x^2 ... x^n are n - 1 products, and n terms stand beside the 1. The loops begin with 1 x: one more.
  static std::uint64_t products(const Parameters& p) {
    return series_form_of(p) == SeriesForm::inlined ? p.integer("n") - 1 : p.integer("n");
  }

  SeriesData(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : SeriesData::ElementwiseData(p.integer("m") * p.integer("m"), {1, 0}, memory) {
    this->arguments_ = {series_form_of(p), static_cast<int>(p.integer("n")), Real(1), this->array(0), this->array(1)};
  }

  long double exact(std::size_t i) const final {
    const long double x = given<Real>(1, i);
    long double sum = 1;
    for (int k = 0; k < this->arguments_.n; ++k) sum = sum * x + 1;
    return sum;
  }
  std::size_t terms() const final { return static_cast<std::size_t>(this->arguments_.n); }
  // Every term is positive and passes n products and n sums at most.
  double tolerance() const final { return rounding_bound<Real>(2 * this->arguments_.n); }
};

/// `m` is the preset row length.
inline KernelFacts series_facts(std::int64_t m) {
  const std::string inlined = "inline", loop = "loop", power = "power";
  return {.name = "validation/series",
          .summary = "Geometric series 1 + x + ... + x^n of each element (Kwack et al. 2018, Table II)",
          .parameters = {{.name = "form",
                          .preset = loop,
                          .description = "unrolled for each order, Horner's loop, or a loop with a running power",
                          .choices = {inlined, loop, power}},
                         {.name = "n", .preset = std::int64_t{7}, .description = "order", .max = series_max_order},
                         {.name = "m", .preset = m, .description = "row length of the m x m array", .max = std::int64_t{1} << 20}},
          .proof = {.edges = {{{"form", inlined}, {"n", 29}, {"m", 13}},
                              {{"form", loop}, {"n", 29}, {"m", 13}},
                              {{"form", power}, {"n", 29}, {"m", 13}},
                              {{"form", inlined}, {"n", 28}, {"m", 33}},
                              {{"form", inlined}, {"n", 3}, {"m", 64}}},
                    .caches = {{{"form", loop}, {"n", 2}, {"m", 12}},
                               {{"form", loop}, {"n", 3}, {"m", 40}},
                               {{"form", inlined}, {"n", 5}, {"m", 85}},
                               {{"form", power}, {"n", 4}, {"m", 200}},
                               {{"form", inlined}, {"n", 29}, {"m", 300}}}}};
}

}  // namespace plumbline
