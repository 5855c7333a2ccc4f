// The triad's arrays, what a sweep moves of them, and the check of its result are the same for CPUs (triad.cpp) and GPUs (triad.cu).
#pragma once
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "validation/triad.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class TriadData : public Workload {
 public:
  /// The work of a sweep without its FLOPs.
  static Work traffic(const Parameters& p) {
    const std::uint64_t n = p.integer("n"), real = sizeof(Real);
    return {.streams = {{.array = "a", .footprint_bytes = n * real, .written = true, .stores = n, .element_bytes = real},
                        {.array = "b", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
                        {.array = "c", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real}},
            .paper = {{"paper.flops", 2 * n}, {"paper.bytes", 3 * n * real}}};  // Yang 2019: 2 flops, 24 bytes, AI 0.083
  }

  TriadData(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : a_(p.integer("n"), memory),
        b_(p.integer("n"), memory),
        c_(p.integer("n"), memory),
        arguments_{a_.data(), b_.data(), c_.data(), Real(0.75)} {}

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }
  void initialise(std::size_t begin, std::size_t end) override {
    a_.fill(begin, end, [](std::size_t) { return Real(0.5); });
    b_.fill(begin, end, [](std::size_t i) { return Real(varied(1, i)); });
    c_.fill(begin, end, [](std::size_t i) { return Real(varied(2, i)); });
  }
  const void* arguments() const override { return &arguments_; }

  double error() const override {
    LargestError largest;
    a_.read(0, a_.size(), [&](std::size_t i, Real computed) {
      largest.compare(computed, static_cast<long double>(Real(varied(1, i))) + 0.75L * static_cast<long double>(Real(varied(2, i))));
    });
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(2); }  // a product and a sum, or one fma

 protected:
  ArrayOf<Real> a_, b_, c_;
  Triad<Real> arguments_;
};

inline std::vector<ParameterSpec> triad_parameters() {
  return {{.name = "n", .preset = std::int64_t{1} << 20, .description = "elements of each array"}};
}

}  // namespace plumbline
