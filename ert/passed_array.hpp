// The data of ERT's loops are an array whose values each pass moves and the next one moves back, and how many passes each part has seen.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>

#include "core/kernel_data.hpp"

namespace plumbline {

template <class Loop, class Real>
class PassedArray : public KernelData<Loop> {
 public:
  /// The traffic that `repeat` passes with k FLOPs an element move; without their FLOPs.
  static Work swept(std::uint64_t n, std::uint64_t repeat, std::uint64_t k) {
    const std::uint64_t real = sizeof(Real);
    Work work{.streams = {{.array = "a",
                           .footprint_bytes = n * real,
                           .read = true,
                           .written = true,
                           .loads = repeat * n,
                           .stores = repeat * n,
                           .element_bytes = real}},
              .paper = {{"paper.flops", repeat * n * k}, {"paper.bytes", 2 * repeat * n * real}}};
    if (repeat > 1) work.streams[0].layers = {{.reuse_bytes = n * real, .fetched_bytes = repeat * n * real}};
    return work;
  }

  PassedArray(std::size_t n, std::size_t grain, std::pmr::memory_resource& memory)
      : a_(n, memory), passes_(n / grain + 1, memory), grain_(grain) {}

  std::size_t extent() const final { return a_.size(); }
  std::size_t grain() const final { return grain_; }
  void initialise(std::size_t begin, std::size_t end) final {
    for (std::size_t i = begin; i < end; ++i) a_[i] = Real(varied(1, i));
    for (std::size_t i = begin / grain_; i < (end + grain_ - 1) / grain_; ++i) passes_[i] = 0;
    if (end == extent()) passes_[passes_.size() - 1] = 0;
  }

  double error() const final {
    double worst = 0;
    std::uint64_t passes = 0;  // of the part that i lies in
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (i % grain_ == 0 && passes_[i / grain_] != 0) passes = passes_[i / grain_];
      if (passes == 0) return HUGE_VAL;  // never swept
      const double exact = expected(varied(1, i), passes);
      const double error = std::fabs((static_cast<double>(a_[i]) - exact) / exact);
      worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
    }
    return worst;
  }
  /// The tolerance follows from the numbers, which are all multiples of 2^-24: exact in fp64; in fp32 those that leave [1/2, 1) are rounded
  /// to the coarser grid above, once, and then stay on it.
  double tolerance() const final { return sizeof(Real) == 4 ? 4 * 0x1p-24 : 0; }

 protected:
  Real* values() { return a_.data(); }
  std::uint64_t* passes() { return passes_.data(); }

 private:
  /// The value that so many passes make of x.
  virtual double expected(double x, std::uint64_t passes) const = 0;

  Array<Real> a_;
  Array<std::uint64_t> passes_;
  std::size_t grain_;
};

}  // namespace plumbline
