#include "model/regimes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "model/words.hpp"

namespace plumbline {
namespace {

/// In the order of preference, where two factors tell the same.
constexpr std::array<Factor, factor_count> preference{Factor::level,  Factor::precision, Factor::regime, Factor::compiler,
                                                      Factor::kernel, Factor::isa,       Factor::form,   Factor::size,
                                                      Factor::team,   Factor::order,     Factor::node};

/// Which levels each value was tried at, and all of them. A kernel that was only tried when optimized is no regime: that would say more
/// about the trial than about the kernel.
std::vector<std::set<std::uint32_t>> levels_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors) {
  std::vector<std::set<std::uint32_t>> levels(factors.values(factor) + 1);
  for (const auto& one : evidence) {
    if (factors.word(Factor::level, factors.value(one.at, Factor::level)).empty()) continue;  // a library has none
    levels[factors.value(one.at, factor)].insert(factors.value(one.at, Factor::level));
    levels.back().insert(factors.value(one.at, Factor::level));
  }
  return levels;
}

bool is_fairly_tried(Factor factor, std::uint32_t value, const std::vector<std::set<std::uint32_t>>& levels) {
  return factor == Factor::level || levels[value] == levels.back();
}

/// What varies from work to work: the factor from the model at a single value of these says as much of the work as of the counter.
bool is_of_the_work(Factor factor) {
  return factor == Factor::kernel || factor == Factor::form || factor == Factor::order || factor == Factor::size ||
         factor == Factor::regime;
}

struct Steady {
  std::uint32_t value = 0;
  CaseVerdict verdict = {};
};

/// The values whose cases alone are good.
std::vector<Steady> steady_values(const std::vector<Summary>& summaries, const Limits& limits) {
  std::vector<Steady> steady;
  for (std::uint32_t value = 0; value < summaries.size(); ++value)
    if (CaseVerdict verdict = summaries[value].verdict(limits); verdict.is_good()) steady.push_back({value, std::move(verdict)});
  return steady;
}

bool is_same(double a, double b, const Limits& limits) { return std::abs(a / b - 1) <= limits.bias; }

/// The values that share one's factor; those where the counter is right belong together too.
std::vector<std::uint32_t> sharing(const Steady& one, const std::vector<Steady>& steady, const Limits& limits) {
  std::vector<std::uint32_t> values;
  for (const auto& other : steady)
    if ((one.verdict.grade == 'A' && other.verdict.grade == 'A') || is_same(other.verdict.factor, one.verdict.factor, limits))
      values.push_back(other.value);
  return values;
}

struct Found {
  std::vector<std::uint32_t> values = {};
  Summary summary = {};
  CaseVerdict verdict = {};
};

/// The set of values with a common factor that holds the most cases.
Found largest_set(Factor factor, const std::vector<Summary>& summaries, const std::vector<std::set<std::uint32_t>>& levels,
                  const Limits& limits) {
  auto steady = steady_values(summaries, limits);
  std::erase_if(steady, [&](const Steady& one) { return !is_fairly_tried(factor, one.value, levels); });
  Found best;
  for (const auto& one : steady) {
    Found found{.values = sharing(one, steady, limits)};
    for (const std::uint32_t value : found.values) found.summary.add(summaries[value]);
    found.verdict = found.summary.verdict(limits);
    const auto merit = [](const Found& f) { return std::pair(f.summary.cases(), f.verdict.grade == 'A'); };
    if (!found.verdict.is_good() || merit(found) <= merit(best)) continue;
    if (found.verdict.grade == 'B' && is_of_the_work(factor) && found.values.size() < 2) continue;
    best = std::move(found);
  }
  return best;
}

std::vector<Evidence> half_of(std::span<const Evidence> evidence, const FactorTable& factors, Factor factor, bool held_out) {
  std::vector<Evidence> half;
  for (const auto& one : evidence)
    if (factors.is_held_out(one.at, factor) == held_out) half.push_back(one);
  return half;
}

/// Found on one half of the works, and then held against the other.
std::optional<Regimes> regimes_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  const auto levels = levels_by(factor, evidence, factors);
  const Found found = largest_set(factor, summaries_by(factor, half_of(evidence, factors, factor, false), factors, limits), levels, limits);
  if (found.values.empty()) return std::nullopt;
  const auto all = summaries_by(factor, evidence, factors, limits);
  const auto others = summaries_by(factor, half_of(evidence, factors, factor, true), factors, limits);
  Regimes regimes{.factor = factor};
  Summary whole, confirming;
  for (const std::uint32_t value : found.values) {
    whole.add(all[value]);
    confirming.add(others[value]);
    regimes.good.push_back(factors.word(factor, value));
  }
  const auto says_something = std::count_if(all.begin(), all.end(), [](const Summary& s) { return s.says_something(); });
  if (static_cast<std::size_t>(says_something) <= found.values.size()) return std::nullopt;  // nothing is parted from it
  const CaseVerdict verdict = whole.verdict(limits);
  regimes.grade = verdict.is_good() ? verdict.grade : found.verdict.grade;
  regimes.bias = verdict.is_good() ? verdict.factor : found.verdict.factor;
  regimes.cases = whole.cases();
  regimes.held_out = confirming.cases();
  regimes.confirmed = verdict.is_good() && confirming.bears(found.verdict.factor, limits);
  return regimes;
}

