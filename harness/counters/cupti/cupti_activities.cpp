#include "counters/cupti/cupti_activities.hpp"

#include <cupti_activity.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "counters/cupti/cupti_attempt.hpp"
#include "counters/cupti/cupti_calls.hpp"

namespace plumbline {
namespace {

// CUPTI of CUDA 12 writes the record before this one, to which this adds at its end.
static_assert(offsetof(CUpti_ActivityKernel10, name) == offsetof(CUpti_ActivityKernel9, name));
static_assert(offsetof(CUpti_ActivityKernel10, graphNodeId) == offsetof(CUpti_ActivityKernel9, graphNodeId));

constexpr std::array wanted_kinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                  CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::uint32_t flush_milliseconds = 1000;  // what a killed program loses at most

/// The kinds of copies by CUpti_ActivityMemcpyKind.
constexpr std::array copies_in_words{
    "copy",           "copy host to device", "copy device to host", "copy host to device", "copy device to host",  "copy in device",
    "copy in device", "copy in device",      "copy in device",      "copy in host",        "copy device to device"};
constexpr const char* setting = "set memory";

double seconds(std::uint64_t begin_ns, std::uint64_t end_ns) { return 1e-9 * static_cast<double>(end_ns - begin_ns); }

double threads_of(const CUpti_ActivityKernel10& kernel) {
  double threads = 1;
  for (const auto size : {kernel.gridX, kernel.gridY, kernel.gridZ, kernel.blockX, kernel.blockY, kernel.blockZ})
    threads *= static_cast<double>(size);
  return threads;
}

void add(LaunchSums& sums, double of_seconds, double threads) {
  ++sums.launches;
  sums.seconds += of_seconds;
  sums.threads += threads;
}

/// The phases of launches, by the number that their records bear; those of the last launches.
class PhasesInFlight {
 public:
  explicit PhasesInFlight(std::size_t most) : most_(most) {}

  void add(std::uint32_t correlation, std::uint32_t phase) {
    if (phase == 0 && order_.empty()) return;  // a program without phases costs nothing
    if (!phases_.insert_or_assign(correlation, phase).second) return;
    order_.push_back(correlation);
    if (order_.size() <= most_) return;
    phases_.erase(order_.front());
    order_.pop_front();
    forgot_ = true;
  }
  /// The phase; nullopt: it may have been forgotten.
  std::optional<std::uint32_t> of(std::uint32_t correlation) const {
    const auto found = phases_.find(correlation);
    if (found != phases_.end()) return found->second;
    return forgot_ ? std::nullopt : std::optional(0U);
  }

 private:
  const std::size_t most_;
  std::unordered_map<std::uint32_t, std::uint32_t> phases_;
  std::deque<std::uint32_t> order_;
  bool forgot_ = false;
};

/// The buffers that CUPTI fills, so many at once. They are kept to the end of the process: CUPTI may hold some of them until then.
class Buffers {
 public:
  Buffers(std::size_t bytes, std::size_t most) : bytes_(bytes), left_(most) {}

  std::size_t bytes() const { return bytes_; }
  /// A buffer, or null where all are being filled.
  std::uint8_t* take() {
    if (!free_.empty()) {
      std::uint8_t* const last = free_.back();
      free_.pop_back();
      return last;
    }
    if (left_ == 0) return nullptr;
    --left_;
    return static_cast<std::uint8_t*>(std::aligned_alloc(alignof(std::max_align_t), bytes_));
  }
  void give_back(std::uint8_t* buffer) { free_.push_back(buffer); }

