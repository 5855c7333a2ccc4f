#include "model/placement/fma_mix.hpp"

#include <algorithm>
#include <array>

#include "core/quantity_parts.hpp"

namespace plumbline {
namespace {

constexpr std::array precisions{"fp64", "fp32", "fp16", "bf16"};

void keep(FmaMixes& mixes, const std::string& precision, FmaMix mix, const std::string& source) {
  if (!mix.is_known()) return;
  mix.source = source;
  mixes.try_emplace(precision, std::move(mix));
}

std::vector<Term> kinds_of(const std::string& precision) {
  const std::string flops = std::string(flops_prefix) + precision;
  return {{flops + ".add", 1, "add"}, {flops + ".mul", 1, "mul"}, {flops + ".fma", 2, "fma"}};
}

}  // namespace

FmaMix fma_mix(std::span<const Term> terms, const std::map<std::string, Reported>& counts) {
  std::map<std::string, double> sums;
  for (const auto& term : terms) {
    if (term.kind.empty()) continue;  // divisions, roots
    const auto found = counts.find(term.event);
    if (found == counts.end() || !found->second.ok()) return {};
    sums[term.kind] += term.weight / (term.kind == "fma" ? 2 : 1) * found->second.value;
  }
  return sums.size() == 3 ? fma_mix(sums["fma"], sums["add"], sums["mul"]) : FmaMix{};
}

FmaMixes counted_fma_mixes(const Measured& measured, const std::string& backend, const std::string& source) {
  FmaMixes mixes;
  if (const auto counts = measured.counts.find(backend); counts != measured.counts.end())
    for (const std::string precision : precisions) keep(mixes, precision, fma_mix(kinds_of(precision), counts->second), source);
  return mixes;
}

FmaMixes profiled_fma_mixes(const ProfilerMetrics& table, const std::map<std::string, Reported>& values, int chip) {
  FmaMixes mixes;
  for (const auto& row : table.rows)
    if (is_flops_total(row.quantity) && (row.chips.empty() || std::find(row.chips.begin(), row.chips.end(), chip) != row.chips.end()))
      keep(mixes, row.quantity.substr(flops_prefix.size()), fma_mix(row.terms, values), table.tool);
  return mixes;
}

FmaMixes modelled_fma_mixes(const Measured& measured) {
  FmaMixes mixes;
  const auto exact = [&](const std::string& quantity) {  // what a model does not name it has none of
    const Bounds bounds = measured.expected(quantity);
    if (!std::isfinite(bounds.lo)) return 0.0;
    return bounds.lo == bounds.hi ? bounds.lo : absent;
  };
  for (const std::string precision : precisions) {
    const std::string flops = std::string(flops_prefix) + precision;
    const double fma = exact(flops + ".fma"), add = exact(flops + ".add"), mul = exact(flops + ".mul");
    if (add == 0 || mul == 0) keep(mixes, precision, fma_mix(fma, add, mul), "model");
  }
  return mixes;
}

}  // namespace plumbline
