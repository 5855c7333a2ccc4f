// The dot product's arrays, what a sweep moves of them, and the check of its result are the same for CPUs (dot.cpp) and GPUs (dot.cu).
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "validation/dot.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class DotData : public Workload {
 public:
  static std::uint64_t blocks_of(std::uint64_t n) { return (n + dot_block - 1) / dot_block; }

  /// The streams of a, b and the partial sums, of which `layers` tells how a cache loses them; without FLOPs.
  static Work traffic(const Parameters& p, std::vector<Stream::Layer> layers) {
    const std::uint64_t n = p.integer("n"), blocks = blocks_of(n), real = sizeof(Real);
    return {.streams = {{.array = "a", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
                        {.array = "b", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
                        {.array = "partial",
                         .footprint_bytes = blocks * real,
                         .written = true,
                         .stores = blocks,
                         .element_bytes = real,
                         .layers = std::move(layers)}}};
  }

  DotData(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : a_(p.integer("n"), memory),
        b_(a_.size(), memory),
        partial_(blocks_of(a_.size()), memory),
        arguments_{a_.data(), b_.data(), partial_.data(), a_.size()} {}

  std::size_t extent() const override { return partial_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    a_.fill(begin * dot_block, last_of(end), [](std::size_t i) { return Real(varied(1, i)); });
    b_.fill(begin * dot_block, last_of(end), [](std::size_t i) { return Real(varied(2, i)); });
    partial_.fill(begin, end, [](std::size_t) { return Real(0.5); });
  }
  const void* arguments() const override { return &arguments_; }

  double error() const override {
    LargestError largest;
    const auto partial = partial_.to_host();
    for (std::size_t block = 0; block < partial.size(); ++block) {
      long double exact = 0;
      for (std::size_t i = block * dot_block; i < last_of(block + 1); ++i)
        exact += static_cast<long double>(Real(varied(1, i))) * static_cast<long double>(Real(varied(2, i)));
      largest.compare(partial[block], exact);
    }
    return largest.value();
  }
  // All terms are positive; the first passes one product and the sums of its block.
  double tolerance() const override { return rounding_bound<Real>(1 + static_cast<double>(std::min(dot_block, a_.size()))); }

 protected:
  std::size_t last_of(std::size_t end_block) const { return std::min(end_block * dot_block, a_.size()); }

  ArrayOf<Real> a_, b_, partial_;
  Dot<Real> arguments_;
};

inline std::vector<ParameterSpec> dot_parameters() {
  return {{.name = "n", .preset = std::int64_t{1} << 20, .description = "elements of each array", .max = std::int64_t{1} << 40}};
}

}  // namespace plumbline
