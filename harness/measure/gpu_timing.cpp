#include "measure/gpu_timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/unavailable.hpp"
#include "measure/clock.hpp"
#include "measure/failed_at.hpp"
#include "measure/repeating.hpp"
#include "measure/together.hpp"

namespace plumbline {
namespace {

constexpr double clock_rises_seconds = 0.2;  // until a GPU that was idle has its clock
constexpr double warm_up_share = 0.1;        // of what a case may cost, at most

std::string gigabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

std::string too_little_memory(const Case& measured, Gpu& gpu) {
  std::uint64_t needed = 0;
  for (const Stream& stream : measured.work().streams) needed += stream.footprint_bytes;
  return "too little memory of the GPU: the arrays take " + gigabytes(needed) + ", " + gigabytes(gpu.free_bytes()) + " are free";
}

/// Runs `act`, and writes what it throws into `timed`, with `what` before it.
template <class Act>
void told_in(Timed& timed, const char* what, Act act) {
  try {
    act();
  } catch (const AnotherRankFailed&) {
    timed = {.status = Status::failed, .reason = another_rank("failed"), .repetitions = {}, .failed_at = FailedAt::another_rank};
  } catch (const UnavailableHere& refused) {
    timed.status = Status::unavailable;
    timed.reason = refused.what();
  } catch (const std::exception& failure) {
    timed.status = Status::failed;
    timed.reason = std::string(what) + ": " + failure.what();
  }
}

/// Launches are written down as long as this lives.
class WrittenDown {
 public:
  WrittenDown(Gpu& gpu, std::vector<KernelLaunch>* where) : gpu_(where == nullptr ? nullptr : &gpu) {
    if (gpu_ != nullptr) gpu_->write_down_launches(where);
  }
  WrittenDown(const WrittenDown&) = delete;
  WrittenDown& operator=(const WrittenDown&) = delete;
  ~WrittenDown() {
    if (gpu_ != nullptr) gpu_->write_down_launches(nullptr);
  }

