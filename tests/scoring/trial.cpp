#include "trial.hpp"

#include <algorithm>

namespace plumbline::test {
namespace {

std::vector<CounterScore> scores_of(const std::vector<TrueCase>& cases, const std::vector<MadeCounter>& made, std::uint64_t seed) {
  const Results results = results_of(cases, made, seed);
  std::vector<Counter> counters;
  for (const auto& one : made) counters.push_back(one.counter);
  return score(measurements_of(results), counters).counters;
}

/// Whether a reason tells a finding, in its words or as an offset that is to be subtracted.
bool tells(const CounterScore& score, const Finding& finding) {
  const bool is_subtracted = finding.kind == FindingKind::offset && score.calibration && score.calibration->offset != 0;
  return is_subtracted || score.reason.find(finding.words) != std::string::npos;
}

}  // namespace

std::vector<MadeCounter> right_and_wrong(const std::vector<Fault>& faults, const std::vector<TrueCase>& cases, Random& random) {
  std::vector<MadeCounter> made;
  for (const auto& claim : right_claims()) made.push_back(right_counter("counter" + std::to_string(made.size()), claim, random));
  for (const auto& fault : faults) {
    const double magnitude = fault.limit > 0 ? random.log_between(fault.limit, fault.largest) : 0;
    made.push_back(faulty_counter("counter" + std::to_string(made.size()), fault, magnitude, cases, random));
  }
  return made;
}

Tried judged(const MadeCounter& made, CounterScore score) {
  Tried tried{.fault = made.kind, .magnitude = made.magnitude, .score = std::move(score)};
  tried.caught = tried.score.grade != 'A';
  if (made.fault == nullptr) return tried;
  const auto& expected = made.fault->findings;
  tried.explained = tried.caught && std::any_of(tried.score.findings.begin(), tried.score.findings.end(), [&](const Finding& finding) {
                      return std::find(expected.begin(), expected.end(), finding.kind) != expected.end() && tells(tried.score, finding);
                    });
  return tried;
}

std::vector<Tried> trial(std::uint64_t seed, const std::vector<Fault>& faults) {
  Random random(seed);
  const std::vector<TrueCase> cases = realistic_campaign(seed);
  const std::vector<MadeCounter> made = right_and_wrong(faults, cases, random);
  const std::vector<CounterScore> scores = scores_of(cases, made, seed);
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < made.size(); ++i) tried.push_back(judged(made[i], scores[i]));
  return tried;
}

Rate detection_rate(const Fault& fault, double magnitude, std::uint64_t first_seed, int seeds) {
  Rate rate;
  for (int i = 0; i < seeds; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    Random random(seed);
    const std::vector<TrueCase> cases = realistic_campaign(seed);
    const std::vector<MadeCounter> made{faulty_counter("counter", fault, magnitude, cases, random)};
    const Tried tried = judged(made.front(), scores_of(cases, made, seed).front());
    rate.caught += tried.caught ? 1.0 / seeds : 0;
    rate.explained += tried.explained ? 1.0 / seeds : 0;
  }
  return rate;
}

}  // namespace plumbline::test
