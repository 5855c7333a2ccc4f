#include "counters/cupti/cupti_profiler.hpp"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "counters/cupti/cupti_library.hpp"

namespace plumbline {
namespace {

/// Puts the profiler's hooks into the driver, once for each library in a process. Before that CUPTI has no list of GPUs, and 13.0 dies of a
/// segmentation fault where it is asked for a GPU's chip.
void start_profiler(const CuptiLibrary& cupti) {
  static std::mutex mutex;
  static std::set<void*> started;
  const std::lock_guard lock(mutex);
  if (started.contains(cupti.handle)) return;
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize);
  PLUMBLINE_CUPTI(cupti, cuptiProfilerInitialize, &asked);
  started.insert(cupti.handle);
}

/// CUPTI says of each thing that it does not like whether it is so; calls would fail for it with these numbers.
void require_supported(const CuptiLibrary& cupti, int ordinal) {
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_DeviceSupported);
  asked.cuDevice = ordinal;
  asked.api = CUPTI_PROFILER_RANGE_PROFILING;
  PLUMBLINE_CUPTI(cupti, cuptiProfilerDeviceSupported, &asked);
  if (asked.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  const std::array<std::pair<CUpti_Profiler_Support_Level, CUptiResult>, 5> obstacles{
      {{asked.vGpu, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
       {asked.confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
       {asked.cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
       {asked.sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
       {asked.wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED}}};
  for (const auto& [level, result] : obstacles)
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      cupti.require_success(result, "cuptiProfilerDeviceSupported", __FILE__, __LINE__);
  cupti.require_success(CUPTI_ERROR_NOT_SUPPORTED, "cuptiProfilerDeviceSupported", __FILE__, __LINE__);
}

/// The image of what a GPU can count, once for each in a process: it takes long, and does not change.
const std::vector<std::uint8_t>& what_is_available(const CuptiLibrary& cupti, CuptiTarget target) {
  static std::map<std::pair<void*, int>, std::vector<std::uint8_t>> images;
  auto& image = images[{cupti.handle, target.ordinal}];
  if (!image.empty()) return image;
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability);
  asked.ctx = static_cast<CUcontext>(target.context);
  PLUMBLINE_CUPTI(cupti, cuptiProfilerGetCounterAvailability, &asked);
  std::vector<std::uint8_t> told(asked.counterAvailabilityImageSize);
  asked.pCounterAvailabilityImage = told.data();
  PLUMBLINE_CUPTI(cupti, cuptiProfilerGetCounterAvailability, &asked);
  return image = std::move(told);
}

/// CUPTI's object that holds the counters of a context: to enable it takes long (some 0.5 s), so that all profilers of the context share
/// one, in turn.
class Enabled {
 public:
  Enabled(const CuptiLibrary& cupti, void* context) : cupti_(cupti), context_(context) { enable(); }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;
  ~Enabled() { disable(); }

  CUpti_RangeProfiler_Object* object() const { return object_; }
  /// Whether it has the configuration of that profiler, and nobody else's since.
  bool is_configured_for(const void* profiler) const { return configured_for_ == profiler; }
  /// Hands it to a profiler, which is to configure it. Whoever finds it amid a count that never came to its end begins with a new object.
  void hand_to(const void* profiler) {
    if (is_counting_ || object_ == nullptr) renew();
    configured_for_ = profiler;
  }
  /// Whether it was not as it was first enabled, so that a new object may do what this one refused.
  bool is_used() const { return is_used_; }
  void renew() {
    disable();
    enable();
  }
  void count_begins() { is_counting_ = is_used_ = true; }
  void count_ends() { is_counting_ = false; }
  /// Forgets a profiler that ends: another one may come to lie at its address.
  void leave(const void* profiler) {
    if (is_configured_for(profiler)) configured_for_ = nullptr;
  }

 private:
  void enable() {
    is_counting_ = is_used_ = false;
    configured_for_ = nullptr;
    auto enabled = PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable);
    enabled.ctx = static_cast<CUcontext>(context_);
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerEnable, &enabled);  // here the user's rights are looked at
    object_ = enabled.pRangeProfilerObject;
  }
  void disable() {
    if (object_ == nullptr) return;
    auto disabled = PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable);
    disabled.pRangeProfilerObject = std::exchange(object_, nullptr);
    PLUMBLINE_CUPTI_RESULT(cupti_, cuptiRangeProfilerDisable, &disabled);
  }

  const CuptiLibrary& cupti_;
  void* const context_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  const void* configured_for_ = nullptr;
  bool is_counting_ = false, is_used_ = false;
};

/// The object of that context, which is enabled where nobody has it.
std::shared_ptr<Enabled> enabled_in(const CuptiLibrary& cupti, void* context) {
  static std::mutex mutex;
  static std::map<std::pair<void*, void*>, std::weak_ptr<Enabled>> all;
  const std::lock_guard lock(mutex);
  auto& known = all[{cupti.handle, context}];
  auto shared = known.lock();
  if (!shared) known = shared = std::make_shared<Enabled>(cupti, context);
  return shared;
}

}  // namespace

std::string cupti_chip_of(const CuptiLibrary& cupti, int ordinal) {
  start_profiler(cupti);
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Device_GetChipName);
  asked.deviceIndex = static_cast<std::size_t>(ordinal);
  PLUMBLINE_CUPTI(cupti, cuptiDeviceGetChipName, &asked);
  return asked.pChipName;
}

