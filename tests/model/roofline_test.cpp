#include "model/placement/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "samples.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;

Ceiling ceiling(const std::string& level, double value, std::int64_t ranks = 1, const std::string& precision = "fp64") {
  Ceiling c{.name = level + " x",
            .precision = level == "compute" ? precision : "-",
            .level = level,
            .pattern = "x",
            .ranks = ranks,
            .node = "node0"};
  c.value = value;
  if (level != "compute") c.traffic_gbs = value;
  return c;
}

/// 2000 FLOP; 24 kB to L1, 32 kB to L2 in 1 us: 2 GFLOP/s, 24 and 32 GB/s.
CaseSample counted(const std::string& flavor = "gcc12-O3-v3") {
  return {.flavor = flavor,
          .counts = {{"flops.fp64.fma", 1000},
                     {"bytes.reg-L1.load", 16000},
                     {"bytes.reg-L1.store", 8000},
                     {"bytes.reg-L1.nt_store", 0},
                     {"bytes.L1-L2.demand_read", 16000},
                     {"bytes.L1-L2.rfo", 8000},
                     {"bytes.L1-L2.write_back", 8000}},
          .seconds = 1e-6};
}

RooflinePlacement place_last(const std::vector<CaseSample>& samples, const std::vector<Ceiling>& ceilings = {}) {
  static Results results;  // placements borrow from it
  results = {};
  for (const auto& sample : samples) add(results, sample);
  const Measurements measurements = measurements_of(results);
  const auto placements = place(measurements, ceilings);
  for (const auto& p : placements)
    if (p.of->id == samples.back().id()) return p;
  throw std::runtime_error("not placed");
}

TEST(Roofline, intensity_is_flops_over_the_bytes_towards_the_core) {
  const RooflinePlacement p = place_last({counted()});
  EXPECT_DOUBLE_EQ(p.gflops, 2);
  ASSERT_EQ(p.levels.size(), 2U);
  EXPECT_EQ(p.levels[0].level, "L1");
  EXPECT_DOUBLE_EQ(p.levels[0].ai, 2000.0 / 24000);
  EXPECT_EQ(p.levels[1].level, "L2");
  EXPECT_DOUBLE_EQ(p.levels[1].bytes, 32000);
  EXPECT_EQ(p.levels[1].ai_lo, p.levels[1].ai_hi);
  EXPECT_EQ(p.join, Join::same);
  EXPECT_EQ(p.bytes_source, "emulated");
}

TEST(Roofline, the_bound_is_the_lowest_roof_and_the_percentage_is_of_it) {
  // roofs: L1 480/12 = 40 GFLOP/s, L2 64/16 = 4, peak 100
  const RooflinePlacement p = place_last({counted()}, {ceiling("L1", 480), ceiling("L2", 64), ceiling("compute", 100)});
  EXPECT_EQ(p.bound, "L2");
  EXPECT_DOUBLE_EQ(p.roof_gflops, 4);
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  EXPECT_EQ(place_last({counted()}, {ceiling("L2", 6400), ceiling("compute", 10)}).bound, "compute");
}

TEST(Roofline, the_mix_of_fmas_leaves_a_part_of_the_peak) {
  CaseSample mixed = counted();
  mixed.counts["flops.fp64.fma"] = 600, mixed.counts["flops.fp64.add"] = 250, mixed.counts["flops.fp64.mul"] = 150;  // 1600 FLOP in 1 us
  const RooflinePlacement p = place_last({mixed}, {ceiling("L2", 6400), ceiling("compute", 10)});
  EXPECT_DOUBLE_EQ(p.fma_mixes.at("fp64").fraction, 0.60);
  EXPECT_EQ(p.fma_mixes.at("fp64").source, "emulated");
  EXPECT_DOUBLE_EQ(p.partial_fma_gflops, 8);
  EXPECT_DOUBLE_EQ(p.percent_of_partial_fma, 20);
  EXPECT_TRUE(std::isnan(place_last({mixed}, {ceiling("L2", 6400)}).partial_fma_gflops));
}

/// GFLOP/s of one core at 4.1 GHz: FMA, add, mul, mul+add, FMA+add.
std::vector<Ceiling> arithmetic(const std::vector<double>& values) {
  constexpr const char* patterns[] = {"fma", "add", "mul", "mul+add", "fma+add"};
  std::vector<Ceiling> ceilings;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ceilings.push_back(ceiling("compute", values[i]));
    ceilings.back().name = ceilings.back().pattern = patterns[i];
  }
  return ceilings;
}
const std::vector<Ceiling> zen_ceilings = arithmetic({131.2, 65.6, 65.6, 131.2, 196.8}),
                           intel_ceilings = arithmetic({131.2, 65.6, 65.6, 65.6, 98.4});

