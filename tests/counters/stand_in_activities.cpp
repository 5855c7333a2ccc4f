// The stand-in's records of activities: a unit of a kernel's work takes a microsecond, on one clock for all GPUs; a byte of a copy takes a
// nanosecond. Records come when a buffer is full and when they are asked for, as CUPTI's do. STAND_IN_CUPTI_ACTIVITIES says what goes
// wrong:
//   refused=N  drops=N (every Nth record)  nothing  no_times=N (every Nth kernel)  bad_record  small (buffers of 3 records)
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "stand_in_state.hpp"

namespace stand_in {
namespace {

struct Activities {
  std::mutex mutex;
  std::set<CUpti_ActivityKind> on;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, used = 0, most_records = 0, records = 0;
  std::uint64_t clock_ns = 1'000'000'000, made = 0, kernels = 0;
  std::size_t dropped = 0;
};
Activities activities;

/// The number behind a word of STAND_IN_CUPTI_ACTIVITIES; 0: the word is not there; 1: it has none.
std::uint64_t told(const char* word) {
  const char* words = std::getenv("STAND_IN_CUPTI_ACTIVITIES");
  const char* found = words == nullptr ? nullptr : std::strstr(words, word);
  if (found == nullptr) return 0;
  found += std::strlen(word);
  return *found == '=' ? std::strtoull(found + 1, nullptr, 10) : 1;
}

/// Delivers the buffer. The lock is held before and after, and not while the callback is called.
void deliver(std::unique_lock<std::mutex>& lock) {
  if (activities.buffer == nullptr) return;
  std::uint8_t* const full = std::exchange(activities.buffer, nullptr);
  const std::size_t bytes = activities.bytes, used = std::exchange(activities.used, 0);
  activities.records = 0;
  lock.unlock();
  if (activities.completed != nullptr) activities.completed(nullptr, 0, full, bytes, used);
  lock.lock();
}

void request(std::unique_lock<std::mutex>& lock) {
  std::uint8_t* fresh = nullptr;
  std::size_t bytes = 0, most = 0;
  lock.unlock();
  activities.requested(&fresh, &bytes, &most);
  lock.lock();
  activities.buffer = fresh, activities.bytes = bytes, activities.used = activities.records = 0;
  activities.most_records = told("small") != 0 ? 3 : most;
}

/// A record is as long as the longest of them; the place of each begins with its kind.
constexpr std::size_t record_bytes = (sizeof(CUpti_ActivityKernel10) + 7) / 8 * 8;

template <class Record>
void keep(const Record& record) {
  static_assert(sizeof record <= record_bytes);
  std::unique_lock lock(activities.mutex);
  if (!activities.on.contains(record.kind) || activities.requested == nullptr || told("nothing") != 0) return;
  const std::uint64_t every = told("drops");
  if (++activities.made, every > 0 && activities.made % every == 0) {
    ++activities.dropped;
    return;
  }
  if (activities.buffer == nullptr) request(lock);
  if (activities.buffer == nullptr || activities.bytes < record_bytes) {
    ++activities.dropped;
    return;
  }
  std::memcpy(activities.buffer + activities.used, &record, sizeof record);
  activities.used += record_bytes;
  const bool is_full = activities.used + record_bytes > activities.bytes || ++activities.records == activities.most_records;
  if (is_full) deliver(lock);
}

template <class Record>
void time(Record& record, std::uint64_t nanoseconds) {
  record.start = activities.clock_ns;
  record.end = activities.clock_ns += nanoseconds;
  record.deviceId = static_cast<std::uint32_t>(static_cast<std::size_t>(reinterpret_cast<char*>(current) - contexts.data()) % most_gpus);
  record.correlationId = correlation;
}

}  // namespace

void reset_activities() {
  const std::lock_guard lock(activities.mutex);
  activities.clock_ns = 1'000'000'000, activities.made = activities.kernels = 0, activities.dropped = 0;
}

std::uint32_t next_correlation() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

void record_kernel(const char* name, std::uint64_t work, std::uint64_t graph_node) {
  static auto& names = *new std::set<std::string>;  // CUPTI keeps names as long as the process lives
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  {
    const std::lock_guard lock(activities.mutex);
    if (activities.on.empty()) return;
    time(record, 1000 * work);
    const std::uint64_t every = told("no_times");
    if (++activities.kernels, every > 0 && activities.kernels % every == 0) record.start = record.end = 0;
    record.name = names.insert(name).first->c_str();
  }
  record.gridX = static_cast<std::int32_t>(work);
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1, record.blockX = 32;
  record.graphNodeId = graph_node;
  keep(record);
}

void record_copy(CUpti_ActivityMemcpyKind kind, std::uint64_t bytes) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY, record.copyKind = static_cast<std::uint8_t>(kind), record.bytes = bytes;
  {
    const std::lock_guard lock(activities.mutex);
    time(record, bytes);
  }
  keep(record);
}

void record_setting(std::uint64_t bytes) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET, record.bytes = bytes;
  {
    const std::lock_guard lock(activities.mutex);
    time(record, bytes);
  }
  keep(record);
}

}  // namespace stand_in

using namespace stand_in;

STAND_IN CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                    CUpti_BuffersCallbackCompleteFunc completed) {
  const std::lock_guard lock(activities.mutex);
  return activities.requested = requested, activities.completed = completed, CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const auto refused = told("refused"); refused != 0) return static_cast<CUptiResult>(refused);
  const std::lock_guard lock(activities.mutex);
  return activities.on.insert(kind), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(activities.mutex);
  return activities.on.erase(kind), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiActivityFlushPeriod(uint32_t) { return CUPTI_SUCCESS; }
STAND_IN CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::unique_lock lock(activities.mutex);
  return deliver(lock), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(activities.mutex);
  return *dropped = std::exchange(activities.dropped, 0), CUPTI_SUCCESS;
}
STAND_IN CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
  std::uint8_t* const at = *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + record_bytes;
  if (at + record_bytes > buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (told("bad_record") != 0 && at != buffer) return CUPTI_ERROR_INVALID_KIND;
  return *record = reinterpret_cast<CUpti_Activity*>(at), CUPTI_SUCCESS;
}
STAND_IN int stand_in_activities_on() {
  const std::lock_guard lock(activities.mutex);
  return static_cast<int>(activities.on.size());
}