 private:
  const std::size_t bytes_;
  std::size_t left_;
  std::vector<std::uint8_t*> free_;
};

}  // namespace

class CuptiActivities::Session {
 public:
  Session(const CuptiHost& cupti, ActivityWishes wishes, LaunchPlaces places, std::function<void()> taken)
      : cupti_(*cupti.opened()),
        wishes_(wishes),
        places_(std::move(places)),
        taken_(std::move(taken)),
        next_record_(cupti_.function<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord")),
        in_flight_(wishes.most_in_flight),
        buffers_(wishes.buffer_bytes, wishes.most_buffers),
        calls_(std::make_unique<CuptiCalls>(cupti_, CallsOf::all, [this](const CuptiCall& call) { hear(call); })) {
    receive(this);
    try {
      PLUMBLINE_CUPTI(cupti_, cuptiActivityRegisterCallbacks, &requested, &completed);
      for (const auto kind : wanted_kinds) PLUMBLINE_CUPTI(cupti_, cuptiActivityEnable, kind);
      PLUMBLINE_CUPTI_RESULT(cupti_, cuptiActivityFlushPeriod, flush_milliseconds);  // without it a killed program loses more
      calls_->listen(true);
    } catch (...) {
      stop();
      throw;
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { end(); }

  Availability end() {
    if (std::exchange(ended_, true)) return {};
    const Availability went =
        cupti_attempt(cupti_, [this] { PLUMBLINE_CUPTI(cupti_, cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); });
    count_dropped();  // also where no buffer was ever filled
    stop();
    return went;
  }

  KernelTimes times() const {
    const std::lock_guard lock(mutex_);
    KernelTimes all = times_;
    for (const auto& [key, kernel] : kernels_) all.kernels.push_back(kernel);
    for (const auto& [key, copies] : copies_) all.copies.push_back(copies);
    for (const auto& [ordinal, gpu] : gpus_) all.gpus.push_back(gpu);
    return all;
  }

 private:
  // CUPTI's callbacks for buffers know of no object: there is one that receives, and later none. A launching thread asks for buffers and
  // may hold a lock of CUPTI's then, so that it never waits here for one who calls CUPTI.
  static inline std::mutex receiving_mutex, buffers_mutex;
  static inline Session* receiving = nullptr;

  static void receive(Session* session) {
    const std::scoped_lock lock(receiving_mutex, buffers_mutex);
    receiving = session;
  }

  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    const std::lock_guard lock(buffers_mutex);
    *buffer = receiving == nullptr ? nullptr : receiving->buffers_.take();
    *size = *buffer == nullptr ? 0 : receiving->buffers_.bytes();
    *most_records = 0;  // as many as have room
  }

  static void CUPTIAPI completed(CUcontext /*none*/, std::uint32_t /*none*/, std::uint8_t* buffer, std::size_t /*size*/,
                                 std::size_t valid) {
    const std::lock_guard lock(receiving_mutex);
    if (receiving == nullptr || buffer == nullptr) return;
    receiving->read(buffer, valid);
    {
      const std::lock_guard buffers(buffers_mutex);
      receiving->buffers_.give_back(buffer);
    }
    receiving->taken_();
  }

  /// Switches all off; what CUPTI still delivers finds nobody.
  void stop() {
    for (const auto kind : wanted_kinds) PLUMBLINE_CUPTI_RESULT(cupti_, cuptiActivityDisable, kind);
    calls_.reset();
    receive(nullptr);
  }

  // ---------------------------------------------------------------------------------------------------- what is called

  void hear(const CuptiCall& call) {
    const bool kernel = call.kind == CallKind::kernel, graph = call.kind == CallKind::graph;
    if ((kernel || graph) && call.entered) {
      const std::uint32_t phase = places_.phase();
      const std::lock_guard lock(mutex_);
      in_flight_.add(call.correlation, phase);
      if (!call.nested) count(call.kind, 1);
    } else if (kernel && call.failed && !call.nested) {
      const std::lock_guard lock(mutex_);
      count(call.kind, static_cast<std::uint64_t>(-1));
    } else if (call.kind == CallKind::capture_begins || call.kind == CallKind::capture_ends) {
      const std::lock_guard lock(mutex_);
      const bool begins = call.kind == CallKind::capture_begins;
      if (begins && call.entered) ++captures_;
      if ((begins ? call.failed : !call.entered) && captures_ > 0) --captures_;
    } else if (call.entered && (call.kind == CallKind::profiling_begins || call.kind == CallKind::profiling_ends)) {
      places_.profiling(call.kind == CallKind::profiling_begins);
    }
  }

  /// A launch while a stream is captured becomes a node of a graph.
  void count(CallKind kind, std::uint64_t by) {
    if (kind == CallKind::graph)
      times_.graph_launches += by;
    else if (captures_ == 0)
      times_.called += by;
  }

  // ------------------------------------------------------------------------------------------------- what is delivered

  void read(std::uint8_t* buffer, std::size_t bytes) {
    CUpti_Activity* record = nullptr;
    CUptiResult result = CUPTI_SUCCESS;
    while (bytes > 0 && (result = next_record_(buffer, bytes, &record)) == CUPTI_SUCCESS) {
      const std::lock_guard lock(mutex_);  // of one record at a time: threads that launch wait for it
      add_record(*record);
    }
    count_dropped();
    const std::lock_guard lock(mutex_);
    if (result != CUPTI_SUCCESS && result != CUPTI_ERROR_MAX_LIMIT_REACHED) ++times_.unreadable;
  }

  void count_dropped() {
    std::size_t dropped = 0;
    if (PLUMBLINE_CUPTI_RESULT(cupti_, cuptiActivityGetNumDroppedRecords, nullptr, 0, &dropped) != CUPTI_SUCCESS) return;
    const std::lock_guard lock(mutex_);
    times_.dropped += dropped;
  }

  void add_record(const CUpti_Activity& record) {
    switch (record.kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      case CUPTI_ACTIVITY_KIND_KERNEL:
        return add_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
        return add_copies(copy, copies_in_words.at(copy.copyKind < copies_in_words.size() ? copy.copyKind : 0));
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return add_copies(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record), copies_in_words.back());
      case CUPTI_ACTIVITY_KIND_MEMSET:
        return add_copies(reinterpret_cast<const CUpti_ActivityMemset4&>(record), setting);
      default:
        return;
    }
  }

  void add_kernel(const CUpti_ActivityKernel10& record) {
    const std::uint64_t begin = record.start, end = record.end;
    if (begin == 0 || end < begin) {
      ++times_.untimed;
      return;
    }
    const auto phase = in_flight_.of(record.correlationId);
    if (!phase) ++times_.unplaced;
    TimedKernel* const kernel = row_of({static_cast<int>(record.deviceId), phase.value_or(0), record.name == nullptr ? "" : record.name});
    if (kernel == nullptr) {
      ++times_.crowded;
      return;
    }
    const double took = seconds(begin, end), threads = threads_of(record);
    const bool is_of_graph = record.graphNodeId != 0;
    if (is_of_graph)
      ++kernel->of_graphs;
    else if (kernel->first.launches < wishes_.first_launches)
      add(kernel->first, took, threads);
    add(kernel->all, took, threads);
    kernel->longest_seconds = std::max(kernel->longest_seconds, took);
    auto [gpu, is_new] = gpus_.try_emplace(kernel->gpu, BusyGpu{kernel->gpu, begin, end});
    gpu->second.first_ns = std::min(gpu->second.first_ns, begin);
    gpu->second.last_ns = std::max(gpu->second.last_ns, end);
  }

  using Key = std::tuple<int, std::uint32_t, std::string>;

  /// The row; null where there are too many.
  TimedKernel* row_of(Key key) {
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return &found->second;
    if (kernels_.size() >= wishes_.most_rows) return nullptr;
    TimedKernel kernel{.gpu = std::get<int>(key), .name = std::get<std::string>(key), .phase = std::get<std::uint32_t>(key)};
    return &kernels_.emplace(std::move(key), std::move(kernel)).first->second;
  }

  template <class Record>
  void add_copies(const Record& record, const char* what) {
    if (record.start == 0 || record.end < record.start) {
      ++times_.untimed;
      return;
    }
    const int gpu = static_cast<int>(record.deviceId);
    TimedCopies& copies = copies_[{gpu, what}];
    copies.gpu = gpu, copies.what = what;
    ++copies.number;
    copies.bytes += record.bytes;
    copies.seconds += seconds(record.start, record.end);
  }

  const CuptiLibrary& cupti_;
  const ActivityWishes wishes_;
  const LaunchPlaces places_;
  const std::function<void()> taken_;
  decltype(&cuptiActivityGetNextRecord) const next_record_;
  mutable std::mutex mutex_;  // of all that follows
  KernelTimes times_;         // without rows
  std::map<Key, TimedKernel> kernels_;
  std::map<std::pair<int, std::string>, TimedCopies> copies_;
  std::map<int, BusyGpu> gpus_;
  PhasesInFlight in_flight_;
  int captures_ = 0;  // of streams, under way
  Buffers buffers_;   // behind buffers_mutex
  bool ended_ = false;
  std::unique_ptr<CuptiCalls> calls_;
};

CuptiActivities::CuptiActivities(const CuptiHost& cupti, ActivityWishes wishes, LaunchPlaces places, std::function<void()> taken)
    : session_(std::make_unique<Session>(cupti, wishes, std::move(places), std::move(taken))) {}
CuptiActivities::~CuptiActivities() = default;
Availability CuptiActivities::end() { return session_->end(); }
KernelTimes CuptiActivities::times() const { return session_->times(); }

std::unique_ptr<CuptiActivities> time_kernels(const CuptiHost& cupti, ActivityWishes wishes, LaunchPlaces places,
                                              std::function<void()> taken, Availability& why_not) {
  std::unique_ptr<CuptiActivities> activities;
  why_not = cupti.availability();
  if (why_not.ok())
    why_not = cupti_attempt(*cupti.opened(),
                            [&] { activities = std::make_unique<CuptiActivities>(cupti, wishes, std::move(places), std::move(taken)); });
  return activities;
}

}  // namespace plumbline
