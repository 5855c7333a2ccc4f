// A library that answers like NVIDIA's driver and CUPTI on a node with GPUs, as far as counting asks, for machines that have none. It
// holds to CUPTI's order of calls: what comes out of turn is refused. One unit of work counts 1, 2, 3, ... of the metrics of a
// configuration in their order, or 1 of each (alike: arithmetic is of doubles alone).
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "stand_in_state.hpp"

using namespace stand_in;

namespace {

struct Image {
  std::uint64_t passes, metrics;
};
struct CounterData {  // and the work of each range behind it
  std::uint64_t magic, ranges;
};

/// A range is called by its number, and the counter data has the ranges by their names: 0 1 10 11 2 ...
std::vector<std::string> names_of(std::size_t ranges) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranges; ++i) names.push_back(std::to_string(i));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::uint64_t> by_name(const std::vector<std::uint64_t>& work) {
  std::vector<std::uint64_t> ordered;
  for (const auto& name : names_of(work.size())) ordered.push_back(work[std::stoul(name)]);
  return ordered;
}

double value_of(const std::string& metric, std::size_t place, std::uint64_t marked_work) {
  const bool is_arithmetic = metric.starts_with("sm__") && metric.find("op") != metric.npos;
  if ((marked_work & no_arithmetic) != 0 && is_arithmetic) return 0;
  const std::uint64_t work = marked_work & ~no_arithmetic;
  const auto elements = static_cast<double>(work);
  if (settings.clock_hz > 0) {
    if (metric == "gpu__time_duration.sum") return elements;
    if (metric == "sm__cycles_elapsed.avg.per_second") return settings.clock_hz;
    if (metric == "sm__cycles_elapsed.avg") return elements * 1e-9 * settings.clock_hz;
    if (metric == "sm__cycles_elapsed.max") return elements * 1e-9 * settings.clock_hz + 10;
    if (metric == "sm__warps_active.avg.pct_of_peak_sustained_active") return work == 0 ? std::nan("") : 62.5;
  }
  const bool is_other_arithmetic = metric.starts_with("sm") && metric.find("op") != metric.npos && metric.find("_op_d") == metric.npos;
  if (settings.alike) return is_other_arithmetic ? 0 : elements;
  return static_cast<double>(place + 1) * elements;
}

/// A line in the file STAND_IN_CUPTI_CALLS for each call of those that take long or put hooks into a driver.
void write_down(const char* call) {
  static const char* const path = std::getenv("STAND_IN_CUPTI_CALLS");
  static std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", call);
  std::fflush(file);
}

}  // namespace

/// A whole program is told by its surroundings.
__attribute__((constructor)) void set_by_the_environment() {
  if (const char* refused = std::getenv("STAND_IN_CUPTI_ENABLE")) settings.enable = std::atoi(refused);
  if (const char* refused = std::getenv("STAND_IN_CUPTI_SUBSCRIBE")) settings.subscribe = std::atoi(refused);
  if (const char* gpus = std::getenv("STAND_IN_CUPTI_GPUS")) settings.devices = std::atoi(gpus);
  if (const char* clock = std::getenv("STAND_IN_CUPTI_CLOCK_HZ")) settings.clock_hz = std::atof(clock);
  if (const char* refused = std::getenv("STAND_IN_CUPTI_EMPTY_RANGE")) settings.empty_range = std::atoi(refused);
  if (std::getenv("STAND_IN_CUPTI_DROPS_EMPTY_RANGES") != nullptr) settings.drops_empty_ranges = true;
  if (std::getenv("STAND_IN_CUPTI_DROPS_A_RANGE") != nullptr) settings.drops_a_range = true;
  if (std::getenv("STAND_IN_CUPTI_ALIKE") != nullptr) settings.alike = true;
  if (std::getenv("STAND_IN_CUPTI_HANGS") != nullptr) settings.hangs = true;
}