/// A case that computes for one microsecond, in registers.
CaseSample computing(double fma, double add, double mul) {
  return {.counts = {{"flops.fp64.fma", fma}, {"flops.fp64.add", add}, {"flops.fp64.mul", mul}, {"bytes.L1-L2.demand_read", 0}},
          .seconds = 1e-6};
}

TEST(Roofline, a_kernel_of_one_kind_of_arithmetic_at_its_limit_is_at_its_roof) {
  for (const auto& ceilings : {zen_ceilings, intel_ceilings}) {
    const RooflinePlacement fma = place_last({computing(65600, 0, 0)}, ceilings);
    EXPECT_EQ(fma.bound, "compute");
    EXPECT_EQ(fma.bound_ceiling, "fma") << "on a Zen FMA+add is higher, and no roof of FMAs alone";
    EXPECT_DOUBLE_EQ(fma.percent_of_roof, 100);
    EXPECT_DOUBLE_EQ(fma.partial_fma_gflops, 131.2);
    EXPECT_DOUBLE_EQ(place_last({computing(0, 65600, 0)}, ceilings).percent_of_roof, 100);
  }
  EXPECT_DOUBLE_EQ(place_last({computing(65500, 65500, 0)}, zen_ceilings).roof_gflops, 196.8);
  EXPECT_DOUBLE_EQ(place_last({computing(60000, 30000, 0)}, intel_ceilings).roof_gflops, 65.6 * 150 / 90);
}

TEST(Roofline, the_equation_of_partial_FMAs_scales_the_peak_of_FMAs) {
  EXPECT_DOUBLE_EQ(place_last({computing(60, 25, 15)}, zen_ceilings).partial_fma_gflops, 0.8 * 131.2);
  EXPECT_TRUE(std::isnan(place_last({computing(60, 25, 15)}, {}).partial_fma_gflops));
}

TEST(Roofline, arithmetic_near_the_roof_of_its_mix_is_what_bounds_a_case_not_a_level_at_half_of_its_own) {
  CaseSample mixed = computing(0, 32000, 32000);  // 64 of 65.6 GFLOP/s; of FMAs alone it would be 49 %
  mixed.counts["bytes.L1-L2.demand_read"] = 55000;
  auto ceilings = intel_ceilings;
  ceilings.push_back(ceiling("L2", 100));
  const RooflinePlacement p = place_last({mixed}, ceilings);
  EXPECT_EQ(p.bound, "compute");
  EXPECT_NEAR(p.percent_of_roof, 97.6, 0.1);
}

/// 131 GFLOP/s of vectors, 16.4 of single numbers; bound by arithmetic, of which 1000 FLOPs a microsecond are far from both.
RooflinePlacement far_below(double instructions, double scalar, const std::string& flavor = "gcc12-O3-v3", double hz = 1e9,
                            double seconds = 1e-6, double core_cycles = absent) {
  CaseSample slow = computing(500, 0, 0);
  slow.flavor = flavor;
  slow.seconds = seconds;
  slow.counts["instructions"] = instructions, slow.counts["fp_instructions"] = 500, slow.counts["fp_scalar"] = scalar;
  if (std::isfinite(core_cycles)) slow.counts["core_cycles"] = core_cycles;
  auto ceilings = zen_ceilings;
  ceilings.push_back(ceiling("compute", 16.4));
  ceilings.back().name = ceilings.back().pattern = "scalar fma";
  static Results results;  // the placement borrows from it
  results = {};
  add(results, slow);
  results.times.back().clock_hz = hz;
  return place(measurements_of(results), ceilings).at(0);
}

