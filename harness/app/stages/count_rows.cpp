#include "app/stages/count_rows.hpp"

#include <algorithm>

namespace plumbline::app {
namespace {

using ByThread = std::vector<std::vector<Reading>>;

/// Events, times and what is not ok of all threads together.
Reading summed(const ByThread& by_thread, std::size_t event) {
  Reading sum = by_thread[0][event];
  for (std::size_t t = 1; t < by_thread.size(); ++t) {
    const Reading& other = by_thread[t][event];
    sum.raw += other.raw;
    sum.enabled_ns += other.enabled_ns;
    sum.running_ns += other.running_ns;
    if (sum.status == Status::ok) sum.status = other.status;
  }
  return sum;
}

/// The reading of one thread, or of all where it is -1.
Reading reading_of(const ByThread& by_thread, int thread, std::size_t event) {
  return thread < 0 ? summed(by_thread, event) : by_thread[static_cast<std::size_t>(thread)][event];
}

/// The count of the empty region in the middle one of the repetitions: an interrupt in one of them must not take counts from the kernel.
std::uint64_t usual_empty(std::span<const RegionCounts> repetitions, int thread, std::size_t event) {
  std::vector<std::uint64_t> raws;
  for (const RegionCounts& counts : repetitions)
    if (const Reading empty = reading_of(counts.empty, thread, event); empty.status == Status::ok) raws.push_back(empty.raw);
  if (raws.empty()) return 0;
  const auto middle = raws.begin() + static_cast<std::ptrdiff_t>((raws.size() - 1) / 2);
  std::nth_element(raws.begin(), middle, raws.end());
  return *middle;
}

/// Subtracts the empty region. A reading that is not ok keeps its status: no number is made of it. Only less than in the empty region has
/// its number, for a zero test needs it: where there is nothing to count, noise goes either way.
void subtract(CountRow& row, const Reading& kernel, Status empty_status, std::uint64_t empty, std::uint64_t swept) {
  row.enabled_ns = kernel.enabled_ns;
  row.running_ns = kernel.running_ns;
  row.status = kernel.status != Status::ok || kernel.rate ? kernel.status : empty_status;
  if (row.status != Status::ok) return;
  if (kernel.rate) {
    row.raw = kernel.raw;
    row.net = *kernel.rate;
    return;
  }
  const auto sweeps = static_cast<double>(swept);
  if (kernel.raw < empty) {
    row.status = Status::negative;
    row.net = -static_cast<double>(empty - kernel.raw) / sweeps;
  } else {
    row.raw = kernel.raw;
    row.net = static_cast<double>(kernel.raw - empty) / sweeps;
  }
}

}  // namespace

void add_count_rows(std::vector<CountRow>& rows, const CountRow& common, std::span<const RegionCounts> repetitions) {
  if (repetitions.empty()) return;
  const ByThread& first = repetitions.front().kernel;
  const int threads = first.size() > 1 ? static_cast<int>(first.size()) : 0;
  for (std::size_t event = 0; event < first.front().size(); ++event)
    for (int thread = -1; thread < threads; ++thread) {
      const std::uint64_t empty = usual_empty(repetitions, thread, event);
      for (std::size_t r = 0; r < repetitions.size(); ++r) {
        const Reading kernel = reading_of(repetitions[r].kernel, thread, event);
        CountRow& row = rows.emplace_back(common);
        row.thread = thread;
        row.repetition = static_cast<std::int32_t>(r);
        row.event = std::string(kernel.event);
        subtract(row, kernel, reading_of(repetitions[r].empty, thread, event).status, empty, repetitions[r].sweeps);
      }
    }
}

}  // namespace plumbline::app
