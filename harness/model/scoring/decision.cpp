#include "model/scoring/decision.hpp"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

using enum FindingKind;

bool is_good(char grade) { return grade == 'A' || grade == 'B'; }

void tell(Decision& decision, FindingKind kind) { decision.reason.push_back({kind, decision.grade}); }

void tell_first(Decision& decision, FindingKind kind) { decision.reason.insert(decision.reason.begin(), Told{kind, decision.grade}); }

/// Tells up to two of the findings that explain a counter that is neither right nor steady.
void explain(const Facts& facts, Decision& decision) {
  constexpr std::array explanations{offset, saturates, unseen_flow, unclaimed_flow, by_flows, other_boundary, depends_on};
  int told = 0;
  for (const FindingKind kind : explanations)
    if (facts.has(kind) && told++ < 2) tell(decision, kind);
}

/// Finds where a counter that is wrong somewhere is good: up to where it stops, or in a regime that other cases confirm; or why that is no
/// regime. A counter that follows its flows everywhere is right in the cases that have none of one: that is no regime.
std::optional<FindingKind> where_good(const Facts& facts) {
  if (facts.is_good_up_to) return up_to;
  if (facts.has_look_up) return look_up;
  if (!facts.regimes || facts.has(by_flows)) return std::nullopt;
  return facts.regimes->confirmed ? regimes : unconfirmed_regimes;
}

/// `wrong` says what is wrong with it.
Decision by_regimes(const Facts& facts, FindingKind wrong) {
  const std::optional<FindingKind> where = where_good(facts);
  const bool is_limited = where == up_to || where == regimes;
  Decision decision{.grade = is_limited ? 'C' : 'D'};
  if (!is_limited || facts.has(nothing)) tell(decision, wrong);
  if (where) tell(decision, *where);
  if (is_limited && !facts.has(nothing)) tell(decision, range);
  explain(facts, decision);
  return decision;
}

Decision rejected(const Facts& facts, FindingKind why) {
  Decision decision{.grade = 'D'};
  tell(decision, why);
  explain(facts, decision);
  return decision;
}

Decision by_offset(const Facts& facts) {
  if (facts.offset == OffsetVerdict::calibrated) return {.grade = 'B', .is_by_offset = true, .reason = {{calibrated, 'B'}}};
  if (facts.is_good_from) return {.grade = 'C', .is_by_offset = true, .reason = {{calibrated_from, 'C'}}};
  Decision decision = by_regimes(facts, neither);
  tell(decision, facts.offset == OffsetVerdict::too_uncertain ? unsure_offset : other_than_offset);
  return decision;
}

/// Decides by the ratios alone.
Decision by_ratios(const Facts& facts) {
  if (facts.by_cases == 'D') return facts.has(offset) ? by_offset(facts) : by_regimes(facts, neither);
  Decision decision{.grade = facts.by_cases};
  if (facts.has(strays))
    tell(decision, strays);
  else if (facts.has(factor))
    tell(decision, factor);
  else
    tell(decision, facts.by_cases == 'A' ? trusted : undecided);
  return decision;
}

/// Whether a finding alone decides, the gravest first; else the ratios do. Zero tests are judged after an offset that is known.
Decision by_gravest(const Facts& facts) {
  const bool is_by_offset = facts.has(offset) && (facts.offset == OffsetVerdict::calibrated || facts.is_good_from);
  for (const Rule& rule : grading_rules()) {
    if (!facts.has(rule.kind) || (rule.kind == zero_test && is_by_offset)) continue;
    if (rule.consequence == Consequence::rejects) return rejected(facts, rule.kind);
    if (rule.consequence == Consequence::rejects_where_it_is_so) return by_regimes(facts, rule.kind);
  }
  return by_ratios(facts);
}

