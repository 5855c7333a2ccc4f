#include "counters/cupti/cupti_ranges.hpp"

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

CuptiRanges::CuptiRanges(const CuptiLibrary& cupti, const CudaDriver& driver, std::vector<std::string> metrics)
    : driver_(driver), profiler_(cupti, current_target(cupti, driver), std::move(metrics), RangeOf::caller, 1) {}

void CuptiRanges::wait() const {
  if (const std::string why = driver_.wait(); !why.empty()) throw io_error("the GPU's work failed: " + why);
}

void CuptiRanges::begin() {
  wait();
  profiler_.start();
  profiler_.push("region");
}

bool CuptiRanges::end() {
  wait();
  profiler_.pop();
  return profiler_.stop();
}

}  // namespace plumbline