TEST(Roofline, far_below_every_roof_it_says_what_else_limits_as_far_as_counts_tell) {
  using Limits = std::vector<Limit>;
  const auto waiting = far_below(700, 0);
  ASSERT_TRUE(waiting.shortfall);
  EXPECT_EQ(waiting.shortfall->limits, Limits{Limit::waiting});
  EXPECT_DOUBLE_EQ(waiting.shortfall->instructions_per_cycle, 0.7);
  const auto scalar = far_below(4000, 500, "gcc12-O0-v3");
  EXPECT_EQ(scalar.shortfall->limits, (Limits{Limit::unoptimized, Limit::scalar, Limit::instructions}));
  EXPECT_DOUBLE_EQ(scalar.shortfall->scalar_gflops, 16.4);
  const auto of_core = far_below(2000, 100, "gcc12-O3-v3", 1e9, 1e-6, 800);
  EXPECT_EQ(of_core.shortfall->limits, Limits{Limit::core});
  EXPECT_DOUBLE_EQ(of_core.shortfall->core_part, 0.8);
  const auto of_neither = far_below(2000, 100, "gcc12-O3-v3", 1e9, 1e-6, 600);
  EXPECT_TRUE(of_neither.shortfall->limits.empty());
  EXPECT_NE(of_neither.shortfall->reason.find("what a core has to do"), std::string::npos);
  const auto unknown = far_below(2000, 100);
  EXPECT_TRUE(unknown.shortfall->limits.empty());
  EXPECT_NE(unknown.shortfall->reason.find("neither scalar arithmetic nor the number of instructions"), std::string::npos);
  EXPECT_NE(far_below(700, 0, "gcc12-O3-v3", absent).shortfall->reason.find("clock"), std::string::npos);
  EXPECT_FALSE(far_below(700, 0, "gcc12-O3-v3", 1e9, 1000.0 / 100e9).shortfall) << "at 76 % nothing is missing";
}

TEST(Roofline, above_a_roof_it_says_whether_the_ceilings_samples_spread_as_far) {
  auto ceilings = std::vector<Ceiling>{ceiling("L2", 30)};  // 32 GB/s are 107 % of it
  EXPECT_EQ(place_last({counted()}, {ceiling("L2", 32)}).above_roof, "");
  EXPECT_NE(place_last({counted()}, ceilings).above_roof.find("this case's loop is faster"), std::string::npos);
  ceilings[0].cv = 0.05;
  EXPECT_NE(place_last({counted()}, ceilings).above_roof.find("spread as far (CV 5 %)"), std::string::npos);
  ceilings[0].node = "another";
  EXPECT_NE(place_last({counted()}, ceilings).above_roof.find("another team, GPU or node"), std::string::npos);
}

TEST(Roofline, without_kinds_the_roof_of_arithmetic_is_that_of_the_fastest_mix) {
  const CaseSample total{.model = {{"flops.fp64", {131000, 131000}}, {"bytes.L1-L2", {100, 100}}}, .seconds = 1e-6};
  const RooflinePlacement p = place_last({total}, zen_ceilings);
  EXPECT_DOUBLE_EQ(p.roof_gflops, 196.8);
  EXPECT_FALSE(p.compute.is_of_kinds);
}

TEST(Roofline, times_of_two_precisions_add_and_divisions_are_told) {
  CaseSample both = computing(65600, 0, 0);
  both.counts["flops.fp32.fma"] = 131200;
  auto ceilings = zen_ceilings;
  ceilings.push_back(ceiling("compute", 262.4, 1, "fp32"));
  EXPECT_DOUBLE_EQ(place_last({both}, ceilings).roof_gflops, 393.6 / 2);
  EXPECT_TRUE(place_last({both}, ceilings).notes.empty());
  both.counts["flops.fp64.div"] = 10000;
  ASSERT_EQ(place_last({both}, ceilings).notes.size(), 1U);
  EXPECT_NE(place_last({both}, ceilings).notes[0].find("divisions and roots"), std::string::npos);
}

TEST(Roofline, the_highest_ceiling_of_a_level_is_its_roof) {
  EXPECT_DOUBLE_EQ(place_last({counted()}, {ceiling("L2", 32), ceiling("L2", 64)}).percent_of_roof, 50);
}

TEST(Roofline, ceilings_of_the_cases_own_team_go_before_others) {
  CaseSample two = counted();
  two.ranks = 2;
  const RooflinePlacement p = place_last({two}, {ceiling("L2", 1000, 1), ceiling("L2", 128, 2)});
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  EXPECT_TRUE(p.notes.empty());
  const RooflinePlacement stand_in = place_last({two}, {ceiling("L2", 1000, 1)});
  ASSERT_EQ(stand_in.notes.size(), 1U);
  EXPECT_NE(stand_in.notes[0].find("r1t1 for r2t1"), std::string::npos);
}

TEST(Roofline, a_peak_of_another_precision_is_no_roof) {
  EXPECT_TRUE(place_last({counted()}, {ceiling("compute", 1, 1, "fp32")}).bound.empty());
}

