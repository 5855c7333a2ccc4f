#include "measure/counting.hpp"

#include "measure/prepared.hpp"

namespace plumbline {
namespace {

void nothing(const void*, std::size_t, std::size_t) {}

std::vector<std::vector<Reading>> readings_of(const Backend& backend, int threads) {
  std::vector<std::vector<Reading>> all;
  for (int t = 0; t < threads; ++t) all.push_back(backend.readings(t));
  return all;
}

// Simulators count only between these two: neither restoring nor summing up moves a simulated line.
class Counting {
 public:
  explicit Counting(Backend& backend) : backend_(backend) { backend_.set_counting(true); }
  Counting(const Counting&) = delete;
  ~Counting() { backend_.set_counting(false); }

 private:
  Backend& backend_;
};

void sweep_all(Prepared& prepared, Sweep function, Backend& backend, const ThreadTeam& threads, bool region) {
  {
    const Counting on(backend);
    threads.run([&](int thread) {
      if (region) backend.enter(thread);
      prepared.sweep_range(function, thread);
      if (region) backend.leave(thread);
    });
  }
  threads.run([&](int thread) { prepared.restore(thread); });
}

std::vector<std::vector<Reading>> count_region(Prepared& prepared, Sweep function, Backend& backend, std::size_t group,
                                               const ThreadTeam& threads, std::uint64_t entries, WarmSweep warm) {
  backend.prepare(group, threads.size());
  backend.empty_caches();
  if (warm == WarmSweep::yes) sweep_all(prepared, function, backend, threads, false);
  for (std::uint64_t k = 0; k < entries; ++k) sweep_all(prepared, function, backend, threads, true);
  return readings_of(backend, threads.size());
}

}  // namespace

RegionCounts count_case(const Case& measured, Backend& backend, std::size_t group, const ThreadTeam& threads, std::uint64_t entries,
                        WarmSweep warm) {
  backend.set_counting(false);
  Prepared prepared(measured, threads.size(), Arena::fixed_address);
  threads.run([&](int thread) { prepared.initialise(thread); });
  RegionCounts counts{.kernel = {}, .empty = {}, .entries = entries};
  counts.empty = count_region(prepared, nothing, backend, group, threads, entries, warm);
  counts.kernel = count_region(prepared, measured.flavor.sweep, backend, group, threads, entries, warm);
  return counts;
}

}  // namespace plumbline
