#include "counters/perf_event/perf_group.hpp"

namespace plumbline {
namespace {

perf_event_attr attributes(const PerfOpening& opening, bool leads, bool user_only) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = opening.type;
  wanted.config = opening.config[0];
  wanted.config1 = opening.config[1];
  wanted.config2 = opening.config[2];
  wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  if (leads) wanted.disabled = 1;
  if (leads) wanted.pinned = 1;  // on the PMU all the time, or in an error state: never multiplexed
  // PMUs outside the cores cannot tell user code from the kernel's, and refuse to be asked.
  if (user_only) wanted.exclude_kernel = 1;
  if (opening.cpu < 0) wanted.exclude_hv = 1;
  return wanted;
}

}  // namespace

int PerfGroup::open(const PerfOpening& opening, bool user_only) noexcept {
  const bool leads = files_.empty();
  perf_event_attr wanted = attributes(opening, leads, user_only);
  const int file = kernel_->open(wanted, opening.cpu < 0 ? 0 : -1, opening.cpu, leads ? -1 : files_.front());
  if (file < 0) return file;
  files_.push_back(file);
  return 0;
}

void PerfGroup::read(GroupCounts& counts) const noexcept {
  counts.bytes = kernel_->read(files_.front(), counts.words.data(), counts.words.size() * sizeof(std::uint64_t));
}

void PerfGroup::close() noexcept {
  while (!files_.empty()) {  // members before their leader
    kernel_->close(files_.back());
    files_.pop_back();
  }
}

}  // namespace plumbline