TEST(Roofline, a_cpus_ceilings_are_no_roof_for_a_gpu_nor_the_other_way) {
  CaseSample on_gpu = counted("cuda13-sm_90a");
  on_gpu.gpus = 1;
  Ceiling of_gpu = ceiling("L1", 3000);
  of_gpu.scope = gpu_scope;
  const RooflinePlacement unbound = place_last({on_gpu}, {ceiling("L1", 30), ceiling("compute", 4)});
  EXPECT_EQ(unbound.bound, "");
  EXPECT_EQ(unbound.bound_reason, "no ceiling of a GPU in this file");
  EXPECT_DOUBLE_EQ(unbound.gflops, 2);
  const RooflinePlacement bound = place_last({on_gpu}, {ceiling("L1", 30), of_gpu});
  EXPECT_EQ(bound.bound, "L1");
  EXPECT_DOUBLE_EQ(bound.percent_of_roof, 100 * 24.0 / 3000);
  const RooflinePlacement on_cpu = place_last({counted()}, {ceiling("L1", 30), of_gpu});
  EXPECT_DOUBLE_EQ(on_cpu.percent_of_roof, 100 * 24.0 / 30);
}

TEST(Roofline, threads_for_the_host_beside_a_gpu_are_none_of_its_roof) {
  CaseSample on_gpu = counted("cuda13-sm_90a");
  on_gpu.gpus = 1, on_gpu.threads = 4;
  Ceiling of_gpu = ceiling("L1", 3000);
  of_gpu.scope = gpu_scope;
  const RooflinePlacement p = place_last({on_gpu}, {of_gpu});
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 100 * 24.0 / 3000);
  EXPECT_TRUE(p.notes.empty()) << "one thread drives it, as when the ceiling was measured: " << p.notes.front();
}

TEST(Roofline, a_phase_that_a_gpus_case_leaves_to_the_host_has_the_roof_of_as_many_threads) {
  CaseSample whole = counted("cuda13-sm_90a");
  whole.gpus = 1, whole.threads = 4;
  Results results;
  add(results, whole);
  const std::string id = whole.id();
  for (const auto& [quantity, amount] : std::map<std::string, double>{{"flops.fp64", 2000}, {"bytes.reg-L1", 24000}, {host_entries, 2}})
    results.model.push_back({id, quantity, amount, amount, "red@3"});
  TimeRow time = results.times.front();
  time.phase = "red@3";
  results.times.push_back(time);
  make_phases_cases(results);
  const Measurements measurements = measurements_of(results);
  Ceiling of_gpu = ceiling("L1", 3000), of_one = ceiling("L1", 30), of_four = ceiling("L1", 100);
  of_gpu.scope = gpu_scope;
  of_four.threads = 4;
  const std::vector ceilings{of_gpu, of_one, of_four};
  const auto placements = place(measurements, ceilings);
  const auto phase = std::ranges::find_if(placements, [](const auto& p) { return phase_of(p.of->id) == "red@3"; });
  ASSERT_NE(phase, placements.end());
  EXPECT_EQ(phase->bound, "L1");
  EXPECT_DOUBLE_EQ(phase->percent_of_roof, 100 * 24.0 / 100);
  EXPECT_EQ(std::ranges::count(phase->notes, "the host's, done as by team r1t4"), 1);
  EXPECT_TRUE(std::ranges::none_of(phase->notes, [](const std::string& note) { return note.starts_with("ceilings stand in"); }));
  const auto without = place(measurements, std::span(ceilings).first(1));
  EXPECT_EQ(without[static_cast<std::size_t>(phase - placements.begin())].bound_reason, "no ceiling of CPUs in this file");
}

Ceiling of_gpu(const char* name, int device, double value, const char* level = "L1") {
  Ceiling one = ceiling(level, value);
  one.name = name;
  one.device = device;
  one.scope = gpu_scope;
  return one;
}

/// A triad that loads 16 MB of its 24 MB from the host's memory, in 400 us: 40 GB/s over a link of 50.
CaseSample reaching_host() {
  return {.flavor = "cuda13-sm_90a",
          .model = {{"flops.fp64", {2e6, 2e6}},
                    {"bytes.reg-L1", {24e6, 24e6}},
                    {"bytes.reg-shared", {0, 0}},
                    {"bytes.L1-L2", {24e6, 24e6}},
                    {"bytes.L2-mem", {8e6, 8e6}},
                    {"bytes.host-dev", {16e6, 16e6}}},
          .seconds = 400e-6,
          .gpus = 1};
}

const LevelIntensity* at_level(const RooflinePlacement& p, const std::string& level) {
  for (const auto& at : p.levels)
    if (at.level == level) return &at;
  return nullptr;
}

