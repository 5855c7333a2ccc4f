#include "measure/gpu_counting.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "measure/gpu_timing.hpp"

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

/// Counts one entry of the region, in as many passes as the GPU takes for the group.
std::vector<std::vector<Reading>> count_region(PreparedOnGpu& prepared, bool empty, Backend& backend, std::size_t group) {
  const MultiPass* const passes = backend.multi_pass();
  backend.prepare(group, 1);
  backend.open(0);
  prepared.sweep();
  prepared.restore();
  do {
    prepared.gpu().wait();
    backend.enter(0);
    if (!empty) prepared.sweep();
    backend.leave(0);
    if (!empty) prepared.restore();
  } while (passes != nullptr && passes->wants_another_entry());
  backend.close(0);
  prepared.gpu().wait();
  return {backend.readings(0)};
}

/// The reading that tells why none of the group's events has a number; null where one has.
const Reading* refusal(const std::vector<Reading>& readings) {
  const bool none = std::none_of(readings.begin(), readings.end(), [](const Reading& one) { return one.status == Status::ok; });
  return none && !readings.empty() ? &readings.front() : nullptr;
}

}  // namespace

const std::vector<Reading>& CountingOnGpu::empty_region(Backend& backend, std::size_t group) {
  const std::tuple which{static_cast<const Backend*>(&backend), group, gpu_.properties().ordinal};
  if (const auto found = empties_.find(which); found != empties_.end()) return found->second;
  auto readings = std::move(count_region(*prepared_, true, backend, group).front());
  std::for_each(readings.begin(), readings.end(), take_for_nothing);
  return empties_[which] = std::move(readings);
}

CountedCase CountingOnGpu::count(Backend& backend, std::size_t group, int repetitions) {
  CountedCase counted;
  if (!prepared_ && refused_.status == Status::ok) prepared_ = prepare_on_gpu(case_, false, gpu_, refused_);
  if (!prepared_) return {refused_.status, refused_.reason, {}};
  try {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      RegionCounts counts{.kernel = count_region(*prepared_, false, backend, group), .empty = {}, .sweeps = 1};
      const Reading* const refused = refusal(counts.kernel.front());
      if (refused != nullptr) counted.status = refused->status, counted.reason = refused->reason;
      counts.empty = {refused != nullptr ? counts.kernel.front() : empty_region(backend, group)};
      counted.repetitions.push_back(std::move(counts));
      if (refused != nullptr) break;
    }
  } catch (const std::exception& failure) {
    backend.close(0);
    release(backend);
    prepared_.reset();
    return {Status::failed, std::string("the GPU failed while the case was counted: ") + failure.what(), {}};
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
