// The parts that the data of most kernels share: the arguments of their loop, streams that a sweep passes once, and arrays of one length.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"

namespace plumbline {

/// A workload whose loop takes an aggregate: the constructor fills arguments_ in its body, when the arrays are there.
template <class Loop>
class KernelData : public Workload {
 public:
  using Arguments = Loop;
  const void* arguments() const final { return &arguments_; }

 protected:
  Arguments arguments_{};
};

/// A stream of n elements, of which a sweep loads each once.
template <class Real>
Stream loaded(std::string array, std::uint64_t n) {
  return {.array = std::move(array), .footprint_bytes = n * sizeof(Real), .read = true, .loads = n, .element_bytes = sizeof(Real)};
}
/// A stream of n elements, of which a sweep stores each once.
template <class Real>
Stream stored(std::string array, std::uint64_t n) {
  return {.array = std::move(array), .footprint_bytes = n * sizeof(Real), .written = true, .stores = n, .element_bytes = sizeof(Real)};
}

/// The value that element i of stream `stream` holds at first, as the arithmetic of a check takes it.
template <class Real>
long double given(std::uint64_t stream, std::size_t i) {
  return static_cast<long double>(Real(varied(stream, i)));
}

/// Calls see(i, element) for the elements that a check of an array compares, in order. A check of one adds up so many terms: all are
/// compared up to 2^25 terms, of more the 4096 elements at either end and each k-th between them, as far as 2^24 terms go, since a GPU and
/// the other ranks wait for what takes seconds. k is odd, so that every lane of a vector and every thread of a block is among them; what is
/// wrong in fewer than k elements in a row may be missed.
template <class Array, class See>
void read_sample(const Array& array, std::size_t terms, See see) {
  constexpr std::size_t edge = 4096, enough = std::size_t{1} << 24;
  const std::size_t n = array.size(), every = n * terms / enough | 1;
  std::size_t next = 0;
  array.read(0, n, [&](std::size_t i, const auto& element) {
    if (i < next) return;
    see(i, element);
    next = i < edge || n - i <= edge + every ? i + 1 : i + every;
  });
}

/// The usual parameter n.
inline ParameterSpec elements_of_each_array() {
  return {.name = "n", .preset = std::int64_t{1} << 20, .description = "elements of each array"};
}

/// Data of a loop that computes element i of an array from the elements i: arrays of one length, each filled with a stream of varied() of
/// its own. The computed one has stream 0 and holds 0.5 at first, which no sweep is to leave; without one, the first is computed in place.
template <class Loop, class Real, template <class> class ArrayOf>
class ElementwiseData : public KernelData<Loop> {
 public:
  using Memory = typename ArrayOf<Real>::Memory;

  std::size_t extent() const final { return arrays_.front().size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }  // threads share no line
  void initialise(std::size_t begin, std::size_t end) final {
    for (std::size_t array = 0; array < arrays_.size(); ++array) fill(array, begin, end);
  }
  double error() const final {
    LargestError largest;
    const auto computed = std::find(streams_.begin(), streams_.end(), 0U);
    read_sample(arrays_[computed == streams_.end() ? 0 : static_cast<std::size_t>(computed - streams_.begin())], terms(),
                [&](std::size_t i, const Real& element) { largest.compare(element, exact(i)); });
    return largest.value();
  }

 protected:
  /// One array of n elements for each of `streams`, in this order.
  ElementwiseData(std::uint64_t n, std::initializer_list<std::uint64_t> streams, Memory& memory) : streams_(streams) {
    for (std::size_t array = 0; array < streams_.size(); ++array) arrays_.emplace_back(n, memory);
  }
  Real* array(std::size_t number) { return arrays_[number].data(); }
  /// Elements [begin, end) of an array as they are at first.
  void fill(std::size_t number, std::size_t begin, std::size_t end) {
    const std::uint64_t stream = streams_[number];
    arrays_[number].fill(begin, end, [stream](std::size_t i) { return stream == 0 ? Real(0.5) : Real(varied(stream, i)); });
  }

 private:
  /// The value that element i of the computed array is to have.
  virtual long double exact(std::size_t i) const = 0;
  /// The number of terms that exact() adds up.
  virtual std::size_t terms() const { return 1; }

  std::vector<std::uint64_t> streams_;
  std::deque<ArrayOf<Real>> arrays_;
};

}  // namespace plumbline
