#include "counters/cupti/cupti_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "counters/cupti/cupti_attempt.hpp"
#include "counters/cupti/cupti_calls.hpp"
#include "counters/cupti/cupti_profiler.hpp"

namespace plumbline {
namespace {

constexpr std::size_t most_ranges = 64;  // launches between two readings: of what a killed program loses, and of the counter data's memory
constexpr std::chrono::seconds patience_at_end{2};

/// A GPU, and the profiler on its first context that is still there.
struct Device {
  CountedGpu facts = {};
  void* context = nullptr;
  std::unique_ptr<CuptiProfiler> profiler = {};
  bool started = false;
  std::vector<CountedKernel*> pending = {};  // launched since it was started, in order: a range each
};

thread_local Device* launching = nullptr;  // that this thread has a counted launch on

}  // namespace

class CuptiKernels::Session {
 public:
  Session(const CuptiHost& cupti, KernelWishes wishes, LaunchPlaces places, std::function<void()> taken, std::string driver)
      : cupti_(cupti),
        wishes_(std::move(wishes)),
        places_(std::move(places)),
        taken_(std::move(taken)),
        driver_file_(std::move(driver)),
        calls_(std::make_unique<CuptiCalls>(*cupti.opened(), CallsOf::driver, [this](const CuptiCall& call) { hear(call); })) {
    calls_->listen(true);
  }

  bool end() {
    const std::unique_lock lock(mutex_, patience_at_end);
    if (!lock.owns_lock()) return false;
    for (auto& [ordinal, device] : devices_) close(device);
    ended_ = true;
    calls_.reset();
    return true;
  }

  KernelCounts counts() const {
    KernelCounts all = counts_;
    for (const auto& [ordinal, device] : devices_) all.gpus.push_back(device.facts);
    for (const auto& [key, kernel] : kernels_) all.kernels.push_back(kernel);
    return all;
  }

 private:
  void hear(const CuptiCall& call) {
    switch (call.kind) {
      case CallKind::kernel:
        return call.entered ? launch_begins(call) : launch_ends(call);
      case CallKind::graph:
        if (call.entered) graph_begins(call);
        return;
      case CallKind::capture_begins:
        return call.entered ? capture_begins() : forget_capture(call.failed);
      case CallKind::capture_ends:
        return forget_capture(!call.entered);
      case CallKind::context_ends:
        return context_ends(call.context);
      case CallKind::profiling_begins:
      case CallKind::profiling_ends:
        if (call.entered) places_.profiling(call.kind == CallKind::profiling_begins);
        return;
    }
  }

  // The lock is held while a counted launch is under way, so that ranges come in the order of the launches.
  void launch_begins(const CuptiCall& call) {
    std::unique_lock lock(mutex_);
    if (ended_) return;
    if (captures_ > 0) {
      ++counts_.captured;
      return;
    }
    Device& device = device_of(call.context);
    const std::uint32_t phase = places_.phase();
    CountedKernel& kernel = kernels_[{device.facts.ordinal, call.kernel, phase}];
    kernel.gpu = device.facts.ordinal, kernel.name = call.kernel, kernel.phase = phase;
    ++kernel.launches;
    if (device.context != call.context) {
      ++counts_.elsewhere;
      return;
    }
    if (wishes_.most_launches > 0 && kernel.launches > wishes_.most_launches) return take(device);
    if (device.pending.size() == most_ranges) take(device);
    if (!start(device)) return;
    device.pending.push_back(&kernel);
    launching = &device;
    lock.release();
  }

  // A thread whose launch is not counted has none, and no lock.
  void launch_ends(const CuptiCall& call) {
    Device* const device = std::exchange(launching, nullptr);
    if (device == nullptr) return;
    if (call.failed) {
      --device->pending.back()->launches;
      device->pending.pop_back();
    }
    mutex_.unlock();
  }

  void graph_begins(const CuptiCall& call) {
    const std::unique_lock lock(mutex_);
    ++counts_.graph_launches;
    for (auto& [ordinal, device] : devices_)
      if (device.context == call.context) take(device);
  }

  // Makes way for a capture: what the profiler does is forbidden while a stream is captured.
  void capture_begins() {
    const std::unique_lock lock(mutex_);
    for (auto& [ordinal, device] : devices_) take(device);
    ++captures_;
  }

  void forget_capture(bool is_over) {
    const std::unique_lock lock(mutex_);
    if (is_over && captures_ > 0) --captures_;
  }

  void context_ends(void* context) {
    const std::unique_lock lock(mutex_);
    for (auto& [ordinal, device] : devices_)
      if (device.context == context) close(device);
  }

