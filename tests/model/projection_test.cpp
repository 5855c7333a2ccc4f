#include "model/placement/projection.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/gpu_device.hpp"
#include "model/placement/node_ceilings.hpp"

namespace plumbline {
namespace {

NodeSpec spec_of(const std::string& name, double gbs, const std::string& method = "STREAM") {
  return {.name = name, .ceilings = {{"mem", gbs, "GB/s", "node", method}, {"mem", gbs / 2, "GB/s", "numa", method}}};
}

const Application half{.name = "half", .groups = {{"loop", 10, "node", "mem"}}, .rest_seconds = 10};

TEST(Projection, a_group_scales_with_its_ceiling_and_the_rest_with_the_groups) {
  const Projection p = project(half, spec_of("a", 100), spec_of("b", 200), Rest::scaled);
  EXPECT_DOUBLE_EQ(p.covered_fraction, 0.5);
  EXPECT_DOUBLE_EQ(p.seconds, 10);
  EXPECT_DOUBLE_EQ(p.speedup, 2);
  EXPECT_TRUE(p.warnings.empty());
}

TEST(Projection, a_constant_rest_takes_as_long_as_before) {
  EXPECT_DOUBLE_EQ(project(half, spec_of("a", 100), spec_of("b", 200), Rest::constant).seconds, 15);
}

/// A second of one core, beside which the other one of its team idles, two of both, and half of one in which all wait.
TEST(Projection, what_waits_takes_as_much_longer_as_what_it_waits_for) {
  Application waits{.name = "waits",
                    .groups = {{"main", 1, "numa", "mem"}, {"loop", 2, "node", "mem"}, {"waiting", 0.5, "node", "others"}}};
  waits.groups[0].idle_core_seconds = 1;
  waits.groups[2].waits = true;
  NodeSpec target = spec_of("b", 200);
  target.ceilings[1].value = 50;  // of a domain as before
  const Projection p = project(waits, spec_of("a", 100), target, Rest::scaled);
  EXPECT_DOUBLE_EQ(p.groups[0].seconds, 1);
  EXPECT_DOUBLE_EQ(p.groups[1].seconds, 1);
  EXPECT_DOUBLE_EQ(p.groups[2].seconds, 0.5) << "all that idles waits for main, which takes as long there";
  waits.groups[1].idle_core_seconds = 1;
  EXPECT_DOUBLE_EQ(project(waits, spec_of("a", 100), target, Rest::scaled).groups[2].seconds, 0.5 * (1 + 0.5) / 2);
  for (auto& group : waits.groups) group.idle_core_seconds = 0;
  EXPECT_DOUBLE_EQ(project(waits, spec_of("a", 100), target, Rest::scaled).groups[2].seconds, 0.5 * 2 / 3) << "it goes with all that works";
}

TEST(Projection, serial_groups_are_held_to_a_numa_domain) {
  const Application serial{.name = "serial", .groups = {{"main", 10, "numa", "mem"}}};
  NodeSpec target = spec_of("b", 100);
  target.ceilings[1].value = 100;  // one domain
  EXPECT_DOUBLE_EQ(project(serial, spec_of("a", 100), target, Rest::scaled).seconds, 5);
}

TEST(Projection, ceilings_of_different_methods_are_warned_of_once) {
  Application two = half;
  two.groups.push_back({"another", 1, "node", "mem"});
  const Projection p = project(two, spec_of("a", 100, "ERT"), spec_of("b", 200, "STREAM"), Rest::scaled);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("ERT"), std::string::npos);
  EXPECT_NE(p.warnings[0].find("STREAM"), std::string::npos);
}

TEST(Projection, groups_whose_time_no_ceiling_explains_are_warned_of_together) {
  Application few = half;
  few.groups[0].percent_of_roof = 1;
  EXPECT_TRUE(project(few, spec_of("a", 100), spec_of("b", 200), Rest::scaled).warnings.empty());
  few.groups[0].percent_of_roof = 0.5;
  few.groups.push_back(few.groups[0]);
  const Projection p = project(few, spec_of("a", 100), spec_of("b", 200), Rest::scaled);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_TRUE(p.warnings[0].starts_with("no measured ceiling explains the time of 'loop' and 1 more, below 1 %")) << p.warnings[0];
}

TEST(Projection, a_missing_ceiling_is_named_with_group_and_side) {
  const Application cached{.name = "cached", .groups = {{"kernel", 1, "node", "L2"}}};
  try {
    project(cached, spec_of("a", 1), spec_of("b", 2), Rest::scaled);
    FAIL() << "it was projected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    for (const char* word : {"kernel", "L2", "'a'"}) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Projection, a_measured_node_offers_its_largest_team_as_node_its_smallest_as_core_and_a_share_as_numa) {
  const auto memory = [](std::int64_t ranks, double gbs, const std::string& pattern) {
    Ceiling c{.name = "mem " + pattern, .precision = "-", .level = "mem", .pattern = pattern, .ranks = ranks, .node = "n"};
    c.value = gbs;
    c.unit = "GB/s";
    return c;
  };
  const std::vector<Ceiling> ceilings{memory(1, 10, "load"), memory(8, 60, "load"), memory(8, 80, "triad")};
  const NodeSpec spec = node_spec({.node = "n", .numa_domains = 2}, ceilings);
  const auto value = [&](const std::string& name, const std::string& scope) {
    for (const auto& c : spec.ceilings)
      if (c.name == name && c.scope == scope) return c.value;
    return 0.0;
  };
  EXPECT_EQ(value("mem", "node"), 80);
  EXPECT_EQ(value("mem load", "node"), 60);
  EXPECT_EQ(value("mem", "numa"), 40);
  EXPECT_EQ(value("mem", "core"), 10);
  std::vector<Ceiling> measured = ceilings;
  measured.push_back(memory(4, 47, "load"));
  measured.back().scope = "NUMA domain";
  for (const auto& c : node_spec({.node = "n", .numa_domains = 2}, measured).ceilings)
    if (c.scope == "numa") {
      EXPECT_EQ(c.value, 47) << "measured, not shared out: " << c.name;
    }
}

TEST(Projection, what_arithmetic_bounds_goes_by_the_roof_of_its_own_mix_on_either_side) {
  const auto cpu = [](const std::vector<double>& values) {
    constexpr const char* patterns[] = {"fma", "add", "mul", "mul+add", "fma+add"};
    std::vector<Ceiling> ceilings;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ceilings.push_back({.name = patterns[i], .precision = "fp64", .level = "compute", .pattern = patterns[i], .node = "n"});
      ceilings.back().value = values[i];
      ceilings.back().unit = "GFLOP/s";
    }
    return node_spec({.node = "n"}, ceilings);
  };
  const NodeSpec zen = cpu({32, 16, 16, 32, 48}), intel = cpu({64, 32, 32, 32, 48});
  CaseRow row;
  row.id = "x", row.precision = "fp64";
  const auto seconds = [&](const NodeSpec& to, double fma, double add) {
    const RooflinePlacement p{.of = &row,
                              .node = "n",
                              .seconds = 6,
                              .bound = "compute",
                              .mix = {{"fp64", {2 * fma + add, fma / (fma + add), add / (fma + add), 0}}}};
    const Projection projection = project({.groups = groups_of(std::vector{p}, "n")}, zen, to, Rest::scaled);
    EXPECT_TRUE(projection.groups[0].is_of_mix);
    EXPECT_TRUE(projection.warnings.empty());
    return projection.seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(intel, 1, 0), 3) << "by FMA+add it would be 6";
  EXPECT_DOUBLE_EQ(seconds(intel, 0, 1), 3);
  EXPECT_DOUBLE_EQ(seconds(intel, 1, 1), 6) << "sums run beside FMAs here, and not there";
  const NodeSpec written{.name = "spec", .ceilings = {{"compute fp64", 64, "GFLOP/s", "core", "plumbline"}}};
  EXPECT_DOUBLE_EQ(seconds(written, 1, 0), 3);
}

TEST(Projection, groups_are_work_whose_times_add_up) {
  CaseRow cg, phase, main, whole, alone;
  cg.id = "proxies/cg/fp64/n=16/r1t1/gcc", phase.id = "proxies/cg/fp64/n=16/r1t1/gcc#dot", cg.kernel = phase.kernel = "proxies/cg";
  main.id = "program/p/fp64/part=main/in=p/r1t1/native", whole.id = "program/p/fp64/part=whole/r1t1/native";
  main.kernel = whole.kernel = "program/p";
  alone.id = "program/q/fp64/part=whole/r1t1/native", alone.kernel = "program/q";
  std::vector<RooflinePlacement> placements;
  for (const CaseRow* one : {&cg, &phase, &main, &whole, &alone})
    placements.push_back({.of = one, .node = "n", .seconds = 1, .bound = "mem"});
  std::vector<std::string> names;
  for (const auto& group : groups_of(placements, "n")) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{cg.id, main.id, alone.id}));
  EXPECT_EQ(groups_of(std::vector{placements[1]}, "n").size(), 1U) << "a phase that was asked for alone";
}

