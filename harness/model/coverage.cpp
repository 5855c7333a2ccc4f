#include "model/coverage.hpp"

#include <algorithm>

namespace plumbline {
namespace {

const std::vector<std::string>& of(const Coverage& coverage, Factor factor) { return coverage.tried[static_cast<std::size_t>(factor)]; }

bool claims_one_precision(const Counter& counter) { return counter.kind == Kind::flops && counter.quantities.size() == 1; }

std::vector<std::string> missing_of(const Counter& counter, const Coverage& coverage, const Summary& summary) {
  std::vector<std::string> missing;
  const auto& levels = of(coverage, Factor::level);
  if (summary.sharp() < rules::fewest_cases) missing.emplace_back("cases whose exact amount is known");
  if (of(coverage, Factor::kernel).size() < 2) missing.emplace_back("a second kernel");
  if (of(coverage, Factor::compiler).size() < 2) missing.emplace_back("a second compiler");
  if (std::find(levels.begin(), levels.end(), "O0") == levels.end()) missing.emplace_back("O0");
  if (levels.size() < 2 && !levels.empty() && levels.front() == "O0") missing.emplace_back("an optimized level");
  if (of(coverage, Factor::precision).size() < 2 && !claims_one_precision(counter)) missing.emplace_back("a second precision");
  // A register-L1 counter has none: there is no loop without loads; nor has one of time.
  if (summary.zero_tests() == 0 && counter.kind != Kind::time && !counter.quantities.empty() &&
      !counter.quantities.front().starts_with("bytes.reg-L1") && counter.convention == Convention::flow)
    missing.emplace_back("a zero test");
  return missing;
}

}  // namespace

Coverage coverage_of(const Counter& counter, std::span<const Evidence> evidence, const FactorTable& factors) {
  Coverage coverage;
  for (std::size_t f = 0; f < factor_count; ++f) {
    const auto factor = static_cast<Factor>(f);
    std::vector<bool> tried(factors.values(factor));
    for (const auto& one : evidence)
      if (one.tells() || one.counted_nothing) tried[factors.value(one.at, factor)] = true;
    for (std::uint32_t value = 0; value < tried.size(); ++value)
      if (tried[value] && !factors.word(factor, value).empty()) coverage.tried[f].push_back(factors.word(factor, value));
    std::sort(coverage.tried[f].begin(), coverage.tried[f].end());
  }
  coverage.missing = missing_of(counter, coverage, summarize(evidence, limits_of(counter.kind)));
  return coverage;
}

}  // namespace plumbline
