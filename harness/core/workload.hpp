// A workload is a case's data, ready to be swept. The harness owns threads, time and counters; a workload owns memory.
#pragma once
#include <cstddef>

namespace plumbline {

/// The data of one case on one rank, which a kernel's flavored loops sweep.
class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  /// The length of the index range that a sweep covers; a team splits it into contiguous parts.
  virtual std::size_t extent() const = 0;
  /// The grain: parts of the range begin at multiples of this many indices (64-byte lines, blocks).
  virtual std::size_t grain() const { return 1; }
  /// Fills the data that [begin, end) uses first: called by the thread that will sweep it (first touch). Values in [0.5, 1), never all
  /// zero.
  virtual void initialise(std::size_t begin, std::size_t end) = 0;
  /// The block of pointers and sizes that every flavor's sweep takes.
  virtual const void* arguments() const = 0;
  /// Whether a sweep must be undone before the next (in-place kernels whose values would drift).
  virtual bool restores() const { return false; }
  /// Undoes what a sweep changed in [begin, end): by the thread that sweeps it, outside the timed and counted span.
  virtual void restore(std::size_t begin, std::size_t end) { static_cast<void>(begin), static_cast<void>(end); }
  /// The largest relative error, after at least one sweep of the whole range, against arithmetic of higher precision.
  virtual double error() const = 0;
  /// The largest value that error() may have: the bound of the arithmetic, from the number of roundings.
  virtual double tolerance() const = 0;
};

}  // namespace plumbline
