// CUPTI's range profiler over the current context tells what metrics came to in one range of work, pass by pass.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_profiler.hpp"

namespace plumbline {

/// The profiler is on while this lives. A pass goes from begin_pass() to end_pass(), and is run again until end_pass() says that every pass
/// was had; in each the same ranges are entered and left in the same order. Whatever CUPTI refuses is thrown as CuptiError:
/// cupti_refusals.hpp has the words.
class CuptiRanges {
 public:
  /// Makes the profiler in the context that is current, with room for so many ranges in a pass.
  CuptiRanges(const CuptiLibrary& cupti, const CudaDriver& driver, std::vector<std::string> metrics, std::size_t most_ranges = 1);

  /// The number of times that the ranges have to run.
  std::size_t passes() const { return profiler_.passes(); }
  std::size_t most_ranges() const { return most_ranges_; }
  void begin_pass();
  /// Enters the pass's next range. Both this and leave() wait for the context's work, so that the range holds what is launched between them
  /// and nothing else.
  void enter();
  void leave();
  /// Whether all passes were had.
  bool end_pass() { return profiler_.stop(); }
  /// Takes the results then: [range][metric], in the order of a pass. The next begin_pass() starts anew.
  std::vector<std::vector<double>> take() { return profiler_.take(); }

 private:
  void wait() const;

  const CudaDriver& driver_;
  const std::size_t most_ranges_;
  CuptiProfiler profiler_;
  std::size_t entered_ = 0;  // ranges of this pass
};

}  // namespace plumbline