 private:
  Gpu* gpu_;
};

}  // namespace

PreparedOnGpu::PreparedOnGpu(const Case& measured, Gpu& gpu, Synchronization& team, const ThreadTeam& threads)
    : gpu_(gpu),
      team_(team),
      peers_(team, gpu.memory()),
      flavor_(measured.flavor.name),
      workload_(measured.prepare(gpu.memory())),
      application_(dynamic_cast<ApplicationData*>(workload_.get())),
      sweep_(measured.flavor.sweep),
      host_(measured, threads),
      arguments_(workload_->arguments()),
      end_(workload_->extent()) {
  if (application_ != nullptr) application_->take_place(peers_.rank(), peers_.ranks());
  workload_->initialise(0, end_);
}

void PreparedOnGpu::sweep_only(double share) {
  const std::size_t grain = workload_->grain();
  const auto grains = static_cast<std::size_t>(share * static_cast<double>(workload_->extent()) / static_cast<double>(grain) + 0.5);
  end_ = std::min(workload_->extent(), std::max<std::size_t>(grains, 1) * grain);
}

void PreparedOnGpu::sweep() {
  if (application_ == nullptr)
    failure_.attempt([&] { sweep_(arguments_, 0, end_); });
  else
    for (const Step& step : application_->steps()) run(step);
}

void PreparedOnGpu::run(const Step& step) {
  if (step.exchange)
    step.exchange(step.on_host ? static_cast<Peers&>(team_) : peers_);
  else if (step.is_loop() && step.on_host)
    failure_.attempt([&] { host_.run(step); });
  else
    failure_.attempt([&] { run_alone(step, sweep_, peers_); });
}

std::size_t PreparedOnGpu::phases() const { return application_ == nullptr ? 0 : application_->phases(); }

std::size_t PreparedOnGpu::entries_of(std::size_t phase) const {
  const auto& steps = application_->steps();
  return static_cast<std::size_t>(std::ranges::count_if(steps, [&](const Step& step) { return step.phase == phase && is_counted(step); }));
}

std::size_t PreparedOnGpu::entries() const {
  if (application_ == nullptr) return 1;
  std::size_t all = 0;
  for (std::size_t phase = 0; phase < phases(); ++phase) all += entries_of(phase);
  return all;
}

void PreparedOnGpu::wait() {
  failure_.tell();
  peers_.tell_failure();
  gpu_.wait();
}

void PreparedOnGpu::restore() {
  if (!workload_->restores()) return;
  wait();
  workload_->restore(0, end_);
  wait();
}

void PreparedOnGpu::check(Timed& timed) {
  wait();
  check_result(*workload_, flavor_, timed);
}

void PreparedOnGpu::look_after_timing(Timed& timed) {
  if (workload_->restores()) sweep();  // what the last timed one left was undone
  wait();
  check_after_timing(*workload_, flavor_, timed);
}

void PreparedOnGpu::begin_cold() {
  if (is_cold_) failure_.attempt([&] { gpu_.empty_l2(); });
}

// The seconds that so many sweeps take on this rank, which begin on all together. Where sweeps are restored, or begin cold, each is timed
// alone.
double PreparedOnGpu::seconds_of(std::uint64_t sweeps) {
  const std::uint64_t together = workload_->restores() || is_cold_ ? 1 : sweeps;
  double seconds = 0;
  for (std::uint64_t done = 0; done < sweeps; done += together) {
    team_.barrier();
    on_all(team_, [&] {
      begin_cold();
      failure_.attempt([&] { gpu_.start(); });
      for (std::uint64_t i = 0; i < together; ++i) sweep();
      failure_.attempt([&] { seconds += gpu_.stop(); });
      wait();
      restore();
    });
  }
  return seconds;
}

// The seconds of each phase in one of so many sweeps. A phase ends where the next step begins.
std::vector<PhaseTime> PreparedOnGpu::time_phases(std::uint64_t sweeps) {
  std::vector<PhaseTime> times(phases());
  on_all(team_, [&] { gpu_.mark(application_->steps().size()); });  // the last of them: all are made before any is set between two steps
  for (std::uint64_t done = 0; done < sweeps; ++done)
    on_all(team_, [&] {
      std::size_t marks = 0;
      begin_cold();
      failure_.attempt([&] { gpu_.mark(marks); });
      sweep_by_steps([](const Step&) {}, [&](const Step&) { gpu_.mark(++marks); });
      wait();
      marks = 0;
      for (const Step& step : application_->steps()) {
        times[step.phase].rank_seconds += gpu_.between_marks(marks, marks + 1) / static_cast<double>(sweeps);
        ++marks;
      }
      restore();
    });
  for (PhaseTime& time : times) time.seconds = team_.max(time.rank_seconds);
  return times;
}

Repetition PreparedOnGpu::measure(std::uint64_t sweeps) {
  constexpr std::uint64_t marked_sweeps = 4;  // at most, for phases
  double clock_hz = absent;
  on_all(team_, [&] { gpu_.begin_clock_span(); });
  const double seconds = seconds_of(sweeps) / static_cast<double>(sweeps);
  on_all(team_, [&] {
    clock_hz = gpu_.clock_of_span();
    if (!std::isfinite(clock_hz)) clock_hz = gpu_.clock_hz();
  });
  std::vector<PhaseTime> of_phases;
  if (application_ != nullptr) of_phases = time_phases(std::min(sweeps, marked_sweeps));
  return {.seconds = team_.max(seconds),
          .rank_seconds = seconds,
          .clock_hz = team_.sum(clock_hz) / team_.ranks(),
          .rank_clock_hz = clock_hz,
          .sentinel = absent,
          .cpu_share = absent,
          .involuntary_switches = 0,
          .mean_cpu_share = absent,
          .rank_cpu_share = absent,
          .steal_seconds = absent,
          .rank_steal_seconds = absent,
          .sweeps = sweeps,
          .phases = std::move(of_phases)};
}

std::uint64_t PreparedOnGpu::calibrate(double min_seconds, double warm_up_seconds) {
  double busy = 0;
  const auto timed = [&](std::uint64_t sweeps) {
    const double seconds = team_.max(seconds_of(sweeps));
    busy += seconds;
    return seconds;
  };
  std::uint64_t sweeps = sweeps_lasting(min_seconds, timed);
  if (busy >= warm_up_seconds) return sweeps;
  while (busy < warm_up_seconds) timed(sweeps);
  return sweeps_lasting(min_seconds, timed);  // on the clock it has now
}

std::unique_ptr<PreparedOnGpu> prepare_on_gpu(const Case& measured, bool check, Gpu& gpu, Timed& timed, Synchronization& team,
                                              const ThreadTeam& threads, std::vector<KernelLaunch>* launches) {
  std::unique_ptr<PreparedOnGpu> prepared;
  const auto attempt = [&](auto act) {
    told_in(timed, "cannot prepare the case on the GPU", [&] {
      try {
        act();
      } catch (const std::bad_alloc&) {
        throw io_error(too_little_memory(measured, gpu));
      }
    });
    return !fails_with_team(timed, team);
  };
  const bool ready = attempt([&] { prepared = std::make_unique<PreparedOnGpu>(measured, gpu, team, threads); }) && attempt([&] {
                       {
                         const WrittenDown written(gpu, launches);
                         prepared->sweep();
                       }
                       prepared->wait();
                       if (check) prepared->check(timed);
                       prepared->restore();
                     });
  if (!ready) prepared.reset();
  return prepared;
}

Timed time_on_gpu(const Case& measured, const TimingProtocol& protocol, Gpu& gpu, Synchronization& team, const ThreadTeam& threads) {
  Timed timed;
  const double began = now_seconds();
  std::vector<KernelLaunch> launches;
  auto prepared = prepare_on_gpu(measured, true, gpu, timed, team, threads, &launches);
  timed.occupancy = theoretical_occupancy(launches, gpu.properties());
  if (prepared) {
    timed.host_flavor = prepared->host_flavor();
    if (protocol.cold_l2) prepared->sweep_cold();
    told_in(timed, "the GPU failed while the case was measured", [&] {
      const double warm_up = std::min(clock_rises_seconds, warm_up_share * protocol.budget_seconds);
      const std::uint64_t sweeps = prepared->calibrate(protocol.min_seconds, warm_up);
      repeat_until_known([&] { return prepared->measure(sweeps); }, protocol, began, 1, team, timed);
      on_all(team, [&] { prepared->look_after_timing(timed); });
    });
    fails_with_team(timed, team);  // as a result may be wrong on one rank
  }
  if (timed.status != Status::ok) timed.repetitions.clear();  // of a case that failed, none are kept
  prepared.reset();                                           // its memory may be wanted for the check below
  check_again([&](Timed& again) { prepare_on_gpu(measured, true, gpu, again, team, threads); }, team, timed);
  return timed;
}

}  // namespace plumbline
