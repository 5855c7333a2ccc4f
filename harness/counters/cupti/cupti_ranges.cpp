#include "counters/cupti/cupti_ranges.hpp"

#include <string>
#include <utility>

#include "counters/cupti/cupti_library.hpp"

namespace plumbline {
namespace {

CuptiTarget current_target(const CuptiLibrary& cupti, const CudaDriver& driver) {
  void* const context = driver.context();
  if (context == nullptr) cupti.require_success(CUPTI_ERROR_INVALID_CONTEXT, "cuCtxGetCurrent", __FILE__, __LINE__);
  return {context, driver.ordinal()};
}

}  // namespace

CuptiRanges::CuptiRanges(const CuptiLibrary& cupti, const CudaDriver& driver, std::vector<std::string> metrics, std::size_t most_ranges)
    : driver_(driver),
      most_ranges_(most_ranges),
      profiler_(cupti, current_target(cupti, driver), std::move(metrics), RangeOf::caller, most_ranges) {}

void CuptiRanges::wait() const {
  if (const std::string why = driver_.wait(); !why.empty()) throw io_error("the GPU's work failed: " + why);
}

void CuptiRanges::begin_pass() {
  wait();
  entered_ = 0;
  profiler_.start();
}

void CuptiRanges::enter() {
  wait();
  profiler_.push(std::to_string(entered_++).c_str());
}

void CuptiRanges::leave() {
  wait();
  profiler_.pop();
}

}  // namespace plumbline
