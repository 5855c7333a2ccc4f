#include "app/stages/wanted_ceilings.hpp"

#include <algorithm>
#include <iterator>

#include "campaign/expand.hpp"

namespace plumbline::app {
namespace {

/// Loads and chase of one core say where the levels are, without which no working set of another pattern has one.
bool core_shows_levels(const CeilingCase& ceiling) {
  return ceiling.level == CeilingKind::sweep && (ceiling.pattern == "load" || ceiling.pattern == "chase") &&
         ceiling.measured.team == Team{1, 1};
}

}  // namespace

bool is_wanted(const CeilingsWish& wish, const std::string& name) {
  return wish.only.empty() || std::any_of(wish.only.begin(), wish.only.end(), [&](const auto& glob) { return matches(glob.value, name); });
}

std::vector<CeilingCase> wanted_of(std::span<const CeilingCase> all, const CeilingsWish& wish) {
  const auto is_named = [&](const CeilingCase& one) { return is_wanted(wish, one.name); };
  const bool sweeps =
      std::any_of(all.begin(), all.end(), [&](const CeilingCase& one) { return one.level == CeilingKind::sweep && is_named(one); });
  std::vector<CeilingCase> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [&](const CeilingCase& one) { return is_named(one) || (sweeps && core_shows_levels(one)); });
  return wanted;
}

}  // namespace plumbline::app
