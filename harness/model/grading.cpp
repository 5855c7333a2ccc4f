#include "model/grading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/kernel.hpp"
#include "model/spread.hpp"

namespace plumbline {
namespace {

/// What a trusted counter may deviate by: FLOPs are counted, bytes are at the mercy of caches and of other traffic.
struct Limits {
  double bias, worst, dispersion;
};
constexpr Limits limits_of(Kind kind) { return kind == Kind::flops ? Limits{0.01, 0.02, 0.005} : Limits{0.05, 0.15, 0.03}; }

/// With fewer cases a grade would say more about the choice of cases than about the counter.
constexpr std::size_t fewest_cases = 3;

struct Summary {
  std::size_t n = 0;
  double bias = absent, min = absent, max = absent, cv = absent;
};

Summary summarize(const std::vector<const Evidence*>& evidence) {
  std::vector<double> ratios;
  double logs = 0;
  for (const auto* e : evidence)
    if (e->tells()) {
      ratios.push_back(e->ratio);
      logs += std::log(e->ratio);
    }
  const Spread spread = spread_of(ratios);
  return {spread.n, spread.n == 0 ? absent : std::exp(logs / static_cast<double>(spread.n)), spread.min, spread.max, spread.cv};
}

bool is_steady(const Summary& s, const Limits& limits) {
  return s.n >= fewest_cases && s.cv <= limits.dispersion && s.max / s.bias - 1 <= limits.worst && 1 - s.min / s.bias <= limits.worst;
}

bool is_trusted(const Summary& s, const Limits& limits) {
  return is_steady(s, limits) && std::abs(s.bias - 1) <= limits.bias && s.max - 1 <= limits.worst && 1 - s.min <= limits.worst;
}

/// "1 case", "2 cases"
std::string counted(std::size_t n, const std::string& noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string print(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// A factor that has a cause: twice counted, lanes, half a line, write-allocate.
std::string simple_ratio(double factor) {
  constexpr std::array<std::pair<double, const char*>, 12> known{{{2, "2"},
                                                                  {3, "3"},
                                                                  {4, "4"},
                                                                  {8, "8"},
                                                                  {16, "16"},
                                                                  {1.5, "3/2"},
                                                                  {4.0 / 3, "4/3"},
                                                                  {0.75, "3/4"},
                                                                  {0.5, "1/2"},
                                                                  {1.0 / 3, "1/3"},
                                                                  {0.25, "1/4"},
                                                                  {0.125, "1/8"}}};
  for (const auto& [value, name] : known)
    if (std::abs(factor / value - 1) < 0.02) return std::string(" (about ") + name + ")";
  return {};
}

std::string range_of(const Summary& s) { return print("%.3g", s.min) + " to " + print("%.3g", s.max); }

std::string level_of(const CaseRow& row) {
  const std::string level = split_flavor(row.flavor).level;
  return level.empty() ? row.flavor : level;
}
std::string precision_word(const CaseRow& row) { return row.precision; }
std::string kernel_of(const CaseRow& row) { return row.kernel; }

using Evidences = std::vector<const Evidence*>;

std::set<std::string> levels_of(const Evidences& evidence) {
  std::set<std::string> levels;
  for (const auto* e : evidence) levels.insert(level_of(*e->of));
  return levels;
}

/// The regimes of one property of a case that are trusted or steady, in words; empty where none is, or all are one regime.
/// A kernel makes a regime only when it was tried in all the ways that there are: else it would say more about the ways.
std::string good_regimes(const Evidences& evidence, const Limits& limits, std::string (*property)(const CaseRow&)) {
  std::map<std::string, Evidences> regimes;
  for (const auto* e : evidence) regimes[property(*e->of)].push_back(e);
  if (regimes.size() < 2) return {};
  std::string text;
  for (const auto& [name, members] : regimes) {
    const bool fails = std::any_of(members.begin(), members.end(), [](const Evidence* e) { return e->fails(); });
    const Summary s = summarize(members);
    if (fails || !is_steady(s, limits) || (property == kernel_of && levels_of(members) != levels_of(evidence))) continue;
    text += (text.empty() ? "" : ", ") + name + (is_trusted(s, limits) ? " (A)" : " (B, x " + print("%.3g", 1 / s.bias) + ")");
  }
  return text;
}

std::string nothing_to_tell(const CounterScore& score) {
  if (score.zero_tests == 0) return "no case that could tell";
  return "rightly counted nothing in " + counted(score.zero_tests, "case") + "; none has something";
}

void decide(CounterScore& score, const Evidences& evidence, const Summary& s, const Limits& limits) {
  const auto failures =
      static_cast<std::size_t>(std::count_if(evidence.begin(), evidence.end(), [](const Evidence* e) { return e->fails(); }));
  if (score.zero_failures > 0) {
    score.grade = 'D';
    score.reason =
        std::to_string(score.zero_failures) + " of " + counted(score.zero_tests, "zero test") + " failed: it counts what is not there";
  } else if (failures > 0) {
    score.grade = 'D';
    score.reason = "counted nothing in " + counted(failures, "case") + (failures == 1 ? " that has something" : " that have something");
  } else if (s.n < fewest_cases) {
    score.reason =
        s.n == 0 ? nothing_to_tell(score) : "only " + counted(s.n, "case") + " could tell; a grade takes " + std::to_string(fewest_cases);
  } else if (is_trusted(s, limits)) {
    score.grade = 'A';
    score.reason = s.min == 1 && s.max == 1 ? "always exact, or inside the model's interval"
                                            : "within " + print("%.2g", 100 * std::max(s.max - 1, 1 - s.min)) + " % of the model";
  } else if (is_steady(s, limits)) {
    score.grade = 'B';
    score.reason = "steady: multiply by " + print("%.4g", 1 / s.bias) + simple_ratio(1 / s.bias);
  } else {
    score.grade = 'D';
    score.reason = "neither right nor steady: " + range_of(s) + " times the model";
    for (const auto property : {level_of, precision_word, kernel_of}) {
      const std::string regimes = good_regimes(evidence, limits, property);
      if (regimes.empty()) continue;
      score.grade = 'C';
      score.reason = "good only for " + regimes + "; over all " + range_of(s);
      break;
    }
  }
}

}  // namespace

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence) {
  std::vector<const Evidence*> all;
  CounterScore score{.counter = counter.name, .quantity = counter.claim(), .convention = counter.convention};
  for (const auto& e : evidence) {
    all.push_back(&e);
    score.zero_tests += e.is_zero_test();
    score.zero_failures += e.is_zero_test() && e.fails();
  }
  const Summary s = summarize(all);
  score.n = s.n;
  score.bias = s.bias;
  score.min = s.min;
  score.max = s.max;
  score.cv = s.cv;
  decide(score, all, s, limits_of(counter.kind));
  return score;
}

}  // namespace plumbline
