// The stand-ins for NVIDIA's driver (stand_in_driver.cpp) and for CUPTI (stand_in_cupti.cpp) share this: one library is both.
#pragma once
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_runtime_cbid.h>
#include <cupti_target.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define STAND_IN extern "C" __attribute__((visibility("default")))

struct CUpti_Profiler_Host_Object {
  bool of_this_gpu;
  std::vector<std::string> metrics;
};
struct CUpti_RangeProfiler_Object {
  CUcontext context = nullptr;
  bool of_kernels = false;  // auto range, kernel replay
  bool configured = false, started = false, pushed = false, emptied = false;
  std::size_t passes = 1, passes_had = 0, most_ranges = 1;
  std::vector<std::uint64_t> launched = {};  // the work of each
  std::vector<std::uint64_t> ranges = {};    // that of the caller's ranges, over all passes
  std::size_t range = 0;                     // that comes next in this pass
  std::uint8_t* counter_data = nullptr;
  std::vector<std::uint8_t> first_configuration = {};
  std::uint64_t work_before = 0;
};
struct CUpti_Subscriber_st {
  CUpti_CallbackFunc called;
  void* user;
};

namespace stand_in {

// A GPU's own context, and further ones of it: context i is on GPU i % most_gpus.
constexpr std::size_t most_gpus = 4;
inline std::array<char, 2 * most_gpus> contexts{};
inline CUcontext context_at(std::size_t i) { return reinterpret_cast<CUcontext>(&contexts[i]); }
inline thread_local CUcontext current = context_at(0);

struct Settings {
  int driver = 0, devices = 1, enable = 0, supported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
      vgpu = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  int subscribe = 0, further_passes = 0, configure = 0, empty_range = 0;  // the last: what popping a range without work is refused with
  int synchronize = 0;
  bool hangs = false;  // where a count starts
  bool alike = false;  // the place of a metric does not matter
  bool never_done = false, nothing_is_no_number = false, drops_a_range = false, drops_empty_ranges = false, configures_once = false;
  const char* chip = "GH100";
  double clock_hz = 0;  // if any: time, cycles and occupancy are those of a GPU on that clock that works on an element in a nanosecond
};
inline Settings settings;
inline std::uint64_t work_done = 0, unfinished = 0;
inline int profilers = 0, enabled = 0, subscribers = 0, chips = 0, sessions = 0, availability_asked = 0;
inline std::vector<CUpti_RangeProfiler_Object*> profilers_on;
inline CUpti_Subscriber_st subscriber;
inline std::vector<std::pair<int, unsigned>> listening;

inline thread_local std::uint32_t correlation = 0;  // of the call that is under way

inline bool is_listened_to(CUpti_CallbackDomain domain, unsigned id) {
  return std::find(listening.begin(), listening.end(), std::pair<int, unsigned>(domain, id)) != listening.end();
}

inline void call(CUpti_CallbackDomain domain, unsigned id, CUpti_ApiCallbackSite site, const char* kernel = nullptr, int result = 0) {
  if (!is_listened_to(domain, id)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.symbolName = kernel;
  data.context = current;
  data.correlationId = correlation;
  data.functionReturnValue = &result;
  subscriber.called(subscriber.user, domain, id, &data);
}

/// A kernel, copy or setting of memory is done on the GPU: CUPTI keeps a record of it, where that is on. stand_in_activities.cpp.
void record_kernel(const char* name, std::uint64_t work, std::uint64_t graph_node = 0);
void record_copy(CUpti_ActivityMemcpyKind kind, std::uint64_t bytes);
void record_setting(std::uint64_t bytes);
void reset_activities();
/// A new number for a call.
std::uint32_t next_correlation();

// The work of a kernel without arithmetic (its name begins with "copy") is marked, as far as its counters go.
constexpr std::uint64_t no_arithmetic = std::uint64_t{1} << 63;

/// A launch of the driver's: CUPTI runs it for each pass, where it is on.
inline void run(std::uint64_t work, std::string_view name = "") {
  unfinished += work;
  if (name.starts_with("copy")) work |= no_arithmetic;
  for (auto* ranges : profilers_on)
    if (ranges->context == current && ranges->started && ranges->of_kernels) ranges->launched.push_back(work);
}

}  // namespace stand_in