class CuptiProfiler::Session {
 public:
  Session(const CuptiLibrary& cupti, CuptiTarget target, std::vector<std::string> metrics, RangeOf range_of, std::size_t most_ranges)
      : cupti_(cupti),
        metrics_(std::move(metrics)),
        range_of_(range_of),
        most_ranges_(most_ranges),
        chip_((start_profiler(cupti), require_supported(cupti, target.ordinal), cupti), cupti_chip_of(cupti, target.ordinal),
              what_is_available(cupti, target)),
        enabled_(enabled_in(cupti, target.context)) {
    if (!chip_.schedule(metrics_))
      cupti_.require_success(CUPTI_ERROR_NOT_SUPPORTED, "cuptiProfilerHostConfigAddMetrics", __FILE__, __LINE__);
    config_ = chip_.config_image();
    passes_ = chip_.passes(config_);
    auto names = c_strings(metrics_);
    auto size = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize));
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = most_ranges_;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most_ranges_);
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerGetCounterDataSize, &size);
    counter_data_.resize(size.counterDataSize);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { enabled_->leave(this); }

  std::size_t passes() const { return passes_; }

  void start() {
    if (!readied_ || !enabled_->is_configured_for(this)) ready();
    enabled_->count_begins();
    auto start = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start));
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerStart, &start);
  }

  void push(const char* name) {
    auto push = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange));
    push.pRangeName = name;
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerPushRange, &push);
  }

  void pop() {
    auto pop = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange));
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerPopRange, &pop);
  }

  bool stop() {
    auto stop = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop));
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerStop, &stop);
    return stop.isAllPassSubmitted != 0;
  }

  std::vector<std::vector<double>> take() {
    readied_ = false;
    auto decoded = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData));
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerDecodeData, &decoded);
    auto had = PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo);
    had.pCounterDataImage = counter_data_.data();
    had.counterDataImageSize = counter_data_.size();
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerGetCounterDataInfo, &had);
    std::vector<std::vector<double>> values;
    for (const std::size_t range : in_order(had.numTotalRanges)) values.push_back(chip_.values(counter_data_, range, metrics_));
    enabled_->count_ends();
    return values;
  }

 private:
  template <class Parameters>
  Parameters of_ranges(Parameters parameters) const {
    parameters.pRangeProfilerObject = enabled_->object();
    return parameters;
  }

  /// The ranges as they were had. Their names are numbers, of launches CUPTI's own; nothing says that the counter data has them in that
  /// order.
  std::vector<std::size_t> in_order(std::size_t ranges) const {
    std::vector<std::size_t> order(ranges);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::size_t> numbers;
    for (const std::size_t range : order) numbers.push_back(number_of(range));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    return order;
  }

  std::size_t number_of(std::size_t range) const {
    auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo);
    asked.pCounterDataImage = counter_data_.data();
    asked.counterDataImageSize = counter_data_.size();
    asked.rangeIndex = range;
    asked.rangeDelimiter = "/";
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerCounterDataGetRangeInfo, &asked);
    const std::string name = asked.rangeName == nullptr ? "" : asked.rangeName;
    std::size_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ptr != name.data() + name.size() || name.empty())
      throw io_error("CUPTI calls a range '" + name + "', which is no number");
    return number;
  }

  /// Empties the counter data and begins with the first pass. An object that refuses another configuration is enabled anew, once.
  void ready() {
    enabled_->hand_to(this);
    CUptiResult result = configure();
    if (result != CUPTI_SUCCESS && enabled_->is_used()) {
      enabled_->renew();
      enabled_->hand_to(this);
      result = configure();
    }
    cupti_.require_success(result, "cuptiRangeProfilerSetConfig", __FILE__, __LINE__);
    readied_ = true;
  }

  CUptiResult configure() {
    auto emptied = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize));
    emptied.counterDataSize = counter_data_.size();
    emptied.pCounterData = counter_data_.data();
    PLUMBLINE_CUPTI(cupti_, cuptiRangeProfilerCounterDataImageInitialize, &emptied);
    auto config = of_ranges(PLUMBLINE_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig));
    config.configSize = config_.size();
    config.pConfig = config_.data();
    config.counterDataImageSize = counter_data_.size();
    config.pCounterDataImage = counter_data_.data();
    config.range = range_of_ == RangeOf::caller ? CUPTI_UserRange : CUPTI_AutoRange;
    config.replayMode = range_of_ == RangeOf::caller ? CUPTI_UserReplay : CUPTI_KernelReplay;
    config.maxRangesPerPass = most_ranges_;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    return PLUMBLINE_CUPTI_RESULT(cupti_, cuptiRangeProfilerSetConfig, &config);
  }

  const CuptiLibrary& cupti_;
  const std::vector<std::string> metrics_;
  const RangeOf range_of_;
  const std::size_t most_ranges_;
  const CuptiChip chip_;
  const std::shared_ptr<Enabled> enabled_;
  std::vector<std::uint8_t> config_, counter_data_;
  std::size_t passes_ = 0;
  bool readied_ = false;
};

CuptiProfiler::CuptiProfiler(const CuptiLibrary& cupti, CuptiTarget target, std::vector<std::string> metrics, RangeOf range_of,
                             std::size_t most_ranges)
    : session_(std::make_unique<Session>(cupti, target, std::move(metrics), range_of, most_ranges)) {}
CuptiProfiler::~CuptiProfiler() = default;

std::size_t CuptiProfiler::passes() const { return session_->passes(); }
void CuptiProfiler::start() { session_->start(); }
void CuptiProfiler::push(const char* name) { session_->push(name); }
void CuptiProfiler::pop() { session_->pop(); }
bool CuptiProfiler::stop() { return session_->stop(); }
std::vector<std::vector<double>> CuptiProfiler::take() { return session_->take(); }

}  // namespace plumbline