  Device& device_of(void* context) {
    if (!driver_) driver_.emplace(driver_file_);  // here: the driver is not ready when the program's first call of it loads this
    const int ordinal = driver_->ordinal();
    auto& device = devices_[ordinal];
    device.facts.ordinal = ordinal;
    if (device.context == nullptr && device.facts.availability.ok()) open(device, context);
    return device;
  }

  void open(Device& device, void* context) {
    device.context = context;
    guard(device, [&] {
      device.facts.chip = cupti_chip_of(*cupti_.opened(), device.facts.ordinal);
      device.facts.compute_capability = driver_->compute_capability();
      device.facts.metrics = metrics_of(device.facts.chip);
      device.profiler = std::make_unique<CuptiProfiler>(*cupti_.opened(), CuptiTarget{context, device.facts.ordinal}, device.facts.metrics,
                                                        RangeOf::kernel, most_ranges);
      device.facts.passes = device.profiler->passes();
    });
  }

  std::vector<std::string> metrics_of(const std::string& chip) const {
    const auto wanted = wishes_.metrics.find(chip);
    if (wanted == wishes_.metrics.end()) throw io_error("no event table for the chip " + chip);
    std::vector<std::string> known;
    const auto unknown = cupti_.unknown_metrics(chip, wanted->second);
    for (const auto& metric : wanted->second)
      if (std::find(unknown.begin(), unknown.end(), metric) == unknown.end()) known.push_back(metric);
    return known;
  }

  bool start(Device& device) {
    if (device.profiler == nullptr || device.started) return device.started;
    guard(device, [&] { device.profiler->start(); });
    return device.started = device.profiler != nullptr;
  }

  /// Stops the profiler, and adds up what it counted since it was started.
  void take(Device& device) {
    if (!device.started) return;
    device.started = false;
    guard(device, [&] {
      const bool all_passes = device.profiler->stop();
      const auto ranges = device.profiler->take();
      if (!all_passes || ranges.size() != device.pending.size())
        throw io_error("CUPTI counted " + std::to_string(ranges.size()) + " ranges of " + std::to_string(device.pending.size()) +
                       " launches" + (all_passes ? "" : ", and not in all passes"));
      for (std::size_t i = 0; i < ranges.size(); ++i) add(*device.pending[i], ranges[i]);
      device.pending.clear();
    });
    taken_();
  }

  static void add(CountedKernel& kernel, const std::vector<double>& values) {
    kernel.sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) kernel.sums[i] += values[i];
    ++kernel.counted;
  }

  void close(Device& device) {
    take(device);
    device.profiler.reset();
    device.context = nullptr;
  }

  /// Does `act`; a failure ends the counting on this GPU, and the program goes on.
  template <class Act>
  void guard(Device& device, Act act) {
    const Availability went = cupti_attempt(*cupti_.opened(), act);
    if (went.ok()) return;
    device.facts.availability = went;
    counts_.lost += device.pending.size();
    device.pending.clear();
    device.started = false;
    device.profiler.reset();
  }

  const CuptiHost& cupti_;
  const KernelWishes wishes_;
  const LaunchPlaces places_;
  const std::function<void()> taken_;
  const std::string driver_file_;
  std::recursive_timed_mutex mutex_;
  std::optional<CudaDriver> driver_;
  std::map<int, Device> devices_;
  std::map<std::tuple<int, std::string, std::uint32_t>, CountedKernel> kernels_;
  KernelCounts counts_;
  int captures_ = 0;  // of streams, under way
  bool ended_ = false;
  std::unique_ptr<CuptiCalls> calls_;
};

CuptiKernels::CuptiKernels(const CuptiHost& cupti, KernelWishes wishes, LaunchPlaces places, std::function<void()> taken,
                           std::string driver)
    : session_(std::make_unique<Session>(cupti, std::move(wishes), std::move(places), std::move(taken), std::move(driver))) {}
CuptiKernels::~CuptiKernels() { end(); }
bool CuptiKernels::end() { return session_->end(); }
KernelCounts CuptiKernels::counts() const { return session_->counts(); }

std::unique_ptr<CuptiKernels> count_kernels(const CuptiHost& cupti, KernelWishes wishes, LaunchPlaces places, std::function<void()> taken,
                                            Availability& why_not, const std::string& driver) {
  std::unique_ptr<CuptiKernels> kernels;
  why_not = cupti.availability();
  if (why_not.ok())
    why_not = cupti_attempt(*cupti.opened(), [&] {
      kernels = std::make_unique<CuptiKernels>(cupti, std::move(wishes), std::move(places), std::move(taken), driver);
    });
  return kernels;
}

}  // namespace plumbline
