#include "app/count_rows.hpp"

namespace plumbline::app {
namespace {

/// What is not ok keeps its status: no number is made of it. Only less than in the empty region has its number, for a zero test needs it:
/// where there is nothing to count, noise goes either way.
void subtract(CountRow& row, const Reading& kernel, const Reading& empty, std::uint64_t entries) {
  row.enabled_ns = kernel.enabled_ns;
  row.running_ns = kernel.running_ns;
  row.status = kernel.status != Status::ok ? kernel.status : empty.status;
  if (row.status != Status::ok) return;
  const auto sweeps = static_cast<double>(entries);
  if (kernel.raw < empty.raw) {
    row.status = Status::negative;
    row.net = -static_cast<double>(empty.raw - kernel.raw) / sweeps;
  } else {
    row.raw = kernel.raw;
    row.net = static_cast<double>(kernel.raw - empty.raw) / sweeps;
  }
}

/// Events, times and what is not ok of all threads together.
Reading summed(const std::vector<std::vector<Reading>>& by_thread, std::size_t event) {
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

}  // namespace

void add_count_rows(std::vector<CountRow>& rows, const CountRow& common, const RegionCounts& counts) {
  const std::size_t threads = counts.kernel.size(), events = counts.kernel.front().size();
  const auto add = [&](int thread, const Reading& kernel, const Reading& empty) {
    rows.push_back(common);
    rows.back().thread = thread;
    rows.back().event = std::string(kernel.event);
    subtract(rows.back(), kernel, empty, counts.entries);
  };
  for (std::size_t e = 0; e < events; ++e) {
    add(-1, summed(counts.kernel, e), summed(counts.empty, e));
    for (std::size_t t = 0; threads > 1 && t < threads; ++t) add(static_cast<int>(t), counts.kernel[t][e], counts.empty[t][e]);
  }
}

}  // namespace plumbline::app
