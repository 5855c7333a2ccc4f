#include "campaign/confounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/kernel.hpp"

namespace plumbline {
namespace {

using Numbers = std::set<std::size_t>;  // of cases

/// A kind of thing that a counter may depend on, and the cases of each value.
struct Grouping {
  const char* name;
  std::map<std::string, Numbers> cases = {};
};

/// A library has neither compiler nor level nor ISA.
void add(Grouping& grouping, const std::string& value, std::size_t number) {
  if (!value.empty()) grouping.cases[value].insert(number);
}

std::array<Grouping, 6> groupings_of(std::span<const Case> cases) {
  std::array<Grouping, 6> all{Grouping{"kernel"}, {"level"}, {"compiler"}, {"ISA"}, {"precision"}, {"team"}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].team.gpus > 0) continue;
    const FlavorName flavor = split_flavor(cases[i].flavor.name);
    const std::array values{cases[i].kernel->name, flavor.level, flavor.compiler, flavor.isa, cases[i].precision, cases[i].team.name()};
    for (std::size_t g = 0; g < all.size(); ++g) add(all[g], values[g], i);
  }
  return all;
}

bool within(const Numbers& some, const Numbers& others) { return std::includes(others.begin(), others.end(), some.begin(), some.end()); }

/// The values of a grouping that occur with one kernel alone.
void hold_against_kernels(const Grouping& grouping, const Grouping& kernels, std::vector<std::string>& lines) {
  for (const auto& [value, cases] : grouping.cases)
    for (const auto& [kernel, own] : kernels.cases)
      if (within(cases, own))
        lines.push_back(fmt::format(
            "{} {} occurs only with kernel {}: a counter that is wrong there cannot be told from one that is wrong in that kernel; "
            "add {} {} to another kernel",
            grouping.name, value, kernel, grouping.name, value));
}

void hold_together(const Grouping& one, const Grouping& other, std::vector<std::string>& lines) {
  for (const auto& [value, cases] : one.cases)
    for (const auto& [second, own] : other.cases)
      if (cases == own)
        lines.push_back(
            fmt::format("{} {} and {} {} occur only together: a counter that is wrong there may be so by either; add one of them without "
                        "the other",
                        one.name, value, other.name, second));
}

}  // namespace

std::vector<std::string> confounded(std::span<const Case> cases) {
  const auto all = groupings_of(cases);
  const Grouping& kernels = all.front();
  std::vector<std::string> lines;
  if (kernels.cases.size() < 2) return lines;
  for (std::size_t g = 1; g < all.size(); ++g)
    if (all[g].cases.size() > 1) hold_against_kernels(all[g], kernels, lines);
  for (std::size_t g = 1; g < all.size(); ++g)
    for (std::size_t other = g + 1; other < all.size(); ++other)
      if (all[g].cases.size() > 1 && all[other].cases.size() > 1) hold_together(all[g], all[other], lines);
  return lines;
}

}  // namespace plumbline
