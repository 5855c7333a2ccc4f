// A reader uses a counter as its score says: in the cases that were scored, and in others that were not.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adversary_kinds.hpp"
#include "core/counter_set.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::test {

/// Cases by which a score is made, and others (sizes, kernels at other levels, by other compilers, by other teams) by which it is held to
/// its word.
struct Bases {
  std::vector<TrueCase> scored = {}, held_out = {};
};

/// The words of every case for every factor that a regime may be of.
class CaseWords {
 public:
  explicit CaseWords(const Bases& bases);
  const std::string& word(const std::string& case_id, Factor factor) const { return words_.at(case_id)[static_cast<std::size_t>(factor)]; }

 private:
  std::map<std::string, std::array<std::string, factor_count>> words_;
};

/// The count of one case by the counter.
struct Count {
  const TrueCase* of = nullptr;
  double measured = 0;  // of the team
};

/// The faults of using a counter.
struct Use {
  bool is_off = false;            // in a case in which the score says that it is good
  bool is_off_by_factor = false;  // and the score's own factor or offset was applied
  bool is_off_as_chosen = false;  // the interval of --choose does not hold the truth
  std::string example = {};       // such a case
};

/// Whether a count is off by more than a trusted counter may be, and by more than interrupts and a sweep's surroundings make.
bool is_off(const MadeCounter& made, const Count& count, double amount);

/// `chosen` may be null.
Use used_as_it_says(const MadeCounter& made, const CounterScore& score, const ChosenCounter* chosen, const std::vector<Count>& counts,
                    const CaseWords& words);

/// Whether what the score says of the bias, or of the offset, with the interval that it gives, does not hold the one that a counter without
/// noise has in all these cases; false where it has another in each.
bool is_stated_wrongly(const MadeCounter& made, const CounterScore& score, const std::vector<TrueCase>& cases, const CaseWords& words,
                       std::uint64_t seed);

}  // namespace plumbline::test