// A test sets and sees the stand-in by these functions.
STAND_IN void stand_in_reset() {
  settings = {}, work_done = unfinished = 0, current = context_at(0), listening.clear(), sessions = availability_asked = 0;
  reset_activities();
}
STAND_IN void stand_in_driver(int result, int devices) { settings.driver = result, settings.devices = devices; }
STAND_IN void stand_in_enable(int result) { settings.enable = result; }
STAND_IN void stand_in_vgpu(int level) { settings.vgpu = level, settings.supported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED; }
STAND_IN void stand_in_subscribe(int result) { settings.subscribe = result; }
STAND_IN void stand_in_further_passes(int passes) { settings.further_passes = passes; }
STAND_IN void stand_in_configure(int result) { settings.configure = result; }
STAND_IN void stand_in_never_done() { settings.never_done = true; }
STAND_IN void stand_in_nothing_is_no_number() { settings.nothing_is_no_number = true; }
STAND_IN void stand_in_clock(double hertz) { settings.clock_hz = hertz; }
STAND_IN int stand_in_sessions() { return sessions; }
STAND_IN int stand_in_availability_asked() { return availability_asked; }
STAND_IN void stand_in_drops_a_range() { settings.drops_a_range = true; }
STAND_IN void stand_in_drops_empty_ranges() { settings.drops_empty_ranges = true; }
STAND_IN void stand_in_empty_range(int result) { settings.empty_range = result; }
STAND_IN void stand_in_synchronize(int result) { settings.synchronize = result; }
STAND_IN void stand_in_configures_once() { settings.configures_once = true; }
STAND_IN void stand_in_context(bool there) { current = there ? context_at(0) : nullptr; }
STAND_IN void stand_in_chip(const char* name) { settings.chip = name; }
/// Counts what is still open; the profiler stays initialized to the end of the process.
STAND_IN int stand_in_still_open() { return enabled + subscribers + chips; }
/// A launch by the runtime, which launches by the driver; the work is done only when someone waits for it.
STAND_IN void stand_in_launch(std::uint64_t work) {
  correlation = next_correlation();
  call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER);
  run(work);
  record_kernel("", work);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT);
  call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, CUPTI_API_EXIT);
}
STAND_IN void stand_in_launch_by_driver() {
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_EXIT);
}
STAND_IN void stand_in_launch_graph() {
  call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, CUPTI_API_EXIT);
}

