#include "measure/repeating.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/disturbed.hpp"
#include "core/status.hpp"
#include "measure/clock.hpp"
#include "measure/statistics.hpp"

namespace plumbline {
namespace {

bool known_well_enough(const std::vector<double>& seconds, const TimingProtocol& protocol) {
  return static_cast<int>(seconds.size()) >= protocol.min_repetitions && median_halfwidth(seconds) <= protocol.ci_relative;
}

std::vector<double> seconds_of(const std::vector<Repetition>& all) {
  std::vector<double> seconds;
  for (const auto& repetition : all) seconds.push_back(repetition.seconds);
  return seconds;
}

std::vector<double> undisturbed_seconds_of(const std::vector<Repetition>& all, std::int64_t threads) {
  std::vector<RepetitionConditions> conditions;
  for (const auto& r : all)
    conditions.push_back(
        {r.mean_cpu_share, r.steal_seconds, r.clock_hz, r.seconds * static_cast<double>(r.sweeps) * static_cast<double>(threads)});
  const std::vector<bool> disturbed = find_disturbed(conditions);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!disturbed[i]) seconds.push_back(all[i].seconds);
  return seconds;
}

constexpr std::size_t times_as_many = 3;  // repetitions where some are disturbed: those that were enough, and again up to twice

constexpr int rechecks = 3;  // of a result that was wrong

/// A thread that lost its core for a while makes few sweeps look long. So much longer than expected they are tried again; a pause lasts
/// so many seconds at most.
constexpr double pause_factor = 3, longest_pause = 1;

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

bool fails_with_team(Timed& timed, Synchronization& team) {
  const bool fails = team.any(timed.status != Status::ok);
  if (fails && timed.status == Status::ok)
    timed = {.status = Status::failed, .reason = another_rank("failed"), .repetitions = {}, .failed_at = FailedAt::another_rank};
  return fails;
}

std::uint64_t sweeps_lasting(double min_seconds, const std::function<double(std::uint64_t)>& seconds_of) {
  std::uint64_t sweeps = 1;
  double expected = 0;  // seconds of so many sweeps, by the fewer ones before
  for (;;) {
    double seconds = seconds_of(sweeps);
    const bool doubted = seconds >= min_seconds && seconds > pause_factor * expected && seconds < longest_pause;
    if (doubted) seconds = std::min(seconds, seconds_of(sweeps));
    if (seconds >= min_seconds) return sweeps;
    const double factor = seconds > 0 ? 1.2 * min_seconds / seconds : 10.0;
    const double before = static_cast<double>(sweeps);
    sweeps = static_cast<std::uint64_t>(std::ceil(before * std::clamp(factor, 1.5, 10.0)));
    expected = seconds * static_cast<double>(sweeps) / before;
  }
}

void repeat_until_known(const std::function<Repetition()>& measure, const TimingProtocol& protocol, double began, std::int64_t threads,
                        Synchronization& team, Timed& timed) {
  std::size_t enough = 0;  // repetitions when the median of all was first known well enough
  for (;;) {
    timed.repetitions.push_back(measure());
    const int made = static_cast<int>(timed.repetitions.size());
    if (made >= protocol.max_repetitions) return;
    // The team's seconds are the same number on every rank, the time spent is not: agree.
    const bool spent = team.any(now_seconds() - began > protocol.budget_seconds);
    if (made >= protocol.min_repetitions && spent) return;
    if (known_well_enough(undisturbed_seconds_of(timed.repetitions, threads), protocol)) return;
    if (!protocol.quiet && known_well_enough(seconds_of(timed.repetitions), protocol)) return;
    if (enough == 0 && known_well_enough(seconds_of(timed.repetitions), protocol)) enough = timed.repetitions.size();
    if (enough > 0 && timed.repetitions.size() >= times_as_many * enough) return;
  }
}

void check_result(const Workload& swept, std::string_view flavor, Timed& timed) {
  timed.error = swept.error();
  timed.tolerance = swept.tolerance();
  if (timed.error <= timed.tolerance) return;
  timed.status = Status::wrong_result;
  timed.reason = std::string(wrong_result_words) + ": relative error " + short_number(timed.error) + ", expected at most " +
                 short_number(timed.tolerance) + ", in flavor " + std::string(flavor);
}

void check_after_timing(const Workload& swept, std::string_view flavor, Timed& timed) {
  check_result(swept, flavor, timed);
  if (timed.status != Status::wrong_result) return;
  timed.reason += "; it was right before the " + std::to_string(timed.repetitions.size()) + " timed repetitions, which are not kept";
  timed.repetitions.clear();
}

void check_again(const std::function<void(Timed&)>& compute, Synchronization& team, Timed& timed) {
  const bool wrong_here = timed.status == Status::wrong_result;
  if (!team.any(wrong_here)) return;
  int wrong = 0;
  std::string errors;
  for (int i = 0; i < rechecks; ++i) {
    Timed again;
    compute(again);
    wrong += again.status == Status::wrong_result ? 1 : 0;
    errors += (i == 0 ? "" : ", ") + short_number(again.error);
  }
  if (wrong_here)
    timed.reason += "; computed " + std::to_string(rechecks) + " times more here: wrong " + std::to_string(wrong) +
                    " times (relative errors " + errors + ")";
}

}  // namespace plumbline
