#include "model/scoring/regimes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "model/scoring/bias_interval.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

/// The order in which factors are preferred, where two tell the same.
constexpr std::array<Factor, factor_count> preference{Factor::level,  Factor::precision, Factor::regime, Factor::compiler,
                                                      Factor::kernel, Factor::isa,       Factor::form,   Factor::size,
                                                      Factor::team,   Factor::order,     Factor::node};

/// Whether a factor varies from work to work: the factor from the model at a single value of it says as much of the work as of the counter.
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

/// The set of values with a common factor that holds the most cases whose amount is known; of two as large the one that is right. (Others
/// would not do: a case that the model leaves open tells only where it is wrong.)
Found largest_set(Factor factor, const std::vector<Summary>& summaries, const Limits& limits) {
  const auto steady = steady_values(summaries, limits);
  Found best;
  for (const auto& one : steady) {
    Found found{.values = sharing(one, steady, limits)};
    for (const std::uint32_t value : found.values) found.summary.add(summaries[value]);
    found.verdict = found.summary.verdict(limits);
    const auto merit = [](const Found& f) { return std::tuple(f.summary.narrow(), f.verdict.grade == 'A', f.summary.cases()); };
    if (!found.verdict.is_good() || merit(found) <= merit(best)) continue;
    if (found.verdict.grade == 'B' && is_of_the_work(factor) && found.values.size() < 2) continue;
    best = std::move(found);
  }
  return best;
}

