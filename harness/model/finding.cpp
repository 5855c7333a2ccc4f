#include "model/finding.hpp"

#include <array>

namespace plumbline {
namespace {

constexpr std::size_t finding_kinds = static_cast<std::size_t>(FindingKind::hangs_on) + 1;

}  // namespace

std::string_view to_string(FindingKind kind) {
  constexpr std::array<std::string_view, finding_kinds> names{
      "always_nothing",      "nothing",        "zero_test",      "grouping",   "repeatability", "repetitions", "lost",
      "no_exact_truth",      "few_counted",    "some_uncounted", "few_cases",  "unsure_bias",   "offset",      "saturates",
      "unseen_flow",         "unclaimed_flow", "other_boundary", "depends_on", "factor",        "strays",      "look_up",
      "unconfirmed_regimes", "regimes",        "unconfirmed",    "hinges",     "hangs_on"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace plumbline
