#include "model/scoring/invariance.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

struct Mean {
  double sum = 0;
  std::size_t n = 0;
  void add(double x) { sum += x, ++n; }
  double value() const { return sum / static_cast<double>(n); }
};

/// The mean log ratio at each value that occurs in one group of matched cases.
std::vector<std::pair<std::uint32_t, double>> means_by_value(std::span<const std::uint32_t> cases,
                                                             const std::vector<const Evidence*>& by_case, const FactorTable& factors,
                                                             Factor factor) {
  std::vector<std::pair<std::uint32_t, double>> means;
  Mean mean;
  std::uint32_t value = 0;
  const auto finish = [&] {
    if (mean.n > 0) means.emplace_back(value, mean.value());
    mean = {};
  };
  for (const std::uint32_t at : cases) {
    const Evidence* evidence = by_case[at];
    if (evidence == nullptr || !evidence->is_sharp()) continue;
    if (mean.n > 0 && factors.value(at, factor) != value) finish();
    value = factors.value(at, factor);
    mean.add(std::log(evidence->ratio));
  }
  finish();
  return means;
}

FactorEffect effect_of(Factor factor, const std::vector<const Evidence*>& by_case, const FactorTable& factors) {
  const auto& matched = factors.matched(factor);
  FactorEffect effect{.factor = factor};
  std::vector<Mean> by_value(factors.values(factor));
  for (std::size_t g = 0; g + 1 < matched.begins.size(); ++g) {
    const auto cases = std::span(matched.cases).subspan(matched.begins[g], matched.begins[g + 1] - matched.begins[g]);
    const auto means = means_by_value(cases, by_case, factors, factor);
    if (means.size() < 2) continue;
    Mean middle;
    for (const auto& [value, mean] : means) middle.add(mean);
    for (const auto& [value, mean] : means) by_value[value].add(mean - middle.value());
    ++effect.comparisons;
  }
  const Mean *high = nullptr, *low = nullptr;
  for (const Mean& mean : by_value) {
    if (mean.n == 0) continue;
    if (high == nullptr || mean.value() > high->value()) high = &mean;
    if (low == nullptr || mean.value() < low->value()) low = &mean;
  }
  if (high == nullptr || high->value() == low->value()) return effect;
  effect.ratio = std::exp(high->value() - low->value());
  effect.highest = factors.word(factor, static_cast<std::uint32_t>(high - by_value.data()));
  effect.lowest = factors.word(factor, static_cast<std::uint32_t>(low - by_value.data()));
  return effect;
}

}  // namespace

std::vector<FactorEffect> invariance_of(const std::vector<const Evidence*>& by_case, const FactorTable& factors) {
  std::vector<FactorEffect> effects;
  for (std::size_t f = 0; f < factor_count; ++f) {
    if (factors.values(static_cast<Factor>(f)) < 2) continue;
    const FactorEffect effect = effect_of(static_cast<Factor>(f), by_case, factors);
    if (effect.comparisons > 0) effects.push_back(effect);
  }
  std::stable_sort(effects.begin(), effects.end(), [](const FactorEffect& a, const FactorEffect& b) { return a.ratio > b.ratio; });
  return effects;
}

std::string in_words(const FactorEffect& effect) {
  return effect.highest + " counts " + significant(effect.ratio, 3) + " times what " + effect.lowest + " counts";
}

}  // namespace plumbline
