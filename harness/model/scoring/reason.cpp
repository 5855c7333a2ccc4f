#include "model/scoring/reason.hpp"

#include <algorithm>
#include <array>

#include "model/scoring/diagnosis.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

/// Says what a counter of this kind is held against.
std::string against(Kind kind) { return kind == Kind::time ? "the case's own times" : "the model"; }
std::string inside(Kind kind) { return kind == Kind::time ? "inside what the case's own times allow" : "inside the model's interval"; }

std::string range_of(const Summary& s) { return significant(s.min(), 3) + " to " + significant(s.max(), 3); }

/// The interval of what is subtracted, or added, in words: never less than nothing.
std::string interval_of(const Calibration& c) {
  const bool is_added = c.offset < 0;
  return significant(is_added ? -c.offset_hi : c.offset_lo, 3) + " to " + significant(is_added ? -c.offset_lo : c.offset_hi, 3);
}

std::string why_trusted(const Told&, const Decided& v) {
  const bool is_exact = v.summary.min() == 1 && v.summary.max() == 1;
  const double width = v.score.possible.hi / v.score.possible.lo - 1;
  if (!is_exact) return "within " + percent_of(std::max(v.summary.max() - 1, 1 - v.summary.min())) + " of " + against(v.counter.kind);
  return "always exact, or " + inside(v.counter.kind) + (width < 0.01 ? "" : ", in which it may be off by " + percent_of(width));
}

std::string why_undecided(const Told&, const Decided& v) {
  const Summary& s = v.summary;
  if (s.cases() == 0 && s.zero_tests() == 0) return "no case that could tell";
  if (s.cases() == 0) return "0 expected, 0 counted in " + counted(s.zero_tests(), "case") + ": not graded";
  if (s.cases() < rules::fewest_cases)
    return "only " + counted(s.cases(), "case") + " could tell; a grade takes " + std::to_string(rules::fewest_cases);
  return inside(v.counter.kind) + " in " + counted(s.cases(), "case") + ", but in only " + std::to_string(s.sharp()) +
         " of them is it narrow enough to tell; a grade takes " + std::to_string(rules::fewest_cases);
}

std::string how_wrong(const Told&, const Decided& v) {
  return "neither right nor steady: " + range_of(v.summary) + " times " + against(v.counter.kind);
}

std::string over_all(const Told&, const Decided& v) { return "over all " + range_of(v.summary); }

/// Says what to do: "once 100 operations a rank and sweep (99 to 101) are subtracted; multiply the rest by 0.5".
std::string once_calibrated(const Decided& v) {
  const Calibration& c = v.offset->by.calibration;
  const std::string whose = c.per == OffsetPer::team ? " a sweep" : whose_offset(c.per) + " and sweep";
  const std::string offset = significant(std::abs(c.offset), 4) + " " + unit_of(v.counter) + whose + " (" + interval_of(c) + ")";
  return "once " + (c.offset > 0 ? offset + " are subtracted" : offset + " are added") + "; multiply the rest by " +
         significant(c.factor, 4) + simple_ratio(c.factor, v.counter.kind);
}

std::string how_to_calibrate(const Told&, const Decided& v) { return "steady " + once_calibrated(v); }

std::string how_to_calibrate_large_ones(const Told&, const Decided& v) {
  return "good from " + significant(v.offset->from->from, 3) + " " + unit_of(v.counter) + " a sweep on, " + once_calibrated(v);
}

std::string how_unsure(const Told&, const Decided& v) {
  const Calibration& c = v.offset->by.calibration;
  return "the offset is known too little to be " + std::string(c.offset < 0 ? "added" : "subtracted") + " (" + interval_of(c) + ")";
}

std::string good_up_to(const Told&, const Decided& v) {
  return "good up to " + significant(v.score.amounts->up_to, 3) + " " + unit_of(v.counter) + " a sweep (A)";
}

std::string not_by_offset(const Told&, const Decided&) { return "without that offset it would not be right either"; }

std::string by_table(const Told&, const Decided& v) { return in_words(*v.score.look_up); }

std::string where_good(const Told&, const Decided& v) { return "good " + in_words(*v.score.regimes, v.counter.kind); }

std::string where_unconfirmed(const Told& clause, const Decided& v) {
  return where_good(clause, v) + " by these cases, which no other kernels confirm";
}

std::string good_only_alone(const Told& clause, const Decided&) { return "good only alone (" + std::string(1, clause.grade) + ")"; }

