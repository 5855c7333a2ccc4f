// The last witness is what the machine code of every flavor does, counted by the emulator and held against the model. Runs under the
// Valgrind tool; --l1=, --l2=, --l3= repeat the simulated geometry that the tool was given.
#include "counters/emulated/emulated.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <map>

#include "core/case.hpp"
#include "core/flows.hpp"
#include "machine/cpu.hpp"
#include "measure/arena.hpp"
#include "measure/counting.hpp"
#include "measure/executed.hpp"
#include "tests/kernels/counted_part.hpp"
#include "tests/kernels/parameter_sets.hpp"

namespace plumbline {
namespace {

std::vector<CacheLevel> caches;  // empty when the tool simulates none

using Net = std::map<std::string, std::int64_t, std::less<>>;

Net net_of(const RegionCounts& counts) {
  Net net;
  for (std::size_t t = 0; t < counts.kernel.size(); ++t)
    for (std::size_t e = 0; e < counts.kernel[t].size(); ++e)
      net[std::string(counts.kernel[t][e].event)] +=
          static_cast<std::int64_t>(counts.kernel[t][e].raw) - static_cast<std::int64_t>(counts.empty[t][e].raw);
  return net;
}

/// A part is a case, or one phase of an application: what was counted of it, and what its model says.
struct Part {
  std::string name;
  Net net;
  Counts model;
};

/// The whole, then phase by phase.
std::vector<Part> parts_of(const Case& measured) {
  const auto backend = emulated_backend();
  const int threads = measured.team.threads;
  Synchronization alone;
  const CountedCase counted = count_case(measured, *backend, 0, ThreadTeam(threads), {.address = Arena::fixed_address}, alone);
  const auto application = measured.application();
  std::vector<Part> parts{
      {measured.id(), net_of(counted.repetitions.at(0)),
       application ? expected_counts(*application, caches, threads) : expected_counts(measured.work(), caches, threads)}};
  for (std::size_t i = 0; i < counted.phases.size(); ++i) {
    const Phase& phase = application->phases.at(i);
    parts.push_back(
        {measured.id() + " " + phase.name, net_of(counted.phases[i].at(0)), expected_counts(*application, phase, caches, threads)});
  }
  return parts;
}

std::int64_t flops(const Net& net, const std::string& precision) {
  const std::string f = "flops." + precision;
  return net.at(f + ".add") + net.at(f + ".mul") + 2 * net.at(f + ".fma") + net.at(f + ".div") + net.at(f + ".sqrt");
}

bool inside(std::int64_t value, Amount amount) {
  return value >= static_cast<std::int64_t>(amount.lo) && value <= static_cast<std::int64_t>(amount.hi);
}

std::string text(Amount amount) { return "[" + std::to_string(amount.lo) + ", " + std::to_string(amount.hi) + "]"; }

class Emulated : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto availability = emulated_backend()->availability(); !availability.ok()) GTEST_SKIP() << "SKIP: " << availability.reason;
  }
  const Kernel& kernel() const { return *find_kernel(GetParam()); }

  /// Calls check(case) for every set and every flavor that the emulator knows, or for a part of them (counted_part.hpp).
  template <class Choice, class Check>
  void for_all(const std::vector<Parameters>& sets, int threads, Choice part, Check check) const {
    std::vector<Case> grid;
    for (const Parameters& p : sets)
      for (const Flavor& flavor : kernel().flavors()) {
        const std::string isa = split_flavor(flavor.name).isa;
        if ((!isa.empty() && !runs_isa(isa)) || !takes(kernel(), p, flavor.precision, flavor.name)) continue;
        grid.push_back(
            {.kernel = &kernel(), .parameters = p, .precision = std::string(flavor.precision), .flavor = flavor, .team = {1, threads}});
      }
    std::printf("of %zu cases ", grid.size());
    for (const Case& measured : whole_grid() ? grid : part(grid)) check(measured);
  }

  static void flops_are_those_of_the_model(const std::vector<Part>& parts) {
    for (const auto& [name, net, model] : parts)
      for (const std::string precision : {"fp64", "fp32"})
        EXPECT_TRUE(inside(flops(net, precision), model.at("flops." + precision)))
            << name << ": " << precision << " counted " << flops(net, precision) << " model " << text(model.at("flops." + precision));
  }

  /// These kernels have nothing that Valgrind's optimizer may leave out (harness/emulator/README.md): equal to the byte.
  static void references_are_those_of_the_twin(const Case& measured, const std::vector<Part>& parts) {
    const Executed executed = executed_references(measured);
    if (executed.why_none.find("'rep ") != std::string::npos) return;  // a pattern by string operations: no truth, and it says so
    ASSERT_TRUE(executed.references) << measured.id() << ": " << executed.why_none;
    std::vector<References> executed_parts{*executed.references};
    executed_parts.insert(executed_parts.end(), executed.phases.begin(), executed.phases.end());
    ASSERT_EQ(parts.size(), executed_parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const auto& [quantity, amount] : executed_counts(executed_parts[i])) {
        const auto found = parts[i].net.find(quantity.substr(executed_prefix.size()));
        if (found == parts[i].net.end()) continue;  // the total
        EXPECT_EQ(found->second, static_cast<std::int64_t>(amount.lo)) << parts[i].name << ": " << found->first;
      }
  }

  /// Each case is counted once, and held against both.
  template <class Choice>
  void hold_against_model_and_twin(const std::vector<Parameters>& sets, int threads, Choice part) const {
    int cases = 0, twins = 0;
    for_all(sets, threads, part, [&](const Case& measured) {
      const std::vector<Part> parts = parts_of(measured);
      flops_are_those_of_the_model(parts);
      if (!is_library(measured.flavor.name)) ++twins, references_are_those_of_the_twin(measured, parts);
      ++cases;
    });
    EXPECT_GT(twins, 0);
    std::printf("%d, %d of them with a twin\n", cases, twins);
  }
};

