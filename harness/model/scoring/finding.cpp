#include "model/scoring/finding.hpp"

#include <array>

namespace plumbline {

std::string_view to_string(FindingKind kind) {
  constexpr auto names = std::to_array<std::string_view>({"always_nothing",
                                                          "nothing",
                                                          "zero_test",
                                                          "grouping",
                                                          "repeatability",
                                                          "repetitions",
                                                          "lost",
                                                          "no_exact_truth",
                                                          "few_counted",
                                                          "some_uncounted",
                                                          "few_cases",
                                                          "unsure_bias",
                                                          "offset",
                                                          "saturates",
                                                          "unseen_flow",
                                                          "unclaimed_flow",
                                                          "other_boundary",
                                                          "by_flows",
                                                          "depends_on",
                                                          "factor",
                                                          "strays",
                                                          "look_up",
                                                          "unconfirmed_regimes",
                                                          "regimes",
                                                          "up_to",
                                                          "unconfirmed",
                                                          "hinges",
                                                          "hangs_on",
                                                          "trusted",
                                                          "undecided",
                                                          "neither",
                                                          "range",
                                                          "calibrated",
                                                          "calibrated_from",
                                                          "unsure_offset",
                                                          "other_than_offset",
                                                          "alone",
                                                          "one_work",
                                                          "largest_exception",
                                                          "open",
                                                          "one_level",
                                                          "untried_nodes",
                                                          "of_code"});
  static_assert(names.size() == finding_kinds);
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace plumbline
