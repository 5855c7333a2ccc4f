// Many verdicts, counted by kind.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adversary_trial.hpp"

namespace plumbline::test {

struct KindCount {
  std::string kind = {};
  bool is_right = false;
  int counters = 0, harmless = 0;
  std::map<char, int> grades = {};
  int trusted_wrongly = 0, wrong_factor = 0, accused = 0, says_why = 0, as_wanted = 0, chosen = 0, chosen_wrongly = 0;
  Verdict worst = {};  // one that is not as it should be, if there is any
};

/// Counts verdicts by kind, in the order of the kinds.
std::vector<KindCount> counted_by_kind(const std::vector<Verdict>& verdicts);

/// The shares of all kinds: parts of the right and of the wrong counters.
struct Shares {
  int right = 0, wrong = 0;
  double accused = 0, trusted_wrongly = 0, says_why = 0, as_wanted = 0, chosen_wrongly = 0;
};
Shares shares_of(const std::vector<KindCount>& counts);

/// A line a kind, the shares, and what is not as it should be with an example of each kind.
std::string in_words(const std::vector<KindCount>& counts);
nlohmann::ordered_json json_of(const KindCount& count);
nlohmann::ordered_json json_of(const Shares& shares);

}  // namespace plumbline::test
