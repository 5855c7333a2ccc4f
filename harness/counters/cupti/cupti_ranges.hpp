// CUPTI's range profiler over the current context tells what metrics came to in one range of work, pass by pass.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_profiler.hpp"

namespace plumbline {

/// The profiler is on while this lives. A range goes from begin() to end(), and is run again until end() says that every pass was had.
/// Whatever CUPTI refuses is thrown as CuptiError: cupti_refusals.hpp has the words.
class CuptiRanges {
 public:
  /// Makes the profiler in the context that is current.
  CuptiRanges(const CuptiLibrary& cupti, const CudaDriver& driver, std::vector<std::string> metrics);

  /// The number of times that a range has to run.
  std::size_t passes() const { return profiler_.passes(); }
  /// Begins a range. Both this and end() wait for the context's work, so that the range holds what is launched between them and nothing
  /// else.
  void begin();
  /// Whether all passes of the range were had.
  bool end();
  /// Takes the results then: [range][metric]. The next begin() starts anew.
  std::vector<std::vector<double>> take() { return profiler_.take(); }

 private:
  void wait() const;

  const CudaDriver& driver_;
  CuptiProfiler profiler_;
};

}  // namespace plumbline