TEST(Projection, a_kernel_of_a_gpu_is_held_to_the_first_gpu_of_the_other_node) {
  const auto of_gpu = [](const std::string& name, const std::string& precision, const std::string& level, const std::string& pattern,
                         double value) {
    Ceiling c{.name = name, .precision = precision, .level = level, .pattern = pattern, .ranks = 1, .node = "n"};
    c.value = value;
    c.unit = level == "compute" ? "GFLOP/s" : "GB/s";
    c.scope = gpu_scope;
    c.device = gpu_of_name(name);
    return c;
  };
  const auto here =
      node_spec({.node = "n"},
                std::vector<Ceiling>{of_gpu("GPU mem load", "-", "mem", "load", 3000), of_gpu("GPU1 mem load", "-", "mem", "load", 9000),
                                     of_gpu("GPU from host, kernel, pinned", "-", "system", "kernel_pinned to device", 50),
                                     of_gpu("GPU tensor BF16 wgmma", "tensor.bf16", "compute", "wgmma", 600e3)});
  const auto there =
      node_spec({.node = "n"}, std::vector<Ceiling>{of_gpu("GPU mem load", "-", "mem", "load", 4500),
                                                    of_gpu("GPU from host, kernel, pinned", "-", "system", "kernel_pinned to device", 400),
                                                    of_gpu("GPU tensor BF16 wgmma", "tensor.bf16", "compute", "wgmma", 750e3)});
  CaseRow triad, mma;
  triad.id = "triad", triad.precision = "fp64", triad.gpus = 1;
  mma.id = "mma", mma.precision = "bf16", mma.gpus = 1;
  const std::vector<RooflinePlacement> placements{
      {.of = &triad, .node = "n", .seconds = 6, .bound = "mem"},
      {.of = &triad, .node = "n", .seconds = 8, .bound = "system"},
      {.of = &mma, .node = "n", .seconds = 5, .bound = "compute", .roof_precision = "tensor.bf16"}};
  const Projection p = project({.groups = groups_of(placements, "n")}, here, there, Rest::scaled);
  ASSERT_EQ(p.groups.size(), 3U);
  EXPECT_DOUBLE_EQ(p.groups[0].seconds, 4);
  EXPECT_DOUBLE_EQ(p.groups[1].seconds, 1) << "over a link that is eight times as fast";
  EXPECT_DOUBLE_EQ(p.groups[2].seconds, 4);
  EXPECT_EQ(p.groups[0].group.scope, "gpu");
}

}  // namespace
}  // namespace plumbline
