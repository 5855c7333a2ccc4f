#include "measure/gpu_counting.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "measure/failed_at.hpp"
#include "measure/gpu_timing.hpp"
#include "measure/together.hpp"

namespace plumbline {
namespace {

/// Takes what the empty region has no count of for nothing. A metric may have no number where no kernel ran; any other reason stays as a
/// note. Of the kernel's region neither is taken so.
void take_for_nothing(Reading& reading) {
  if (reading.status == Status::ok) return;
  std::string note = reading.no_number ? "" : std::string(no_empty_count) + reading.reason;
  reading = {.event = reading.event, .enabled_ns = reading.enabled_ns, .running_ns = reading.running_ns, .reason = std::move(note)};
}

void release(Backend& backend) {
  if (MultiPass* const passes = backend.multi_pass()) passes->release();
}

/// Sweeps for one pass, a phase of an application an entry of its own sum each time; what ranks exchange is counted nowhere, nor what the
/// host does.
void sweep_and_count(PreparedOnGpu& prepared, Backend& backend) {
  if (!prepared.is_application()) {
    backend.enter(0);
    prepared.sweep();
    backend.leave(0);
    return;
  }
  prepared.sweep_by_steps(
      [&](const Step& step) {
        if (PreparedOnGpu::is_counted(step)) backend.enter(static_cast<int>(step.phase));
      },
      [&](const Step& step) {
        if (PreparedOnGpu::is_counted(step)) backend.leave(static_cast<int>(step.phase));
      });
}

/// The passes that one GPU takes for a group: one where its backend knows of none.
class Passes {
 public:
  explicit Passes(MultiPass* of) : of_(of) {}
  template <class Region>
  void count(Region region) {
    if (of_ != nullptr) of_->begin_pass();
    region();
    if (of_ != nullptr) of_->end_pass();
    wanted_ = of_ != nullptr && of_->wants_another_pass();
  }
  bool wanted() const { return wanted_; }

 private:
  MultiPass* of_;
  bool wanted_ = true;
};

/// Sweeps as often as the GPU of any rank wants passes, which are those of its own counters alone.
void count_sweeps(PreparedOnGpu& prepared, Backend& backend, Passes& passes) {
  on_all(prepared.team(), [&] {
    prepared.sweep();
    prepared.restore();
  });
  do {
    on_all(prepared.team(), [&] {
      prepared.begin_cold();
      prepared.wait();
    });
    on_all(prepared.team(), [&] {
      if (passes.wanted())
        passes.count([&] { sweep_and_count(prepared, backend); });
      else
        prepared.sweep();
      prepared.wait();
      prepared.restore();
    });
  } while (prepared.team().any(passes.wanted()));
}

/// Counts the region of one sweep, or the empty one, in as many passes as the GPU takes for the group: the readings of each phase. The
/// region of a sweep is collective, the empty one is not.
std::vector<std::vector<Reading>> count_region(PreparedOnGpu& prepared, bool empty, Backend& backend, std::size_t group) {
  MultiPass* const multiple = backend.multi_pass();
  Passes passes(multiple);
  const int sums = empty ? 1 : static_cast<int>(std::max<std::size_t>(1, prepared.phases()));
  backend.prepare(group, sums);
  if (multiple != nullptr) multiple->expect(empty ? 1 : prepared.entries());
  backend.open(0);
  if (empty)
    while (passes.wanted()) passes.count([&] { backend.enter(0), backend.leave(0); });
  else
    count_sweeps(prepared, backend, passes);
  backend.close(0);
  std::vector<std::vector<Reading>> all;
  for (int sum = 0; sum < sums; ++sum)
    if (!prepared.is_application() || empty || prepared.entries_of(static_cast<std::size_t>(sum)) != 0)
      all.push_back(backend.readings(sum));
    else
      all.emplace_back();  // ranks exchange there, or the host works, which is counted nowhere
  return all;
}

/// The readings of so many empty regions, of which one is known.
std::vector<Reading> times(std::size_t entries, std::vector<Reading> empty) {
  for (Reading& reading : empty) reading.raw *= entries;
  return empty;
}

/// Adds the readings of a phase to those of the whole sweep, of which a rate or a share is nobody's wish.
void add(std::vector<Reading>& whole, const std::vector<Reading>& phase) {
  constexpr const char* why_none = "a rate or a share does not add up over the phases of a sweep";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].status != Status::ok) continue;
    if (phase[i].status != Status::ok)
      whole[i] = phase[i];
    else if (phase[i].rate)
      whole[i] = {.event = phase[i].event, .status = Status::skipped, .reason = why_none};
    else
      whole[i].raw += phase[i].raw;
  }
}