/// For words: all the values of a factor are steady, and no two alike.
std::optional<LookUp> look_up_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  const auto summaries = summaries_by(factor, evidence, factors, limits);
  const auto steady = steady_values(summaries, limits);
  const auto says_something = std::count_if(summaries.begin(), summaries.end(), [](const Summary& s) { return s.says_something(); });
  const bool some_right = std::any_of(steady.begin(), steady.end(), [](const Steady& one) { return one.verdict.grade == 'A'; });
  if (steady.size() < (some_right ? 3U : 2U) || static_cast<std::size_t>(says_something) != steady.size()) return std::nullopt;
  LookUp table{.factor = factor};
  for (const auto& one : steady) {
    if (sharing(one, steady, limits).size() > 1) return std::nullopt;
    table.values.push_back(factors.word(factor, one.value));
    table.biases.push_back(one.verdict.factor);
  }
  return table;
}

std::string value_in_words(Factor factor, const std::string& value) {
  if (!value.empty()) return value;
  const bool is_of_flavor = factor == Factor::compiler || factor == Factor::level || factor == Factor::isa;
  return is_of_flavor ? "libraries" : "kernels without " + std::string(to_string(factor));
}

}  // namespace

std::vector<Summary> summaries_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  std::vector<Summary> summaries(factors.values(factor));
  for (const auto& one : evidence) summaries[factors.value(one.at, factor)].add(one, limits);
  return summaries;
}

std::optional<Regimes> good_regimes(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  std::optional<Regimes> best;
  std::size_t cases = 0;
  for (const auto& one : evidence) cases += one.tells() || one.counted_nothing;
  for (const Factor factor : preference) {
    if (factors.values(factor) < 2) continue;
    std::optional<Regimes> found = regimes_by(factor, evidence, factors, limits);
    if (!found || static_cast<double>(found->cases) < rules::smallest_regime * static_cast<double>(cases)) continue;
    if (!best || found->cases > best->cases) best = std::move(found);
  }
  return best;
}

std::optional<LookUp> look_up(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  for (const Factor factor : preference)
    if (factors.values(factor) > 1)
      if (auto table = look_up_by(factor, evidence, factors, limits)) return table;
  return std::nullopt;
}

std::string in_words(const Regimes& regimes, Kind kind) {
  std::vector<std::string> words;
  for (const auto& value : regimes.good) words.push_back(value_in_words(regimes.factor, value));
  const std::string where = std::string(to_string(regimes.factor)) + " " + listed(words);
  if (regimes.grade == 'A') return where + " (A)";
  if (is_same(regimes.bias, 1, limits_of(kind))) return where + " (B, right but for single cases)";
  return where + " (B, x " + significant(1 / regimes.bias, 3) + simple_ratio(1 / regimes.bias, kind) + ")";
}

std::string in_words(const LookUp& table) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < table.values.size(); ++i)
    words.push_back(value_in_words(table.factor, table.values[i]) + " x " + significant(1 / table.biases[i], 3));
  return "its factor is another for each " + std::string(to_string(table.factor)) + ": " + listed(words);
}

std::string where_nothing_is_counted(std::span<const Evidence> evidence, const FactorTable& factors) {
  std::size_t nothings = 0;
  for (const auto& one : evidence) nothings += one.counted_nothing;
  for (const Factor factor : preference) {
    std::vector<std::size_t> with(factors.values(factor)), without(factors.values(factor));
    for (const auto& one : evidence) {
      with[factors.value(one.at, factor)] += one.counted_nothing;
      without[factors.value(one.at, factor)] += one.tells();
    }
    std::vector<std::string> values;
    std::size_t explained = 0, values_seen = 0;
    for (std::uint32_t value = 0; value < with.size(); ++value) {
      values_seen += with[value] + without[value] > 0;
      if (with[value] == 0 || 10 * without[value] > with[value]) continue;
      values.push_back(factors.word(factor, value));
      explained += with[value];
    }
    if (values.size() < values_seen && 10 * explained >= 9 * nothings) return std::string(to_string(factor)) + " " + listed(values);
  }
  return {};
}

}  // namespace plumbline