std::string graded_otherwise(const Told&, const Decided& v) {
  const Confirmation& c = v.score.confirmation;
  return "graded " + std::string(1, c.selected) + " on one half of the works, but " + std::string(1, c.confirmed) + " on the other";
}

/// Lists those without which a grade is worse, or the others.
std::string listed_without(bool are_worse, const Told& clause, const Decided& v) {
  std::vector<std::string> words;
  for (const auto& one : v.score.hangs_on) {
    if (is_worse_without(one, clause.grade) != are_worse) continue;
    const std::string grade = one.grade_without == '-' ? "no grade" : std::string(1, one.grade_without);
    words.push_back(one.value + " (without it " + grade + ")");
  }
  return listed(words, 2);
}
std::string what_it_hinges_on(const Told& clause, const Decided& v) { return "hinges on " + listed_without(true, clause, v); }
std::string what_it_hangs_on(const Told& clause, const Decided& v) { return "hangs on " + listed_without(false, clause, v); }

std::string at_one_work(const Told&, const Decided&) {
  return "known at one size of one kernel alone, where it may be a factor as well as a count beyond which it does not go";
}

std::string maybe_the_size(const Told&, const Decided& v) {
  return v.score.regimes->others.front() + " has more in a sweep than all others: it may be the size";
}

std::string what_is_open(const Told&, const Decided& v) {
  return "says nothing of " + listed(v.score.coverage.open, 8) + ", which the model leaves open by more than " +
         significant(rules::widest_told, 2) + " times";
}

std::string at_one_level(const Told&, const Decided& v) {
  return "tried only at " + v.score.coverage.tried[static_cast<std::size_t>(Factor::level)].front();
}

std::string where_untried(const Told&, const Decided& v) { return "not tried on " + listed(v.score.coverage.untried_nodes, 4); }

/// Says how near the code comes to the model, which is worth telling; a grade is given to what measures.
std::string of_code_alone(const Told& clause, const Decided&) {
  const std::string as = "; held against the model as a counter it would be " + std::string(1, clause.grade);
  return "static instruction counts x launch geometry, nothing was measured" + (clause.grade == '-' ? "" : as);
}

/// The wording of what decide() adds to the findings of the diagnosis, which bring words of their own.
struct Wording {
  FindingKind kind;
  std::string (*words)(const Told&, const Decided&);
};
constexpr std::array wordings{
    Wording{FindingKind::trusted, why_trusted},
    Wording{FindingKind::undecided, why_undecided},
    Wording{FindingKind::neither, how_wrong},
    Wording{FindingKind::range, over_all},
    Wording{FindingKind::calibrated, how_to_calibrate},
    Wording{FindingKind::calibrated_from, how_to_calibrate_large_ones},
    Wording{FindingKind::unsure_offset, how_unsure},
    Wording{FindingKind::up_to, good_up_to},
    Wording{FindingKind::other_than_offset, not_by_offset},
    Wording{FindingKind::look_up, by_table},
    Wording{FindingKind::regimes, where_good},
    Wording{FindingKind::unconfirmed_regimes, where_unconfirmed},
    Wording{FindingKind::alone, good_only_alone},
    Wording{FindingKind::unconfirmed, graded_otherwise},
    Wording{FindingKind::hinges, what_it_hinges_on},
    Wording{FindingKind::hangs_on, what_it_hangs_on},
    Wording{FindingKind::one_work, at_one_work},
    Wording{FindingKind::largest_exception, maybe_the_size},
    Wording{FindingKind::open, what_is_open},
    Wording{FindingKind::one_level, at_one_level},
    Wording{FindingKind::untried_nodes, where_untried},
    Wording{FindingKind::of_code, of_code_alone},
};

std::string_view between(const Told& before, const Told& after) {
  if (before.kind == FindingKind::alone || (before.kind == FindingKind::of_code && before.grade != '-')) return ": ";
  return before.kind == FindingKind::trusted && means(after.kind, Consequence::at_most_B) ? ", but " : "; ";
}

}  // namespace

std::string words_of(const Told& clause, const Decided& decided) {
  const auto found = std::find_if(wordings.begin(), wordings.end(), [&](const Wording& one) { return one.kind == clause.kind; });
  return found != wordings.end() ? found->words(clause, decided) : find(decided.score.findings, clause.kind)->words;
}

std::string reason_of(const Decided& decided) {
  const auto& clauses = decided.decision.reason;
  std::string text;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (i > 0) text += between(clauses[i - 1], clauses[i]);
    text += words_of(clauses[i], decided);
  }
  return text;
}

}  // namespace plumbline
