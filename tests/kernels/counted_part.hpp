// The part of a kernel's cases that the emulator counts in every test run; all of them are counted by the tests whose names end in
// ".whole".
#pragma once
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/kernel.hpp"

namespace plumbline {

/// Whether every case is counted, which takes some minutes.
inline bool whole_grid() {
  const char* const asked = std::getenv("PLUMBLINE_TEST_GRID");
  return asked != nullptr && std::string_view(asked) == "whole";
}

/// The loop of a case: the words among its parameters ("form=loop/"), which choose the code; all else are sizes.
inline std::string loop_of(const Case& one) {
  std::string words;
  for (const ParameterSpec& spec : one.kernel->parameters)
    if (!spec.choices.empty()) words += spec.name + "=" + one.parameters.word(spec.name) + "/";
  return words;
}

/// The flavor of a case, which has a name in each precision.
inline std::string flavor_of(const Case& one) { return one.precision + " " + std::string(one.flavor.name); }

/// The makings of the flavor of a case; a library is its own maker.
inline std::vector<std::string> makings_of(const Case& one) {
  auto [compiler, level, isa] = split_flavor(one.flavor.name);
  if (is_library(one.flavor.name)) compiler = one.flavor.name;
  return {"by " + compiler, "at " + level, "for " + isa, "in " + one.precision};
}

/// Numbers names in the order in which they are met.
class Numbering {
 public:
  std::size_t operator()(const std::string& name) { return numbers_.emplace(name, numbers_.size()).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// The cases that are wanted, and of the others those that have a property which none before them has.
template <class Properties>
std::vector<Case> with_every_property(const std::vector<Case>& grid, const std::vector<bool>& wanted, Properties properties_of) {
  std::set<std::string> met;
  std::vector<Case> part;
  for (const bool first : {true, false})
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (first != wanted[i]) continue;
      const std::vector<std::string> properties = properties_of(grid[i]);
      if (!first && std::all_of(properties.begin(), properties.end(), [&](const std::string& one) { return met.contains(one); })) continue;
      met.insert(properties.begin(), properties.end());
      part.push_back(grid[i]);
    }
  return part;
}

/// The place of each case among the loops, sizes and flavors of its kernel: a part of any of them is another part of the others.
struct Places {
  explicit Places(const std::vector<Case>& grid) {
    for (const Case& one : grid) {
      Loop& loop = loops_.try_emplace(loop_of(one), Loop{.number = loops_.size()}).first->second;
      numbers.push_back(loop.number + loop.sizes(one.parameters.path()) + loop.flavors(flavor_of(one)));
    }
    for (const Case& one : grid) sizes.push_back(loops_.at(loop_of(one)).sizes.size());
  }
  std::vector<std::size_t> numbers, sizes;  // of each case its place, and how many sizes its loop has

 private:
  struct Loop {
    std::size_t number = 0;
    Numbering sizes = {}, flavors = {};
  };
  std::map<std::string, Loop> loops_;
};

constexpr std::size_t one_of = 6;  // a part has one case of so many

/// Every loop in every flavor, at one of six sizes or of those it has, and every size in some flavor.
inline std::vector<Case> part_of_sizes(const std::vector<Case>& grid) {
  const Places places(grid);
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < grid.size(); ++i) wanted.push_back(places.numbers[i] % std::min(one_of, places.sizes[i]) == 0);
  return with_every_property(grid, wanted, [](const Case& one) {
    return std::vector{one.parameters.path(), loop_of(one) + flavor_of(one)};
  });
}

/// Every size in one of six flavors, and every loop by every compiler, at every level, for every ISA and in every precision.
inline std::vector<Case> part_of_flavors(const std::vector<Case>& grid) {
  std::vector<bool> wanted;
  for (const std::size_t number : Places(grid).numbers) wanted.push_back(number % one_of == 0);
  return with_every_property(grid, wanted, [](const Case& one) {
    std::vector<std::string> properties{one.parameters.path()};
    for (const std::string& making : makings_of(one)) properties.push_back(loop_of(one) + making);
    return properties;
  });
}

}  // namespace plumbline
