#include "measure/gpu_counting.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "measure/gpu_timing.hpp"

namespace plumbline {
namespace {

/// A metric may have no number where no kernel ran: of the empty region that is nothing. Of the kernel's it stays a failure.
void take_for_nothing(Reading& reading) {
  if (reading.no_number) reading = {.event = reading.event, .raw = 0, .enabled_ns = reading.enabled_ns, .running_ns = reading.running_ns};
}

/// Gives back what the backend holds between repetitions, however they end.
class Release {
 public:
  explicit Release(Backend& backend) : backend_(backend) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (MultiPass* const passes = backend_.multi_pass()) passes->release();
  }

 private:
  Backend& backend_;
};

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
  auto readings = backend.readings(0);
  if (empty) std::for_each(readings.begin(), readings.end(), take_for_nothing);
  return {std::move(readings)};
}

/// The reading that tells why none of the group's events has a number; null where one has.
const Reading* refusal(const std::vector<Reading>& readings) {
  const bool none = std::none_of(readings.begin(), readings.end(), [](const Reading& one) { return one.status == Status::ok; });
  return none && !readings.empty() ? &readings.front() : nullptr;
}

}  // namespace

CountedCase CountingOnGpu::count(Backend& backend, std::size_t group, int repetitions) {
  CountedCase counted;
  if (!prepared_ && refused_.status == Status::ok) prepared_ = prepare_on_gpu(case_, false, gpu_, refused_);
  if (!prepared_) return {refused_.status, refused_.reason, {}};
  const Release release(backend);
  try {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      RegionCounts counts{.kernel = {}, .empty = {}, .sweeps = 1};
      counts.empty = count_region(*prepared_, true, backend, group);
      counts.kernel = refusal(counts.empty.front()) != nullptr ? counts.empty : count_region(*prepared_, false, backend, group);
      const Reading* const refused = refusal(counts.kernel.front());
      if (refused != nullptr) counted.status = refused->status, counted.reason = refused->reason;
      counted.repetitions.push_back(std::move(counts));
      if (refused != nullptr) break;
    }
  } catch (const std::exception& failure) {
    backend.close(0);
    prepared_.reset();
    return {Status::failed, std::string("the GPU failed while the case was counted: ") + failure.what(), {}};
  }
  return counted;
}

CountedCase count_on_gpu(const Case& measured, Backend& backend, std::size_t group, int repetitions, Gpu& gpu) {
  return CountingOnGpu(measured, gpu).count(backend, group, repetitions);
}

}  // namespace plumbline
