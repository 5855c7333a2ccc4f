// A counter's grade and what is told for it are decided here: a pure function of facts, without words.
#pragma once
#include <span>
#include <vector>

#include "model/scoring/calibration.hpp"
#include "model/scoring/finding.hpp"
#include "model/scoring/regimes.hpp"
#include "model/scoring/stability.hpp"

namespace plumbline {

/// The consequence of a finding of that kind for the grade, the gravest first. A kind without an entry explains, and means nothing by
/// itself.
enum class Consequence { rejects, rejects_where_it_is_so, at_most_B, good_alone };
struct Rule {
  FindingKind kind;
  Consequence consequence;
};
std::span<const Rule> grading_rules();
/// Whether the rules give that kind of finding that consequence.
bool means(FindingKind kind, Consequence consequence);

/// The facts that a grade hangs on.
struct Facts {
  char by_cases = '-';                               // the grade that the ratios alone make
  std::vector<FindingKind> found = {};               // what the evidence shows
  std::optional<Regimes> regimes = {};               // where it is good, if not everywhere
  bool has_look_up = false;                          // every value of some factor has a factor of its own
  OffsetVerdict offset = OffsetVerdict::not_enough;  // where an offset was found
  bool is_good_from = false;                         // beyond some amount, once an offset is taken away that is too uncertain for less
  bool is_good_up_to = false;                        // the amount at which it stops
  Confirmation confirmation = {};
  std::vector<HangsOn> hangs_on = {};
  bool is_of_one_work = false;        // all sharp cases are
  bool is_exception_largest = false;  // the one kernel outside of the regimes has more in each sweep than all others
  bool leaves_open = false;           // cases of which the model leaves too much open
  bool has_one_level = false;         // tried at a single level of optimization
  bool misses_nodes = false;          // on which others counted
  bool is_of_code = false;            // nothing was measured

  bool has(FindingKind kind) const;
};

/// A clause of a reason. `grade` is what it speaks of: the counter's before this clause lowered it, or when it was told.
struct Told {
  FindingKind kind = FindingKind::nothing;
  char grade = '-';
};

/// A grade, and the clauses of the reason for it.
struct Decision {
  char grade = '-';
  bool is_by_offset = false;      // good once an offset is taken away
  std::vector<Told> reason = {};  // in the order in which it is told

  bool is_good() const { return grade == 'A' || grade == 'B'; }
  bool tells(FindingKind kind) const;
};

Decision decide(const Facts& facts);

/// Whether a good grade is a worse one without that kernel or compiler.
bool is_worse_without(const HangsOn& one, char grade);

}  // namespace plumbline