/// The reading that tells why none of the events has a number in any of the regions; null where one has.
const Reading* refusal(const std::vector<std::vector<Reading>>& regions) {
  const Reading* why = nullptr;
  for (const auto& readings : regions)
    for (const Reading& one : readings) {
      if (one.status == Status::ok) return nullptr;
      if (why == nullptr) why = &one;
    }
  return why;
}

/// The readings of a whole sweep from those of its phases; none where the host does some of them.
std::vector<Reading> whole_of(const std::vector<std::vector<Reading>>& phases, bool host_does_some) {
  constexpr const char* of_host = "phases of the sweep are the host's, whose work no counter of the GPU sees; its other phases are counted";
  std::vector<Reading> whole;
  for (const auto& phase : phases) {
    if (phase.empty()) continue;
    if (whole.empty())
      for (const Reading& reading : phase) whole.push_back({.event = reading.event});
    add(whole, phase);
  }
  if (host_does_some)
    for (Reading& reading : whole)
      if (reading.status == Status::ok) reading = {.event = reading.event, .status = Status::skipped, .reason = of_host};
  return whole;
}

}  // namespace

const std::vector<Reading>& CountingOnGpu::empty_region(Backend& backend, std::size_t group) {
  const std::tuple which{static_cast<const Backend*>(&backend), group, gpu_.properties().ordinal};
  if (const auto found = empties_.find(which); found != empties_.end()) return found->second;
  auto readings = std::move(count_region(*prepared_, true, backend, group).front());
  std::for_each(readings.begin(), readings.end(), take_for_nothing);
  return empties_[which] = std::move(readings);
}

void CountingOnGpu::add_phases(CountedCase& counted, const std::vector<std::vector<Reading>>& regions,
                               const std::vector<Reading>& empty) const {
  counted.phases.resize(regions.size());
  for (std::size_t phase = 0; phase < regions.size(); ++phase)
    if (!regions[phase].empty()) counted.phases[phase].push_back({{regions[phase]}, {times(prepared_->entries_of(phase), empty)}, 1});
}

CountedCase CountingOnGpu::count(Backend& backend, std::size_t group, int repetitions) {
  CountedCase counted;
  if (!prepared_ && refused_.status == Status::ok) prepared_ = prepare_on_gpu(case_, false, gpu_, refused_, team_, threads_);
  if (!prepared_) return {refused_.status, refused_.reason, {}, refused_.failed_at};
  const auto broke_off = [&](const std::string& reason, FailedAt where) {
    backend.close(0);
    release(backend);
    prepared_.reset();
    return CountedCase{Status::failed, reason, {}, where};
  };
  if (cold_l2_) prepared_->sweep_cold();
  try {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const std::vector<std::vector<Reading>> regions = count_region(*prepared_, false, backend, group);
      RegionCounts counts{.kernel = {prepared_->is_application() ? whole_of(regions, !prepared_->host_flavor().empty()) : regions.front()},
                          .empty = {},
                          .sweeps = 1};
      const Reading* const refused = refusal(regions);
      if (refused != nullptr) counted.status = refused->status, counted.reason = refused->reason;
      std::vector<Reading> empty;
      on_all(team_, [&] { empty = refused != nullptr ? counts.kernel.front() : empty_region(backend, group); });
      counts.empty = {refused != nullptr ? empty : times(prepared_->entries(), empty)};
      counted.repetitions.push_back(std::move(counts));
      if (refused == nullptr && prepared_->is_application()) add_phases(counted, regions, empty);
      if (team_.any(refused != nullptr)) break;
    }
  } catch (const AnotherRankFailed&) {
    return broke_off(another_rank("failed"), FailedAt::another_rank);
  } catch (const std::exception& failure) {
    return broke_off(std::string("the GPU failed while the case was counted: ") + failure.what(), FailedAt::this_rank);
  }
  return counted;
}

CountedCase count_on_gpu(const Case& measured, Backend& backend, std::size_t group, int repetitions, Gpu& gpu) {
  EmptyRegions empties;
  CountedCase counted = CountingOnGpu(measured, gpu, empties).count(backend, group, repetitions);
  release(backend);
  return counted;
}

}  // namespace plumbline
