// A seed of the adversary is a counter of each kind, judged as `plumbline score` and `score --choose` judge, and what came of it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adversary_kinds.hpp"
#include "adversary_use.hpp"

namespace plumbline::test {

/// The verdict on a counter by its score, held against what is known of the counter.
struct Verdict {
  std::string kind = {};
  bool is_right = false;
  std::uint64_t seed = 0;
  char grade = '-';
  std::string reason = {};
  bool is_harmless = false;         // wrong nowhere by more than a trusted counter may be
  bool is_trusted_wrongly = false;  // who uses it as the score says gets a wrong number in a case that its findings do not except
  bool has_wrong_factor = false;    // and that by the score's own factor or offset, or the interval of it does not hold the true one
  bool is_accused = false;          // a right one: C, D, or a factor
  bool says_why = false;            // the reason has what is wanted
  bool is_as_wanted = false;        // and so is the grade
  bool is_chosen = false, is_chosen_wrongly = false;  // by --choose; wrongly: its interval does not hold the truth
  std::string example = {};                           // a case that would be wrong
};

/// All of one seed; the same for the same seed and kinds.
std::vector<Verdict> verdicts(std::uint64_t seed, const Bases& bases, const CaseWords& words, std::span<const AttackKind> kinds);

/// The result file that a seed's counters would have been stored in, and these counters, for the commands.
struct AttackedResult {
  Results results = {};
  std::vector<Attack> attacks = {};  // in the order of the kinds; counter k is called "counter<k>"
  std::vector<Counter> table = {};   // these, and right ones beside them
};
AttackedResult attacked_result(std::uint64_t seed, const std::vector<TrueCase>& cases, std::span<const AttackKind> kinds);

}  // namespace plumbline::test