TEST(Roofline, data_in_the_hosts_memory_have_an_intensity_and_a_roof_at_system) {
  const std::vector<Ceiling> ceilings{of_gpu("GPU from host, kernel, pinned", 0, 45, "system"),
                                      of_gpu("GPU to host, kernel, pinned", 0, 50, "system"),
                                      of_gpu("GPU from host, copy engine, pinned", 0, 20, "host-dev"),
                                      of_gpu("GPU mem load", 0, 4000, "mem"), of_gpu("GPU L2 load", 0, 5500, "L2")};
  const RooflinePlacement p = place_last({reaching_host()}, ceilings);
  ASSERT_TRUE(at_level(p, "system"));
  EXPECT_DOUBLE_EQ(at_level(p, "system")->ai, 2e6 / 16e6);
  EXPECT_EQ(p.bound, "system");
  EXPECT_EQ(p.bound_ceiling, "GPU to host, kernel, pinned");
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 80);
  CaseSample on_device = reaching_host();
  on_device.model["bytes.host-dev"] = {0, 512};  // what a model always leaves open
  const RooflinePlacement own = place_last({on_device}, ceilings);
  EXPECT_FALSE(at_level(own, "system"));
  EXPECT_EQ(own.bound, "L2");
  CaseSample before = reaching_host();  // as files had it when no model spoke of the link
  before.model.erase("bytes.host-dev");
  EXPECT_FALSE(at_level(place_last({before}, ceilings), "system"));
  EXPECT_EQ(place_last({reaching_host()}, {ceilings.begin() + 2, ceilings.end()}).bound, "L2") << "a copy engine's rate is no roof";
}

/// Twelve launches of 2 us by stream and 1 us in a graph, in 100 us: a quarter, an eighth.
TEST(Roofline, an_application_is_limited_by_as_many_launches_as_its_model_states) {
  Ceiling stream = of_gpu("GPU launch, stream", 0, 2e-6, "overhead"), graph = of_gpu("GPU launch, graph", 0, 1e-6, "overhead");
  stream.pattern = "stream", graph.pattern = "graph";
  const std::vector<Ceiling> ceilings{of_gpu("GPU mem load", 0, 4000, "mem"), stream, graph};
  CaseSample application{.work = "proxies/lstm/fp32/variant=launches/n=64",
                         .flavor = "cuda13-sm_90a",
                         .model = {{"flops.fp32", {1e6, 1e6}}, {"bytes.L2-mem", {8e6, 8e6}}, {"launches", {12, 12}}},
                         .seconds = 100e-6,
                         .gpus = 1};
  const RooflinePlacement many = place_last({application}, ceilings);
  ASSERT_TRUE(many.shortfall);
  EXPECT_EQ(many.shortfall->limits, std::vector{Limit::launch});
  EXPECT_EQ(many.shortfall->launches, 12);
  EXPECT_EQ(many.shortfall->launch_seconds, 2e-6);
  CaseSample alone = application;
  alone.model.erase("launches");  // a kernel of one loop
  const RooflinePlacement one = place_last({alone}, ceilings);
  EXPECT_TRUE(one.shortfall->limits.empty());
  EXPECT_EQ(one.shortfall->launches, 1);
  CaseSample captured = application;
  captured.work = "proxies/lstm/fp32/variant=graph/n=64";
  const RooflinePlacement as_graph = place_last({captured}, ceilings);
  EXPECT_EQ(as_graph.shortfall->launch_seconds, 1e-6);
  EXPECT_TRUE(as_graph.shortfall->limits.empty());
}

TEST(Roofline, a_case_on_a_gpu_stands_under_the_roofs_of_that_gpu) {
  CaseSample on_second = counted("cuda13-sm_90a");
  on_second.gpus = 1;
  on_second.placement = R"({"ranks":[{"rank":0,"gpu":{"device":"GPU1","pci":"0000:65:00.0"}}]})";
  const std::vector<Ceiling> both{of_gpu("GPU L1 load", 0, 3000), of_gpu("GPU1 L1 load", 1, 2000)};
  const RooflinePlacement second = place_last({on_second}, both);
  EXPECT_EQ(second.bound_ceiling, "GPU1 L1 load");
  EXPECT_TRUE(second.notes.empty());
  CaseSample unsaid = on_second;
  unsaid.placement = "";
  EXPECT_EQ(place_last({unsaid}, both).bound_ceiling, "GPU L1 load") << "older files knew the first GPU alone";
  const RooflinePlacement stand_in = place_last({on_second}, {both[0]});
  EXPECT_EQ(stand_in.bound_ceiling, "GPU L1 load");
  ASSERT_EQ(stand_in.notes.size(), 1U);
  EXPECT_EQ(stand_in.notes[0], "ceilings stand in for missing ones: those of GPU for GPU1");
  Ceiling stated = of_gpu("L1, stated", 0, 1000);
  stated.pattern = "stated";
  EXPECT_TRUE(place_last({on_second}, {stated}).notes.empty()) << "what the user states is of any GPU";
}