/// Limits a grade to what good ratios alone do not make better.
void limit(const Facts& facts, Decision& decision) {
  if (!decision.is_good()) return;
  for (const Rule& rule : grading_rules()) {
    if (!facts.has(rule.kind)) continue;
    if (rule.consequence == Consequence::at_most_B) {
      tell(decision, rule.kind);
      decision.grade = 'B';
    } else if (rule.consequence == Consequence::good_alone) {
      decision.reason = {{alone, decision.grade}, {rule.kind, decision.grade}};
      decision.grade = 'C';
    }
  }
}

/// A grade that a part of the evidence contradicts is lowered; what it hangs on otherwise is told.
void qualify(const Facts& facts, Decision& decision) {
  if (decision.is_by_offset) return;  // parts were judged with it
  const Confirmation& held_out = facts.confirmation;
  if (decision.is_good() && held_out.contradicts() && held_out.confirmed > decision.grade) {
    tell_first(decision, unconfirmed);
    decision.grade = held_out.confirmed;
  }
  if (decision.grade == '-') return;
  const char before = decision.grade;
  for (const auto& one : facts.hangs_on)
    if (is_worse_without(one, before)) decision.grade = std::max(decision.grade, one.grade_without);
  if (decision.grade != before) decision.reason.insert(decision.reason.begin(), Told{hinges, before});
  const auto only_moves = [&](const HangsOn& one) { return !is_worse_without(one, before); };
  if (std::any_of(facts.hangs_on.begin(), facts.hangs_on.end(), only_moves)) decision.reason.push_back({hangs_on, before});
}

/// Leaves a counter undecided that is off by a factor at one size of one kernel: it may as well not count beyond some size.
void leave_undecided(const Facts& facts, Decision& decision) {
  if (decision.grade != 'B' || !facts.has(factor) || !facts.is_of_one_work) return;
  decision.grade = '-';
  tell_first(decision, one_work);
}

/// Tells what any grade should be read with: cases without a count, and a single level of optimization.
void add_coverage(const Facts& facts, Decision& decision) {
  if (decision.grade == 'C' && facts.is_exception_largest) tell(decision, largest_exception);
  if (facts.leaves_open && decision.grade != 'D') tell(decision, open);
  if (decision.grade == '-') return;
  if (facts.has_one_level && decision.grade != 'D') tell(decision, one_level);
  for (const FindingKind kind : {some_uncounted, few_counted, no_exact_truth})
    if (facts.has(kind) && !decision.tells(kind)) tell(decision, kind);
  if (facts.misses_nodes && decision.grade != 'D') tell(decision, untried_nodes);
}

}  // namespace

std::span<const Rule> grading_rules() {
  static constexpr std::array rules{
      Rule{always_nothing, Consequence::rejects},
      Rule{zero_test, Consequence::rejects},
      Rule{nothing, Consequence::rejects_where_it_is_so},
      Rule{repeatability, Consequence::rejects},
      Rule{lost, Consequence::rejects},
      Rule{repetitions, Consequence::at_most_B},
      Rule{few_counted, Consequence::at_most_B},
      Rule{few_cases, Consequence::at_most_B},
      Rule{unsure_bias, Consequence::at_most_B},
      Rule{grouping, Consequence::good_alone},
  };
  return rules;
}

bool means(FindingKind kind, Consequence consequence) {
  const auto rules = grading_rules();
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.kind == kind && rule.consequence == consequence; });
}

bool Facts::has(FindingKind kind) const { return std::find(found.begin(), found.end(), kind) != found.end(); }

bool Decision::tells(FindingKind kind) const {
  return std::any_of(reason.begin(), reason.end(), [&](const Told& told) { return told.kind == kind; });
}

bool is_worse_without(const HangsOn& one, char grade) { return is_good(grade) && one.grade_without != '-' && one.grade_without > grade; }

Decision decide(const Facts& facts) {
  Decision decision = by_gravest(facts);
  limit(facts, decision);
  qualify(facts, decision);
  leave_undecided(facts, decision);
  add_coverage(facts, decision);
  if (facts.is_of_code) tell_first(decision, of_code);
  return decision;
}

}  // namespace plumbline
