#include "model/regimes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "model/words.hpp"

namespace plumbline {
namespace {

/// In the order of preference, where two factors tell the same.
constexpr std::array<Factor, factor_count> preference{Factor::level,  Factor::precision, Factor::regime, Factor::compiler,
                                                      Factor::kernel, Factor::isa,       Factor::form,   Factor::size,
                                                      Factor::team,   Factor::order,     Factor::node};

/// Good regimes must hold this part of the cases: among many values a few agree by chance.
constexpr double smallest_share = 0.15;

/// Which levels each value was tried at, and all of them. A kernel that was only tried when optimized is no regime: that would say more
/// about the trial than about the kernel.
std::vector<std::set<std::uint32_t>> levels_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors) {
  std::vector<std::set<std::uint32_t>> levels(factors.values(factor) + 1);
  for (const auto& one : evidence) {
    levels[factors.value(one.at, factor)].insert(factors.value(one.at, Factor::level));
    levels.back().insert(factors.value(one.at, Factor::level));
  }
  return levels;
}

Regimes regimes_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  Regimes found{.factor = factor};
  const auto levels = levels_by(factor, evidence, factors);
  const auto summaries = summaries_by(factor, evidence, factors, limits);
  for (std::uint32_t value = 0; value < summaries.size(); ++value) {
    const Summary& summary = summaries[value];
    if (summary.cases() + summary.nothings() + summary.zero_tests() == 0) continue;
    const char grade = summary.grade(limits);
    const bool fairly_tried = factor == Factor::level || levels[value] == levels.back();
    if ((grade != 'A' && grade != 'B') || !fairly_tried) {
      if (summary.cases() + summary.nothings() > 0) found.others.push_back(factors.word(factor, value));
      continue;
    }
    found.good.push_back({factors.word(factor, value), grade, summary.cases(), summary.bias()});
    found.cases += summary.cases();
  }
  return found;
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
    Regimes found = regimes_by(factor, evidence, factors, limits);
    if (found.good.empty() || found.others.size() + found.good.size() < 2) continue;
    if (static_cast<double>(found.cases) < smallest_share * static_cast<double>(cases)) continue;
    if (!best || found.cases > best->cases) best = std::move(found);
  }
  return best;
}

std::string in_words(const Regimes& regimes) {
  std::vector<std::string> words;
  for (const auto& regime : regimes.good)
    words.push_back((regime.value.empty() ? "(without)" : regime.value) +
                    (regime.grade == 'A' ? " (A)" : " (B, x " + significant(1 / regime.bias, 3) + simple_ratio(1 / regime.bias) + ")"));
  return std::string(to_string(regimes.factor)) + " " + listed(words);
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