TEST(Roofline, a_case_on_several_gpus_stands_under_the_roofs_of_all_of_them_together) {
  CaseSample on_both = counted("cuda13-sm_90a");
  on_both.gpus = 2;
  on_both.placement = R"({"ranks":[{"rank":0,"gpu":{"device":"GPU"}},{"rank":1,"gpu":{"device":"GPU1"}}]})";
  const std::vector<Ceiling> both{of_gpu("GPU L1 load", 0, 3000), of_gpu("GPU1 L1 load", 1, 2000)};
  const RooflinePlacement alone = place_last({on_both}, {both[0]});
  EXPECT_EQ(alone.bound, "") << "what one of them can do is no roof over both";
  EXPECT_EQ(alone.bound_reason, "no ceiling of each of GPU, GPU1 in this file");
  const RooflinePlacement together = place_last({on_both}, both);
  EXPECT_EQ(together.bound_ceiling, "GPU L1 load");
  EXPECT_EQ(together.gpus, (std::vector<int>{0, 1}));
  CaseSample on_first = on_both;
  on_first.gpus = 1;
  on_first.placement = R"({"ranks":[{"rank":0,"gpu":{"device":"GPU"}}]})";
  EXPECT_DOUBLE_EQ(together.roof_gflops, place_last({on_first}, both).roof_gflops * 5000 / 3000);
  Ceiling stated = of_gpu("L1, stated", 0, 1000);
  stated.pattern = "stated";
  EXPECT_DOUBLE_EQ(place_last({on_both}, {stated}).roof_gflops, 2 * place_last({on_first}, {stated}).roof_gflops);
}

TEST(Roofline, without_ceilings_there_is_a_point_but_no_bound) {
  const RooflinePlacement p = place_last({counted()});
  EXPECT_TRUE(p.bound.empty());
  EXPECT_TRUE(std::isnan(p.percent_of_roof));
  EXPECT_EQ(p.status, Status::ok);
  EXPECT_EQ(p.bound_status, Status::unavailable);
  EXPECT_EQ(p.bound_reason, "no ceilings in this file; run a campaign with [ceilings]");
}

TEST(Roofline, a_kernel_without_flops_has_a_bound_too) {
  CaseSample copy = counted();
  copy.counts["flops.fp64.fma"] = 0;
  const RooflinePlacement p = place_last({copy}, {ceiling("L2", 64), ceiling("compute", 100)});
  EXPECT_EQ(p.bound, "L2");
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  EXPECT_EQ(p.gflops, 0);
}

TEST(Roofline, a_case_that_was_not_timed_has_intensities_but_no_performance) {
  CaseSample untimed = counted();
  untimed.seconds = absent;
  const RooflinePlacement p = place_last({untimed}, {ceiling("L2", 64)});
  EXPECT_EQ(p.status, Status::unavailable);
  EXPECT_EQ(p.bound_status, Status::unavailable);
  EXPECT_FALSE(p.bound_reason.empty());
  EXPECT_TRUE(std::isnan(p.gflops));
  EXPECT_TRUE(std::isfinite(p.levels.at(0).ai));
}

TEST(Roofline, counts_are_transferred_where_v2_and_v3_agree_and_the_interval_widens_by_their_difference) {
  CaseSample v2 = counted("gcc12-O3-v2"), v3 = counted("gcc12-O3-v3"), v4 = counted("gcc12-O3-v4");
  v2.counts["bytes.L1-L2.rfo"] = 8064;
  v4.counts.clear();
  const RooflinePlacement p = place_last({v2, v3, v4});
  EXPECT_EQ(p.join, Join::transferred);
  ASSERT_EQ(p.levels.size(), 2U);
  EXPECT_DOUBLE_EQ(p.levels[1].bytes, 32000);
  EXPECT_DOUBLE_EQ(p.levels[1].ai_lo, 2000.0 / 32064);
  EXPECT_DOUBLE_EQ(p.levels[1].ai_hi, 2000.0 / 31936);
}

