// The time of what a library queues is taken by events, so that the fastest of its ways can be kept.
#pragma once
#include <cmath>
#include <limits>

#include "cuda/fastest.hpp"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

class Event {
 public:
  Event() { PLUMBLINE_CUDA(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record() { PLUMBLINE_CUDA(cudaEventRecord(event_, stream())); }
  /// The seconds from `begin` on, once both are done; waits.
  double seconds_since(const Event& begin) {
    PLUMBLINE_CUDA(cudaEventSynchronize(event_));
    float milliseconds = 0;
    PLUMBLINE_CUDA(cudaEventElapsedTime(&milliseconds, begin.event_, event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The seconds of what queue() queues, which says whether it could; NaN where it could not. The first time loads its code.
template <class Queue>
double queued_seconds(Queue queue) {
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  const auto timed = [&](int times) {
    Event begin, end;
    begin.record();
    for (int i = 0; i < times; ++i)
      if (!queue()) return never;
    end.record();
    return end.seconds_since(begin) / times;
  };
  if (std::isnan(timed(1))) return never;
  const double once = timed(1);
  const int times = times_to_time(once);
  return times == 1 ? once : timed(times);
}

}  // namespace plumbline::cuda
