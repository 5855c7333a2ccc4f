// The part of a kernel that the emulator counts in every test run leaves out no loop, no size, no compiler and no precision.
#include "tests/kernels/counted_part.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/parameter_sets.hpp"

namespace plumbline {
namespace {

std::vector<Case> grid_of(const Kernel& kernel, const std::vector<Parameters>& sets) {
  std::vector<Case> grid;
  for (const Parameters& p : sets)
    for (const Flavor& flavor : kernel.flavors())
      if (takes(kernel, p, flavor.precision, flavor.name))
        grid.push_back({.kernel = &kernel, .parameters = p, .precision = std::string(flavor.precision), .flavor = flavor, .team = {1, 1}});
  return grid;
}

std::set<std::string> paths_of(const std::vector<Case>& cases) {
  std::set<std::string> all;
  for (const Case& one : cases) all.insert(one.parameters.path());
  return all;
}

std::set<std::string> ids_of(const std::vector<Case>& cases) {
  std::set<std::string> all;
  for (const Case& one : cases) all.insert(one.id());
  return all;
}

TEST(CountedPart, of_sizes_has_every_loop_in_every_flavor_and_every_size) {
  const auto loops_of = [](const std::vector<Case>& cases) {
    std::set<std::string> all;
    for (const Case& one : cases) all.insert(loop_of(one) + flavor_of(one));
    return all;
  };
  std::size_t part_cases = 0, all_cases = 0;
  for (const Kernel& kernel : kernels()) {
    const std::vector<Case> grid = grid_of(kernel, parameter_sets(kernel)), part = part_of_sizes(grid);
    EXPECT_EQ(loops_of(part), loops_of(grid)) << kernel.name;
    EXPECT_EQ(paths_of(part), paths_of(grid)) << kernel.name;
    EXPECT_EQ(ids_of(part).size(), part.size()) << kernel.name << ": each once";
    part_cases += part.size(), all_cases += grid.size();
  }
  EXPECT_LT(2 * part_cases, all_cases);
}

TEST(CountedPart, of_flavors_has_every_size_and_every_loop_by_every_compiler_level_isa_and_precision) {
  const auto makings = [](const std::vector<Case>& cases) {
    std::set<std::string> all;
    for (const Case& one : cases)
      for (const std::string& making : makings_of(one)) all.insert(loop_of(one) + making);
    return all;
  };
  std::size_t part_cases = 0, all_cases = 0;
  for (const Kernel& kernel : kernels())
    for (const std::vector<Parameters>& sets : {kernel.proof.caches, {parameter_sets(kernel).back()}}) {
      const std::vector<Case> grid = grid_of(kernel, sets), part = part_of_flavors(grid);
      EXPECT_EQ(makings(part), makings(grid)) << kernel.name;
      EXPECT_EQ(paths_of(part), paths_of(grid)) << kernel.name;
      EXPECT_EQ(ids_of(part).size(), part.size()) << kernel.name << ": each once";
      part_cases += part.size(), all_cases += grid.size();
    }
  EXPECT_LT(2 * part_cases, all_cases);
}

}  // namespace
}  // namespace plumbline
