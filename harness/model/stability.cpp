#include "model/stability.hpp"

#include <algorithm>

#include "model/bootstrap.hpp"
#include "model/regimes.hpp"

namespace plumbline {

std::vector<HangsOn> leave_one_out(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  std::vector<HangsOn> hangs;
  const char grade = summarize(evidence, limits).grade(limits);
  for (const Factor factor : {Factor::compiler, Factor::kernel}) {
    const auto summaries = summaries_by(factor, evidence, factors, limits);
    const auto says_something = [](const Summary& s) { return s.cases() + s.nothings() + s.zero_failures() > 0; };
    if (std::count_if(summaries.begin(), summaries.end(), says_something) < 2) continue;  // Coverage says that it is the only one
    for (std::uint32_t left_out = 0; left_out < summaries.size(); ++left_out) {
      if (!says_something(summaries[left_out])) continue;
      Summary rest;
      for (std::uint32_t value = 0; value < summaries.size(); ++value)
        if (value != left_out) rest.add(summaries[value]);
      const char without = rest.grade(limits);
      if (without != grade) hangs.push_back({factor, factors.word(factor, left_out), without});
    }
  }
  return hangs;
}

Confirmation confirm(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits) {
  std::vector<bool> held_out(factors.works());
  for (std::uint32_t work = 0; work < factors.works(); ++work) held_out[work] = (stable_hash(factors.work_word(work)) >> 17 & 1) != 0;
  Summary selection, confirmation;
  for (const auto& one : evidence) (held_out[factors.work(one.at)] ? confirmation : selection).add(one, limits);
  return {true, selection.grade(limits), confirmation.grade(limits), confirmation.cases()};
}

}  // namespace plumbline
