#include "measure/repeating.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/wrong_result.hpp"
#include "measure/clock.hpp"
#include "measure/statistics.hpp"

namespace plumbline {
namespace {

bool precise_enough(const std::vector<Repetition>& all, double ci_relative) {
  std::vector<double> seconds;
  for (const auto& repetition : all) seconds.push_back(repetition.seconds);
  return median_halfwidth(seconds) <= ci_relative;
}

constexpr int rechecks = 3;  // of a result that was wrong

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::uint64_t sweeps_lasting(double min_seconds, const std::function<double(std::uint64_t)>& seconds_of) {
  std::uint64_t sweeps = 1;
  for (;;) {
    const double seconds = seconds_of(sweeps);
    if (seconds >= min_seconds) return sweeps;
    const double factor = seconds > 0 ? 1.2 * min_seconds / seconds : 10.0;
    sweeps = static_cast<std::uint64_t>(std::ceil(static_cast<double>(sweeps) * std::clamp(factor, 1.5, 10.0)));
  }
}

void repeat_until_known(const std::function<Repetition()>& measure, const TimingProtocol& protocol, double began, Synchronization& team,
                        Timed& timed) {
  for (;;) {
    timed.repetitions.push_back(measure());
    const int made = static_cast<int>(timed.repetitions.size());
    if (made >= protocol.max_repetitions) return;
    // The team's seconds are the same number on every rank, the time spent is not: agree.
    const bool spent = team.any(now_seconds() - began > protocol.budget_seconds);
    if (made >= protocol.min_repetitions && (spent || precise_enough(timed.repetitions, protocol.ci_relative))) return;
  }
}

void check_result(const Workload& swept, std::string_view flavor, Timed& timed) {
  timed.error = swept.error();
  timed.tolerance = swept.tolerance();
  if (timed.error <= timed.tolerance) return;
  timed.status = Status::failed;
  timed.wrong_result = true;
  timed.reason = std::string(wrong_result_words) + ": relative error " + short_number(timed.error) + ", expected at most " +
                 short_number(timed.tolerance) + ", in flavor " + std::string(flavor);
}

void check_after_timing(const Workload& swept, std::string_view flavor, Timed& timed) {
  check_result(swept, flavor, timed);
  if (!timed.wrong_result) return;
  timed.reason += "; it was right before the " + std::to_string(timed.repetitions.size()) + " timed repetitions, which are not kept";
  timed.repetitions.clear();
}

void check_again(const std::function<void(Timed&)>& compute, Synchronization& team, Timed& timed) {
  if (!team.any(timed.wrong_result)) return;
  int wrong = 0;
  std::string errors;
  for (int i = 0; i < rechecks; ++i) {
    Timed again;
    compute(again);
    wrong += again.wrong_result ? 1 : 0;
    errors += (i == 0 ? "" : ", ") + short_number(again.error);
  }
  if (timed.wrong_result)
    timed.reason += "; computed " + std::to_string(rechecks) + " times more here: wrong " + std::to_string(wrong) +
                    " times (relative errors " + errors + ")";
}

}  // namespace plumbline