TEST(Roofline, counts_are_not_transferred_between_compilers_levels_or_teams) {
  CaseSample v4 = counted("gcc12-O3-v4");
  v4.counts.clear();
  v4.model = {{"flops.fp64", {2000, 2000}}, {"flops.fp32", {0, 0}}, {"bytes.L1-L2", {30000, 40000}}};
  EXPECT_EQ(place_last({counted("clang14-O3-v2"), counted("clang14-O3-v3"), v4}).join, Join::model);
  EXPECT_EQ(place_last({counted("gcc12-O2-v2"), counted("gcc12-O2-v3"), v4}).join, Join::model);
  CaseSample team_v2 = counted("gcc12-O3-v2"), team_v3 = counted("gcc12-O3-v3");
  team_v2.threads = team_v3.threads = 2;
  EXPECT_EQ(place_last({team_v2, team_v3, v4}).join, Join::model);
  EXPECT_EQ(place_last({counted("gcc12-O3-v3"), v4}).join, Join::model);  // v2 is missing
}

TEST(Roofline, counts_are_not_transferred_when_flops_or_non_temporal_stores_differ) {
  CaseSample v4 = counted("gcc12-O3-v4");
  v4.counts.clear();
  CaseSample other_flops = counted("gcc12-O3-v2");
  other_flops.counts["flops.fp64.fma"] = 1006;  // 0.6 %
  EXPECT_EQ(place_last({other_flops, counted(), v4}).join, Join::none);
  CaseSample other_stores = counted("gcc12-O3-v2");
  other_stores.counts["bytes.reg-L1.nt_store"] = 8000;
  EXPECT_EQ(place_last({other_stores, counted(), v4}).join, Join::none);
}

TEST(Roofline, a_level_on_which_v2_and_v3_disagree_is_not_transferred_nor_references_without_optimization) {
  CaseSample v2 = counted("gcc12-O3-v2"), v4 = counted("gcc12-O3-v4");
  v2.counts["bytes.reg-L1.load"] = 20000;
  v4.counts.clear();
  const RooflinePlacement p = place_last({v2, counted(), v4});
  ASSERT_EQ(p.levels.size(), 1U);
  EXPECT_EQ(p.levels[0].level, "L2");
  CaseSample o0 = counted("gcc12-O0-v4");
  o0.counts.clear();
  const RooflinePlacement unoptimized = place_last({counted("gcc12-O0-v2"), counted("gcc12-O0-v3"), o0});
  ASSERT_EQ(unoptimized.levels.size(), 1U);
  EXPECT_EQ(unoptimized.levels[0].level, "L2");
}

TEST(Roofline, where_only_the_model_speaks_its_interval_is_the_intensitys) {
  CaseSample modelled{.model = {{"flops.fp64", {2000, 2000}}, {"flops.fp32", {0, 0}}, {"bytes.L1-L2", {0, 32000}}}, .seconds = 1e-6};
  const RooflinePlacement p = place_last({modelled});
  EXPECT_EQ(p.join, Join::model);
  EXPECT_DOUBLE_EQ(p.levels.at(0).ai_lo, 2000.0 / 32000);
  EXPECT_TRUE(std::isnan(p.levels.at(0).ai_hi));  // no traffic cannot be ruled out
}

TEST(Roofline, the_model_counts_every_precision_once) {
  CaseSample dot{.model = {{"flops.fp64", {0, 0}},
                           {"flops.fp32", {0, 0}},
                           {"flops.bf16", {3000, 3000}},
                           {"flops.bf16.fma", {1500, 1500}},
                           {"bytes.L1-L2", {1000, 1000}}},
                 .seconds = 1e-6};
  EXPECT_DOUBLE_EQ(place_last({dot}).levels.at(0).ai_lo, 3);
}

/// 16 MFLOP in 1 us, by tensor cores all but for a factor of each sum.
CaseSample tensor(const std::string& type) {
  return {.model = {{"flops." + type, {0, 1000}},
                    {"flops.fp32", {0, 16000}},
                    {"flops.tensor." + type, {16e6, 16e6}},
                    {"bytes.L1-L2", {1000, 1000}}},
          .seconds = 1e-6,
          .gpus = 1};
}

