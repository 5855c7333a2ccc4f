#include "measure/timing.hpp"

#include "measure/clock.hpp"
#include "measure/repeating.hpp"
#include "measure/stopwatch.hpp"
#include "measure/sweeping.hpp"

namespace plumbline {
std::unique_ptr<Prepared> prepare_case(const Case& measured, bool check, const ThreadTeam& threads, Synchronization& team, Timed& timed,
                                       Arena* arena) {
  std::unique_ptr<Prepared> prepared;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const std::exception& failure) {
      timed.status = Status::failed;
      timed.reason = std::string("cannot prepare the case: ") + failure.what();
    }
    if (fails_with_team(timed, team)) prepared.reset();
  };
  attempt([&] {
    prepared = arena == nullptr ? std::make_unique<Prepared>(measured, threads.size())
                                : std::make_unique<Prepared>(measured, threads.size(), *arena);
    prepared->take_place(team);
    threads.run([&](int thread) { prepared->initialise(thread); });
  });
  if (!prepared) return prepared;
  attempt([&] {
    sweep_once(*prepared, threads, team);
    if (check) check_result(prepared->workload(), measured.flavor.name, timed);
    threads.run([&](int thread) { prepared->restore(thread); });
  });
  return prepared;
}

namespace {

/// Checks what the last timed sweep left; where that was undone, the result of one sweep more. It lies outside all times.
void look_at_result(Prepared& prepared, const Case& measured, const ThreadTeam& threads, Synchronization& team, Timed& timed) {
  try {
    if (prepared.workload().restores()) sweep_once(prepared, threads, team);
    check_after_timing(prepared.workload(), measured.flavor.name, timed);
  } catch (const std::exception& failure) {
    timed = {.status = Status::failed, .reason = std::string("cannot check the result: ") + failure.what(), .repetitions = {}};
  }
  fails_with_team(timed, team);
}

}  // namespace

Timed time_case(const Case& measured, const TimingProtocol& protocol, const ThreadTeam& threads, Synchronization& team) {
  Timed timed;
  const double began = now_seconds();
  auto prepared = prepare_case(measured, true, threads, team, timed);
  if (prepared) {
    Stopwatch watch(*prepared, threads, team, core_clock_hz, [&](std::span<const int> cpus) {
      StolenTime stolen = stolen_time(cpus);
      timed.why_no_steal = stolen.why_not;
      return stolen;
    });
    const std::uint64_t sweeps = watch.calibrate(protocol.min_seconds);
    repeat_until_known([&] { return watch.measure(sweeps); }, protocol, began, measured.team.ranks * measured.team.threads, team, timed);
    look_at_result(*prepared, measured, threads, team, timed);
    prepared.reset();  // its memory may be wanted for the check below
  }
  check_again([&](Timed& again) { prepare_case(measured, true, threads, team, again); }, team, timed);
  return timed;
}

}  // namespace plumbline