// CUPTI's host side.
STAND_IN CUptiResult cuptiGetVersion(uint32_t* version) { return *version = 130001, CUPTI_SUCCESS; }
STAND_IN CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  static std::string words;
  return words = "made-up result " + std::to_string(result), *text = words.c_str(), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params* p) {
  static const char* names[] = {"GH100", "GB100"};
  return p->numChips = 2, p->ppChipNames = names, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  return ++chips, p->pHostObject = new CUpti_Profiler_Host_Object{p->pCounterAvailabilityImage != nullptr, {}}, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  return --chips, delete p->pHostObject, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* p) {
  return std::strstr(p->pMetricName, "unknown") != nullptr ? CUPTI_ERROR_INVALID_METRIC_NAME : CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  p->pHostObject->metrics.assign(p->ppMetricNames, p->ppMetricNames + p->numMetrics);
  return CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  return p->configImageSize = sizeof(Image), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  Image image{1, p->pHostObject->metrics.size()};
  for (const auto& metric : p->pHostObject->metrics)
    if (metric.find("three_passes") != metric.npos) image.passes = 3;
  if (p->pHostObject->of_this_gpu) image.passes += static_cast<std::uint64_t>(settings.further_passes);
  return std::memcpy(p->pConfigImage, &image, sizeof image), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  Image image;
  std::memcpy(&image, p->pConfigImage, sizeof image);
  return p->numOfPasses = image.passes, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  std::uint64_t work = 0;
  std::memcpy(&work, p->pCounterDataImage + sizeof(CounterData) + p->rangeIndex * sizeof work, sizeof work);
  for (std::size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = work == 0 && settings.nothing_is_no_number ? std::nan("") : value_of(p->ppMetricNames[i], i, work);
  return CUPTI_SUCCESS;
}

// CUPTI on the GPU.
STAND_IN CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return write_down("initialize"), ++profilers, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  const auto yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  p->isSupported = static_cast<CUpti_Profiler_Support_Level>(settings.supported);
  p->vGpu = static_cast<CUpti_Profiler_Support_Level>(settings.vgpu);
  p->architecture = p->sli = p->confidentialCompute = p->cmp = p->wsl = yes;
  return CUPTI_SUCCESS;
}
/// Gives the chip's name as CUPTI 13.0 does, which has no list of GPUs before it is initialized and looks into it all the same.
STAND_IN CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  if (profilers == 0) std::raise(SIGSEGV);
  return p->pChipName = settings.chip, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* p) {
  return ++availability_asked, p->counterAvailabilityImageSize = 8, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  if (settings.enable != 0) return static_cast<CUptiResult>(settings.enable);
  if (profilers == 0) return CUPTI_ERROR_NOT_INITIALIZED;
  ++enabled, ++sessions, write_down("enable");
  profilers_on.push_back(p->pRangeProfilerObject = new CUpti_RangeProfiler_Object{.context = p->ctx});
  return CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* p) {
  return --enabled, std::erase(profilers_on, p->pRangeProfilerObject), delete p->pRangeProfilerObject, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  return p->counterDataSize = sizeof(CounterData) + p->maxNumOfRanges * sizeof(std::uint64_t), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  const CounterData none{0x600d, 0};
  return std::memcpy(p->pCounterData, &none, sizeof none), p->pRangeProfilerObject->emptied = true, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  if (settings.configure != 0) return static_cast<CUptiResult>(settings.configure);
  if (!ranges.emptied || ranges.started) return CUPTI_ERROR_INVALID_OPERATION;
  const std::vector<std::uint8_t> configuration(p->pConfig, p->pConfig + p->configSize);
  if (ranges.first_configuration.empty()) ranges.first_configuration = configuration;
  if (settings.configures_once && ranges.first_configuration != configuration) return CUPTI_ERROR_INVALID_OPERATION;
  ranges.of_kernels = p->range == CUPTI_AutoRange;
  if ((p->replayMode == CUPTI_KernelReplay) != ranges.of_kernels) return CUPTI_ERROR_INVALID_PARAMETER;
  ranges.most_ranges = p->maxRangesPerPass;
  if (p->counterDataImageSize != sizeof(CounterData) + ranges.most_ranges * sizeof(std::uint64_t)) return CUPTI_ERROR_INVALID_PARAMETER;
  Image image;
  std::memcpy(&image, p->pConfig, sizeof image);
  ranges.passes = image.passes, ranges.passes_had = 0, ranges.counter_data = p->pCounterDataImage, ranges.ranges.clear(),
  ranges.configured = true, ranges.launched.clear();
  return CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  while (settings.hangs) pause();
  if (!ranges.configured || ranges.started || ranges.passes_had == ranges.passes) return CUPTI_ERROR_INVALID_OPERATION;
  return ranges.started = true, ranges.range = 0, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  if (!ranges.started || ranges.pushed || ranges.of_kernels || p->pRangeName == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  if (ranges.range == ranges.most_ranges) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (p->pRangeName != std::to_string(ranges.range)) return CUPTI_ERROR_INVALID_PARAMETER;
  if (ranges.passes_had == 0) ranges.ranges.push_back(0);
  return ranges.work_before = work_done, ranges.pushed = true, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  if (!ranges.pushed) return CUPTI_ERROR_INVALID_OPERATION;
  if (settings.empty_range != 0 && work_done == ranges.work_before) return static_cast<CUptiResult>(settings.empty_range);
  ranges.ranges.at(ranges.range++) += work_done - ranges.work_before;
  return ranges.pushed = false, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  if (!ranges.started || ranges.pushed) return CUPTI_ERROR_INVALID_OPERATION;
  ranges.started = false;
  if (settings.never_done) return p->isAllPassSubmitted = 0, CUPTI_SUCCESS;
  ranges.passes_had = ranges.of_kernels ? ranges.passes : ranges.passes_had + 1;
  return p->isAllPassSubmitted = ranges.passes_had == ranges.passes, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  auto& ranges = *p->pRangeProfilerObject;
  if (ranges.started || ranges.passes_had != ranges.passes) return CUPTI_ERROR_INVALID_OPERATION;
  auto work = ranges.of_kernels ? ranges.launched : ranges.ranges;
  if (!ranges.of_kernels)
    for (std::uint64_t& one : work) one /= ranges.passes;
  if (settings.drops_empty_ranges && !ranges.of_kernels) std::erase(work, 0U);
  work.resize(std::min(work.size() - (settings.drops_a_range ? 1 : 0), ranges.most_ranges));
  work = by_name(work);
  const CounterData data{0x600d, work.size()};
  std::memcpy(ranges.counter_data, &data, sizeof data);
  std::memcpy(ranges.counter_data + sizeof data, work.data(), work.size() * sizeof work.front());
  return ranges.configured = ranges.emptied = false, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  CounterData data;
  std::memcpy(&data, p->pCounterDataImage, sizeof data);
  return p->numTotalRanges = data.ranges, CUPTI_SUCCESS;
}

STAND_IN CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* p) {
  static std::string name;
  CounterData data;
  std::memcpy(&data, p->pCounterDataImage, sizeof data);
  return name = names_of(data.ranges).at(p->rangeIndex), p->rangeName = name.c_str(), CUPTI_SUCCESS;
}

// CUPTI's callbacks.
STAND_IN CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc called, void* user) {
  if (settings.subscribe != 0) return static_cast<CUptiResult>(settings.subscribe);
  return ++subscribers, subscriber = {called, user}, *handle = &subscriber, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return --subscribers, listening.clear(), CUPTI_SUCCESS; }
STAND_IN CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const std::pair<int, unsigned> one{domain, id};
  std::erase(listening, one);
  if (enable != 0) listening.push_back(one);
  return CUPTI_SUCCESS;
}