TEST(Roofline, the_roof_of_what_tensor_cores_compute_is_their_ceiling_and_never_the_vector_units) {
  std::vector<Ceiling> ceilings{ceiling("compute", 4000, 1, "fp64"), ceiling("compute", 32000, 1, "tensor.fp64")};
  for (Ceiling& one : ceilings) one.scope = gpu_scope;
  const RooflinePlacement p = place_last({tensor("fp64")}, ceilings);
  EXPECT_EQ(p.bound, "compute");
  EXPECT_NEAR(p.roof_gflops, 32000, 20) << "but for the factors";
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  ceilings.pop_back();
  EXPECT_EQ(place_last({tensor("fp64")}, ceilings).bound, "") << "a vector roof would be 400 %";
  CaseSample vector{
      .model = {{"flops.fp64", {2000, 2000}}, {"flops.tensor.fp64", {0, 0}}, {"bytes.L1-L2", {1000, 1000}}}, .seconds = 1e-6, .gpus = 1};
  EXPECT_DOUBLE_EQ(place_last({vector}, ceilings).roof_gflops, 4000);
}

/// 24 kB of references, and L1-L2 as given, at 24 GB/s: half of L1's 48.
CaseSample modelled(double lo, double hi) {
  return {.model = {{"flops.fp64", {2000, 2000}}, {"flops.fp32", {0, 0}}, {"bytes.reg-L1", {24000, 24000}}, {"bytes.L1-L2", {lo, hi}}},
          .seconds = 1e-6};
}

TEST(Roofline, an_interval_that_is_only_slack_is_no_traffic_and_binds_nothing) {
  const double slack = 3 * 48 * 64;  // lines of three flows
  const RooflinePlacement p = place_last({modelled(0, slack)}, {ceiling("L1", 48), ceiling("L2", 1)});
  EXPECT_EQ(p.bound, "L1");
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  EXPECT_TRUE(p.bound_is_certain);
  EXPECT_EQ(p.levels.at(1).bytes, 0);
  EXPECT_TRUE(std::isnan(p.levels.at(1).ai));
  EXPECT_EQ(p.levels.at(1).status, Status::unavailable);
  EXPECT_EQ(p.levels.at(1).reason, "no traffic across this boundary");
}

TEST(Roofline, slack_grows_with_the_team) {
  CaseSample team = modelled(0, 3 * 48 * 64 * 2);  // of each rank
  team.ranks = 2;
  EXPECT_TRUE(std::isnan(place_last({team}).levels.at(1).bytes));
  team.threads = 2;
  EXPECT_EQ(place_last({team}).levels.at(1).bytes, 0);
}

TEST(Roofline, where_caches_decide_between_all_and_nothing_there_is_no_intensity_and_no_bound) {
  const RooflinePlacement p = place_last({modelled(0, 32000)}, {ceiling("L1", 48), ceiling("L2", 1)});
  EXPECT_EQ(p.bound, "L1");
  EXPECT_FALSE(p.bound_is_certain);
  EXPECT_TRUE(std::isnan(p.levels.at(1).bytes));
  EXPECT_EQ(p.levels.at(1).bytes_hi, 32000);
  EXPECT_DOUBLE_EQ(p.levels.at(1).ai_lo, 2000.0 / 32000);
  EXPECT_EQ(p.levels.at(1).status, Status::unavailable);
  EXPECT_FALSE(p.levels.at(1).reason.empty());
}

TEST(Roofline, a_bound_from_an_interval_is_by_its_least_traffic) {
  const RooflinePlacement p = place_last({modelled(16000, 32000)}, {ceiling("L2", 32)});
  EXPECT_DOUBLE_EQ(p.levels.at(1).bytes, 24000);
  EXPECT_EQ(p.bound, "L2");
  EXPECT_DOUBLE_EQ(p.percent_of_roof, 50);
  EXPECT_FALSE(p.bound_is_certain);
  EXPECT_TRUE(place_last({modelled(16000, 32000)}, {ceiling("L1", 24), ceiling("L2", 320)}).bound_is_certain);
}

TEST(Roofline, simulated_interleaving_of_threads_opens_L3_to_the_models_interval) {
  CaseSample team = counted();
  team.threads = 2;
  team.counts["bytes.L2-L3.demand_read"] = 30000;
  team.model = {{"bytes.L2-L3", {10000, 40000}}};
  const LevelIntensity l3 = place_last({team}).levels.at(2);
  EXPECT_EQ(l3.level, "L3");
  EXPECT_DOUBLE_EQ(l3.ai, 2000.0 / 30000);
  EXPECT_DOUBLE_EQ(l3.ai_lo, 2000.0 / 40000);
  EXPECT_DOUBLE_EQ(l3.ai_hi, 2000.0 / 10000);
}

}  // namespace
}  // namespace plumbline