TEST_P(Emulated, flops_of_every_flavor_are_the_models_and_references_what_its_counted_twin_executed) {
  hold_against_model_and_twin(parameter_sets(kernel()), 1, part_of_sizes);
}

TEST_P(Emulated, flops_of_a_team_are_the_models_and_references_what_its_counted_twin_executed) {
  hold_against_model_and_twin({parameter_sets(kernel()).back()}, 3, part_of_flavors);
}

class EmulatedCaches : public Emulated {
 protected:
  void SetUp() override {
    Emulated::SetUp();
    if (IsSkipped()) return;
    ASSERT_FALSE(caches.empty()) << "say the simulated geometry: --l1=SIZE,WAYS,LINE --l2= --l3=";
  }

  /// Says what of a count is not inside the model; empty where all is.
  static std::string outside_the_model(const Case& measured) {
    std::string outside;
    // An empty region may cost more than the share that a sweep's surroundings have in its bytes (core/flows.cpp).
    const auto surroundings = static_cast<std::int64_t>(slack_lines_per_thread * 64) * measured.team.threads;
    for (const auto& [name, net, model] : parts_of(measured))
      for (const auto& [quantity, amount] : model) {
        const auto found = net.find(quantity);
        if (found == net.end() || quantity.rfind("bytes.L", 0) != 0 ||
            inside(found->second < 0 && found->second >= -surroundings ? 0 : found->second, amount))
          continue;
        outside += name + ": " + quantity + " counted " + std::to_string(found->second) + " model " + text(amount) + "\n";
      }
    return outside;
  }

  void bytes_lie_inside_the_model(const std::vector<Parameters>& sets, int threads) const {
    int cases = 0;
    for_all(sets, threads, part_of_flavors, [&](const Case& measured) {
      EXPECT_EQ(outside_the_model(measured), "");
      ++cases;
    });
    EXPECT_GT(cases, 0);
    std::printf("%d\n", cases);
  }
};

TEST_P(EmulatedCaches, bytes_across_every_boundary_lie_inside_the_model) { bytes_lie_inside_the_model(kernel().proof.caches, 1); }

TEST_P(EmulatedCaches, bytes_of_a_team_lie_inside_the_model) { bytes_lie_inside_the_model({kernel().proof.caches.back()}, 3); }

TEST(EmulatedSizes, bytes_are_proved_for_every_kernel_but_those_of_ceilings) {
  for (const Kernel& kernel : kernels())
    EXPECT_TRUE(kernel.name.starts_with("ert/") || !kernel.proof.caches.empty())
        << kernel.name
        << " states no sizes around the caches: add .caches to its registration, as validation/README.md does (\"To prove the bytes\")";
}

/// The emulator decodes no 16-bit arithmetic.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& k : kernels())
    if (precision_bytes(k.precisions.front()) > 2) all.push_back(k.name);
  return all;
}
std::vector<std::string> names_with_sizes() {
  std::vector<std::string> all;
  for (const Kernel& kernel : kernels())
    if (!kernel.proof.caches.empty()) all.push_back(kernel.name);
  return all;
}
std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(registry, Emulated, testing::ValuesIn(names()), test_name);
INSTANTIATE_TEST_SUITE_P(registry, EmulatedCaches, testing::ValuesIn(names_with_sizes()), test_name);

/// Adds a cache that is given as the tool takes it, "--l1=SIZE,WAYS,LINE".
bool add_cache(std::string_view option) {
  if (option.size() < 5 || option.substr(0, 3) != "--l" || option[4] != '=') return false;
  CacheLevel level{.name = "L" + std::string(1, option[3]), .shared = option[3] == '3'};
  std::uint64_t numbers[3] = {};  // bytes, ways, bytes of a line
  const char* from = option.data() + 5;
  const char* const end = option.data() + option.size();
  for (std::uint64_t& number : numbers) {
    from = std::from_chars(from, end, number).ptr;
    if (from != end) ++from;  // the comma
  }
  level.bytes = numbers[0];
  level.ways = static_cast<std::uint32_t>(numbers[1]);
  level.line_bytes = static_cast<std::uint32_t>(numbers[2]);
  caches.push_back(level);
  return true;
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (!plumbline::add_cache(argv[i])) return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  const int failed = RUN_ALL_TESTS();
  return failed == 0 && testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? 77 : failed;
}
