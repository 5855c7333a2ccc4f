#include "model/scoring/coverage.hpp"

#include <algorithm>

#include "model/placement/chosen_counts.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

const std::vector<std::string>& of(const Coverage& coverage, Factor factor) { return coverage.tried[static_cast<std::size_t>(factor)]; }

bool claims_one_precision(const Counter& counter) { return counter.kind == Kind::flops && counter.quantities.size() == 1; }

std::vector<std::string> missing_of(const Counter& counter, const Coverage& coverage, const Summary& summary, bool none_repeats) {
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
  if (!is_simulated(counter) && none_repeats) missing.emplace_back("three repetitions of a case");
  return missing;
}

/// The name of an open kernel: "proxies/gpp" where no case of a kernel tells, "validation/dgemm in 2 of 8 cases" where some do.
std::vector<std::string> open_kernels(std::span<const Evidence> evidence, const FactorTable& factors) {
  std::vector<std::size_t> tells(factors.values(Factor::kernel)), open(factors.values(Factor::kernel));
  for (const auto& one : evidence) {
    const std::uint32_t kernel = factors.value(one.at, Factor::kernel);
    tells[kernel] += one.tells() || one.counted_nothing;
    open[kernel] += one.is_open();
  }
  std::vector<std::string> words;
  for (std::uint32_t kernel = 0; kernel < open.size(); ++kernel) {
    if (open[kernel] == 0) continue;
    const std::string some = " in " + std::to_string(open[kernel]) + " of " + counted(open[kernel] + tells[kernel], "case");
    words.push_back(factors.word(Factor::kernel, kernel) + (tells[kernel] == 0 ? "" : some));
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::vector<std::string> nodes_without(std::span<const Evidence> evidence, const FactorTable& factors, std::vector<bool> nodes) {
  for (const auto& one : evidence) nodes[factors.value(one.at, Factor::node)] = false;
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes[node]) names.push_back(factors.word(Factor::node, node));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Coverage coverage_of(const Counter& counter, std::span<const Evidence> evidence, const FactorTable& factors,
                     const std::vector<bool>& counted_nodes) {
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
  coverage.open = open_kernels(evidence, factors);
  for (const auto& one : evidence)
    if (one.is_open()) coverage.open_cases.push_back(factors.name(one.at));
  const bool none_repeats = std::none_of(evidence.begin(), evidence.end(), [](const Evidence& one) { return one.repetitions >= 3; });
  coverage.missing = missing_of(counter, coverage, summarize(evidence, limits_of(counter.kind)), none_repeats);
  if (!is_simulated(counter) && !evidence.empty()) coverage.untried_nodes = nodes_without(evidence, factors, counted_nodes);
  for (const auto& node : coverage.untried_nodes) coverage.missing.push_back("node " + node);
  return coverage;
}

}  // namespace plumbline
