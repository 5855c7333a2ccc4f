// A pinned group of perf events is opened, started and read at once. A count is given only where the group was on the PMU all the time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "counters/perf_event/perf_kernel.hpp"
#include "counters/perf_event/perf_names.hpp"

namespace plumbline {

/// The words that one read gives: the kernel's layout of PERF_FORMAT_GROUP with both times.
struct GroupCounts {
  std::vector<std::uint64_t> words;  // number, enabled, running, a value for each event
  long bytes = 0;                    // as read; 0: the group lost its place; negative: -errno

  explicit GroupCounts(std::size_t events = 0) : words(3 + events) {}
  bool complete() const { return bytes == static_cast<long>(words.size() * sizeof(std::uint64_t)); }
  /// The nanoseconds for which the group was enabled, and those for which it ran on the PMU.
  std::uint64_t enabled() const { return words[1]; }
  std::uint64_t running() const { return words[2]; }
  std::uint64_t value(std::size_t event) const { return words[3 + event]; }
};

/// Events that one file descriptor leads. Everything but the constructor and destructor may be called while counting.
class PerfGroup {
 public:
  PerfGroup() = default;
  PerfGroup(PerfGroup&& other) noexcept { *this = std::move(other); }
  PerfGroup& operator=(PerfGroup&& other) noexcept {
    std::swap(kernel_, other.kernel_);
    std::swap(files_, other.files_);
    return *this;
  }
  PerfGroup(const PerfGroup&) = delete;
  ~PerfGroup() { close(); }

  /// Makes room for `events` members, so that open() allocates nothing.
  void reserve(PerfKernel& kernel, std::size_t events) {
    kernel_ = &kernel;
    files_.reserve(events);
  }
  /// Adds an event; the first leads. Gives 0 or -errno; after a failure close() it.
  int open(const PerfOpening& opening, bool user_only) noexcept;
  int start() noexcept { return kernel_->enable(files_.front()); }
  void read(GroupCounts& counts) const noexcept;
  void close() noexcept;

 private:
  PerfKernel* kernel_ = nullptr;
  std::vector<int> files_;
};

}  // namespace plumbline
