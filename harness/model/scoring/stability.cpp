#include "model/scoring/stability.hpp"

#include <algorithm>

#include "model/scoring/regimes.hpp"

namespace plumbline {

namespace {

/// Whether leaving a value out says nothing of it, as it stands for another: where all cases of a level, a precision or an ISA are those of
/// one compiler.
bool stands_for_another(Factor factor, std::uint32_t value, std::span<const Evidence> evidence, const FactorTable& factors) {
  for (const Factor other : {Factor::level, Factor::precision, Factor::isa}) {
    std::vector<bool> within(factors.values(other)), beside(factors.values(other));
    for (const auto& one : evidence)
      if (one.tells() || one.counted_nothing)
        (factors.value(one.at, factor) == value ? within : beside)[factors.value(one.at, other)] = true;
    for (std::size_t i = 0; i < within.size(); ++i)
      if (within[i] && !beside[i]) return true;
  }
  return false;
}

}  // namespace

std::vector<HangsOn> leave_one_out(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  std::vector<HangsOn> hangs;
  const Summary all = summarize(evidence, limits);
  const char grade = all.verdict(limits).grade;
  for (const Factor factor : {Factor::compiler, Factor::kernel}) {
    const auto summaries = summaries_by(factor, evidence, factors, limits);
    const auto says_something = [](const Summary& s) { return s.says_something(); };
    if (std::count_if(summaries.begin(), summaries.end(), says_something) < 2) continue;  // Coverage says that it is the only one
    for (std::uint32_t left_out = 0; left_out < summaries.size(); ++left_out) {
      if (!summaries[left_out].says_something() || factors.word(factor, left_out).empty()) continue;  // a library has no compiler
      if (factor == Factor::compiler && stands_for_another(factor, left_out, evidence, factors)) continue;
      Summary rest;
      for (std::uint32_t value = 0; value < summaries.size(); ++value)
        if (value != left_out) rest.add(summaries[value]);
      const auto strays = rules::strays_allowed(all.judged());
      const char without = rest.verdict(limits, strays).grade;
      const bool contradicts = without > grade && rest.verdict(rules::limits_of_a_part(limits), strays).grade > grade;
      if (contradicts || without < grade) hangs.push_back({factor, factors.word(factor, left_out), without});
    }
  }
  return hangs;
}

Confirmation confirm(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  Summary selection, held_out;
  for (const auto& one : evidence) (factors.is_held_out(one.at, Factor::kernel) ? held_out : selection).add(one, limits);
  const CaseVerdict selected = selection.verdict(limits), own = held_out.verdict(limits);
  Confirmation confirmation{true, selected.grade, own.grade, held_out.cases()};
  if (!selected.is_good() || own.grade == '-') return confirmation;
  confirmation.confirmed = held_out.bears(selected.factor, limits) ? std::max(selected.grade, own.grade) : 'D';
  return confirmation;
}

}  // namespace plumbline