bool holds(const std::vector<std::uint32_t>& values, std::uint32_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Kernels of too few cases for a verdict of their own are taken in where all of these bear the factor: they are no exceptions. (Sizes are
/// not: nearly each of them has few cases, and some agree with anything.)
void add_what_agrees(Found& found, const std::vector<Summary>& summaries, const Limits& limits) {
  for (std::uint32_t value = 0; value < summaries.size(); ++value) {
    const Summary& own = summaries[value];
    if (own.judged() == 0 || own.verdict(limits).grade != '-' || !own.agrees_with(found.verdict.factor)) continue;
    Summary together = found.summary;
    together.add(own);
    if (together.verdict(limits).grade != found.verdict.grade) continue;
    found.summary = std::move(together);
    found.values.push_back(value);
  }
}

/// The comparison of one case that is in no good value with those that agree with it in all else and are.
enum class Beside { nothing_to_see, alike, differs };

Beside compared(const Evidence& one, const std::vector<const Evidence*>& good, const Limits& limits) {
  if (good.empty()) return Beside::nothing_to_see;
  if (one.counted_nothing) return Beside::differs;
  if (!one.tells()) return Beside::nothing_to_see;
  double logs = 0;
  for (const Evidence* other : good) logs += std::log(other->ratio) / static_cast<double>(good.size());
  if (std::abs(std::log(one.ratio) - logs) > 2 * limits.dispersion) return Beside::differs;
  return one.is_narrow() ? Beside::alike : Beside::nothing_to_see;
}

/// Whether most cases of the other values differ from cases of good values that agree in all else, by more than twice the dispersion.
bool is_carried(Factor factor, const std::vector<std::uint32_t>& good, const std::vector<const Evidence*>& by_case,
                const FactorTable& factors, const Limits& limits) {
  const auto& matched = factors.matched(factor);
  std::size_t alike = 0, differing = 0;
  for (std::size_t g = 0; g + 1 < matched.begins.size(); ++g) {
    const auto cases = std::span(matched.cases).subspan(matched.begins[g], matched.begins[g + 1] - matched.begins[g]);
    std::vector<const Evidence*> within;
    for (const std::uint32_t at : cases)
      if (by_case[at] != nullptr && by_case[at]->is_narrow() && holds(good, factors.value(at, factor))) within.push_back(by_case[at]);
    for (const std::uint32_t at : cases) {
      if (by_case[at] == nullptr || holds(good, factors.value(at, factor))) continue;
      const Beside beside = compared(*by_case[at], within, limits);
      alike += beside == Beside::alike;
      differing += beside == Beside::differs;
    }
  }
  return differing >= rules::fewest_comparisons && differing > alike;
}

bool is_off(const Evidence& one, double factor, const Limits& limits) {
  return one.counted_nothing || (one.is_narrow() && std::abs(one.ratio / factor - 1) > limits.worst);
}

using Kernels = std::set<std::uint32_t>;

/// Values of a single kernel say nothing of others; kernels, and what belongs to one by nature, are no such values.
bool says_nothing(Factor factor, const Kernels& kernels) { return !is_of_the_work(factor) && kernels.size() == 1; }

/// The kernels of the cases that tell of each value.
std::vector<Kernels> kernels_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors) {
  std::vector<Kernels> kernels(factors.values(factor));
  for (const auto& one : evidence)
    if (one.is_narrow() || one.counted_nothing) kernels[factors.value(one.at, factor)].insert(factors.value(one.at, Factor::kernel));
  return kernels;
}

/// Whether of no other value a third of the cases is right, but where a value says nothing, or where the model leaves open to which one a
/// case belongs.
bool parts_clearly(Factor factor, const Found& found, std::span<const Evidence> evidence, const FactorTable& factors,
                   const Limits& limits) {
  std::vector<std::size_t> right(factors.values(factor)), all(factors.values(factor));
  for (const auto& one : evidence) {
    if (!one.is_narrow() && !one.counted_nothing) continue;
    const std::uint32_t value = factors.value(one.at, factor);
    ++all[value];
    right[value] += !is_off(one, found.verdict.factor, limits);
  }
  const auto kernels = kernels_by(factor, evidence, factors);
  for (std::uint32_t value = 0; value < all.size(); ++value) {
    if (holds(found.values, value) || 3 * right[value] <= all[value]) continue;
    if (!says_nothing(factor, kernels[value]) && !factors.word(factor, value).starts_with("edge")) return false;
  }
  return true;
}

/// Whether the good values are good on kernels outside of where that was found: without any one kernel the others show the same factor, of
/// no value there is one kernel alone, nor of what is off.
bool is_confirmed(Factor factor, const Found& found, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  Kernels kernels, kernels_off;
  for (const auto& one : evidence) {
    const std::uint32_t kernel = factors.value(one.at, Factor::kernel);
    const bool is_good = holds(found.values, factors.value(one.at, factor));
    if (is_good && one.is_narrow()) kernels.insert(kernel);
    if (!is_good && is_off(one, found.verdict.factor, limits)) kernels_off.insert(kernel);
  }
  const auto by_value = kernels_by(factor, evidence, factors);
  if (kernels.size() < 2 || (factor != Factor::kernel && kernels_off.size() < 2)) return false;
  if (std::any_of(found.values.begin(), found.values.end(), [&](std::uint32_t value) { return says_nothing(factor, by_value[value]); }))
    return false;
  for (const std::uint32_t left_out : kernels) {
    Summary others;
    for (const auto& one : evidence)
      if (holds(found.values, factors.value(one.at, factor)) && factors.value(one.at, Factor::kernel) != left_out) others.add(one, limits);
    const CaseVerdict verdict = others.verdict(limits, rules::strays_allowed(found.summary.judged()));
    if (!verdict.is_good() || !is_same(verdict.factor, found.verdict.factor, limits)) return false;
  }
  return true;
}

/// Drops values of one kernel where others are of several: those alone are a regime.
void drop_what_says_nothing(Factor factor, std::vector<Summary>& summaries, std::span<const Evidence> evidence,
                            const FactorTable& factors) {
  const auto kernels = kernels_by(factor, evidence, factors);
  if (std::none_of(kernels.begin(), kernels.end(), [](const Kernels& of) { return of.size() > 1; })) return;
  for (std::size_t value = 0; value < summaries.size(); ++value)
    if (says_nothing(factor, kernels[value])) summaries[value] = {};
}

Interval interval_of(Factor factor, const Found& found, std::span<const Evidence> evidence, const FactorTable& factors) {
  std::vector<Evidence> within;
  for (const auto& one : evidence)
    if (holds(found.values, factors.value(one.at, factor))) within.push_back(one);
  return steady_interval(within, factors, found.verdict.factor, found.verdict.strays);
}

/// The regimes by one factor; nothing where no values are good, or where it is not this factor that parts them from the others.
std::optional<Regimes> regimes_by(Factor factor, std::span<const Evidence> evidence, const std::vector<const Evidence*>& by_case,
                                  const FactorTable& factors, const Limits& limits) {
  const auto all = summaries_by(factor, evidence, factors, limits);
  auto summaries = all;
  drop_what_says_nothing(factor, summaries, evidence, factors);
  Found found = largest_set(factor, summaries, limits);
  if (factor == Factor::kernel && !found.values.empty()) add_what_agrees(found, summaries, limits);
  if (found.values.empty() || !is_carried(factor, found.values, by_case, factors, limits)) return std::nullopt;
  Regimes regimes{.factor = factor,
                  .grade = found.verdict.grade,
                  .bias = found.verdict.factor,
                  .steady_interval = interval_of(factor, found, evidence, factors),
                  .cases = found.summary.cases(),
                  .confirmed = is_confirmed(factor, found, evidence, factors, limits)};
  for (std::uint32_t value = 0; value < all.size(); ++value)
    if (all[value].says_something()) (holds(found.values, value) ? regimes.good : regimes.others).push_back(factors.word(factor, value));
  const bool is_single_exception = factor == Factor::kernel && regimes.others.size() == 1 && is_same(regimes.bias, 1, limits);
  if (is_single_exception || parts_clearly(factor, found, evidence, factors, limits)) return regimes;
  return std::nullopt;
}

/// The table to look up a factor's values in, for words: all of them are steady, and no two alike.
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
  std::vector<const Evidence*> by_case(factors.cases());
  for (const auto& one : evidence) by_case[one.at] = &one;
  std::size_t cases = 0;
  for (const auto& one : evidence) cases += one.tells() || one.counted_nothing;
  for (const Factor factor : preference) {
    if (factors.values(factor) < 2) continue;
    std::optional<Regimes> found = regimes_by(factor, evidence, by_case, factors, limits);
    if (!found || static_cast<double>(found->cases) < rules::smallest_regime * static_cast<double>(cases)) continue;
    const auto merit = [](const Regimes& r) { return std::pair(r.confirmed, r.cases); };
    if (!best || merit(*found) > merit(*best)) best = std::move(found);
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
  for (const auto& value : regimes.are_exceptions_shorter() ? regimes.others : regimes.good)
    words.push_back(value_in_words(regimes.factor, value));
  const std::string where = (regimes.are_exceptions_shorter() ? "except " : "only for ") +
                            (regimes.factor == Factor::form ? "" : std::string(in_words(regimes.factor)) + " ") + listed(words);
  if (regimes.grade == 'A') return where + " (A)";
  if (is_same(regimes.bias, 1, limits_of(kind))) return where + " (B, right but for single cases)";
  return where + " (B, x " + significant(1 / regimes.bias, 3) + simple_ratio(1 / regimes.bias, kind) + ")";
}

std::string in_words(const LookUp& table) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < table.values.size(); ++i)
    words.push_back(value_in_words(table.factor, table.values[i]) + " x " + significant(1 / table.biases[i], 3));
  return "its factor is another for each " + std::string(in_words(table.factor)) + ": " + listed(words);
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
    if (values.size() < values_seen && 10 * explained >= 9 * nothings) return std::string(in_words(factor)) + " " + listed(values);
  }
  return {};
}

}  // namespace plumbline
