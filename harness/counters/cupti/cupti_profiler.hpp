// CUPTI's range profiler works on one context: what it is made of, configured, started, stopped and read. Who delimits the ranges is the
// configuration's: cupti_ranges.hpp and cupti_kernels.hpp are the two uses.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "counters/cupti/cupti_host.hpp"

namespace plumbline {

/// The chip of the GPU: "GH100". Throws CuptiError.
std::string cupti_chip_of(const CuptiLibrary& cupti, int ordinal);

enum class RangeOf {
  caller,  // from push() to pop(), run again by the caller until stop() says that every pass was had
  kernel   // each launch is a range, which CUPTI runs again for each pass
};

/// A context of CUDA's driver, and the number of its GPU among those that CUDA shows.
struct CuptiTarget {
  void* context = nullptr;
  int ordinal = 0;
};

/// The profiler is on while this lives; of several on one context, which share it, one at a time counts. Whatever CUPTI refuses is thrown
/// as CuptiError: cupti_refusals.hpp has the words.
class CuptiProfiler {
 public:
  /// Makes the profiler with room for at most so many ranges between two take().
  CuptiProfiler(const CuptiLibrary& cupti, CuptiTarget target, std::vector<std::string> metrics, RangeOf range_of, std::size_t most_ranges);
  CuptiProfiler(const CuptiProfiler&) = delete;
  CuptiProfiler& operator=(const CuptiProfiler&) = delete;
  ~CuptiProfiler();

  /// The number of times that the work has to run.
  std::size_t passes() const;
  /// Starts with empty counter data and from the first pass: at first, and after take().
  void start();
  void push(const char* name);
  void pop();
  /// Whether all passes were had.
  bool stop();
  /// Takes the results then: [range][metric], launches in their order.
  std::vector<std::vector<double>> take();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace plumbline
