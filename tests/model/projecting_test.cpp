// The methods of projection on parts whose truth follows by hand, and the ten flips that were constructed before them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "model/projecting/judged_methods.hpp"
#include "model/projecting/moved_work.hpp"
#include "model/projecting/projected_program.hpp"

namespace plumbline {
namespace {

using nlohmann::json;

NodeSide side_of(const json& written, const std::string& name) {
  NodeSide side{.name = name, .machine = name, .team = "r1t1", .isa = "v3", .launch_seconds = written.value("launch_seconds", absent)};
  for (const char* level : {"L1", "L2", "L3", "mem"})
    if (written["levels"].contains(level)) {
      const auto& [gbs, size] = written["levels"][level].get<std::pair<double, double>>();
      side.levels.push_back({.name = level, .gbs = gbs, .size_bytes = size > 0 ? size : absent});
    }
  side.vector_rates = {{"FMA", "fp64", "fma", written["fma_gflops"]}};
  side.scalar_rates = {{"scalar FMA", "fp64", "fma", written["scalar_gflops"]}};
  return side;
}

WorkPart part_of(const json& written) {
  WorkPart part{.name = "part", .working_set_bytes = written["working_set_bytes"], .launches = written.value("launches", 0.0)};
  part.mix["fp64"] = {.flops = written["flops"]};
  part.scalar_part = written.value("scalar", absent);
  for (const auto& [level, bytes] : written["bytes"].items()) part.bytes[level] = bytes;
  return part;
}

TEST(Projecting, bounds_that_flip_are_those_that_were_written_down_before) {
  const json file = json::parse(std::ifstream(std::string(PLUMBLINE_GOLDEN) + "/constructed_flips.json"));
  ASSERT_EQ(file["cases"].size(), 10U);
  int right = 0;
  for (const auto& one : file["cases"]) {
    const TimedPart timed{.part = part_of(one["part"]), .kernel = "k", .seconds = 1};
    const ProjectedPair pair = pair_of(timed, side_of(one["home"], "here"), side_of(one["target"], "there"), 1);
    const bool is_right =
        pair.home_bound == one["home_bound"].get<std::string>() && pair.target_bound == one["target_bound"].get<std::string>();
    right += is_right ? 1 : 0;
    if (!is_right) std::cout << one["name"] << ": " << pair.home_bound << " to " << pair.target_bound << "\n";
  }
  EXPECT_GE(right, 9);
}

NodeSide plain_side(double mem, double fma, double workers = 1) {
  NodeSide side{.name = "s", .machine = "m", .team = "r1t1", .isa = "v3", .workers = workers, .clock_hz = 1e9};
  side.levels = {{.name = "L2", .gbs = 100 * workers, .size_bytes = 1e6 * workers}, {.name = "mem", .gbs = mem}};
  side.vector_rates = {{"FMA", "fp64", "fma", fma}};
  return side;
}

TimedPart stream(double seconds) {
  TimedPart timed{
      .part = {.name = "stream", .bytes = {{"L2", 1e9}, {"mem", 1e9}}, .working_set_bytes = 1e9}, .kernel = "k", .seconds = seconds};
  timed.part.mix["fp64"] = {.flops = 1e6};
  return timed;
}

TEST(Projecting, a_stream_at_its_roof_goes_with_memory_by_every_method_but_a_slow_one_by_none_of_them_alike) {
  const auto pair = pair_of(stream(0.1), plain_side(10, 10), plain_side(20, 10), 1);
  EXPECT_DOUBLE_EQ(bandwidth_seconds(pair), 0.05);
  EXPECT_DOUBLE_EQ(roofline_seconds(pair), 0.05);
  EXPECT_DOUBLE_EQ(efficiency_seconds(pair), 0.05);
  EXPECT_NEAR(overlap_seconds(pair, {.exponent = 30}), 0.05, 1e-4);
  const auto slow = pair_of(stream(1.0), plain_side(10, 10), plain_side(20, 10), 1);
  EXPECT_DOUBLE_EQ(efficiency_seconds(slow), 0.5) << "the fraction of its roof is kept";
  EXPECT_NEAR(overlap_seconds(slow, {.exponent = 30}), 1, 1e-6) << "what no ceiling explains does not go with memory";
  EXPECT_DOUBLE_EQ(roofline_seconds(slow), 0.05);
}

TEST(Projecting, time_that_no_ceiling_explains_goes_with_the_workers) {
  const auto pair = pair_of(stream(1.0), plain_side(10, 10), plain_side(10, 20, 2), 1);
  EXPECT_NEAR(overlap_seconds(pair, {.exponent = 30}), 0.5, 1e-6);
  const auto twice = pair_of(stream(1.0), plain_side(10, 10), plain_side(10, 20, 2), 2);
  EXPECT_NEAR(overlap_seconds(twice, {.exponent = 30}), 1, 1e-6) << "two ranks that sweep a copy each";
}

TEST(Projecting, a_narrower_instruction_set_takes_as_many_more_instructions_and_no_more_scalar_ones) {
  NodeSide wide = plain_side(1000, 1000), narrow = wide;
  narrow.isa = "v2", narrow.vector_bytes = 16;
  TimedPart timed = stream(1);
  timed.part.instructions = 100, timed.part.scalar_part = 0.5;
  EXPECT_DOUBLE_EQ(pair_of(timed, wide, narrow, 1).instructions_ratio, 1.5);
  EXPECT_DOUBLE_EQ(pair_of(timed, narrow, wide, 1).instructions_ratio, 0.75);
  timed.part.scalar_part = 1;
  EXPECT_DOUBLE_EQ(pair_of(timed, wide, narrow, 1).instructions_ratio, 1);
}

TEST(Projecting, code_that_was_counted_there_goes_before_the_width_of_vectors) {
  MovedWork moved{.part = {.instructions = 150}, .instructions_ratio = 1.5};
  moved.part.bytes = {{"L1", 1e9}, {"mem", 7e8}};
  WorkPart there{.instructions = absent};
  there.bytes = {{"L1", 4e9}, {"mem", 1e6}};
  take_code(moved, there, 100);
  EXPECT_DOUBLE_EQ(moved.instructions_ratio, 1.5) << "it was not counted";
  there.instructions = 300, there.scalar_part = 0.25;
  there.mix["fp64"] = {.flops = 5};
  take_code(moved, there, 100);
  EXPECT_DOUBLE_EQ(moved.instructions_ratio, 3);
  EXPECT_DOUBLE_EQ(moved.part.instructions, 300);
  EXPECT_DOUBLE_EQ(moved.part.scalar_part, 0.25);
  EXPECT_DOUBLE_EQ(moved.part.mix.at("fp64").flops, 5);
  EXPECT_DOUBLE_EQ(moved.part.bytes.at("L1"), 4e9);
  EXPECT_DOUBLE_EQ(moved.part.bytes.at("mem"), 7e8) << "caches are the target's own";
}

/// A core that takes up 4 instructions of 1 ns each; L2 has 100 GB/s.
NodeSide side_that_issues(const std::string& isa, double vector_bytes) {
  NodeSide side = plain_side(1000, 1000);
  side.isa = isa, side.vector_bytes = vector_bytes, side.instructions_per_second = 4e9;
  return side;
}

TimedPart vector_loop(double seconds, double instructions) {
  TimedPart timed = stream(seconds);
  timed.part.instructions = instructions, timed.part.scalar_part = 0;
  return timed;
}

TEST(Projecting, code_that_a_core_can_but_just_take_up_goes_with_its_number_of_instructions) {
  const NodeSide narrow = side_that_issues("v2", 16), wide = side_that_issues("v4", 64);
  const auto pair = pair_of(vector_loop(1, 4e9), narrow, wide, 1);
  EXPECT_EQ(pair.home_bound, "issue");
  EXPECT_DOUBLE_EQ(efficiency_seconds(pair), 0.25);
  EXPECT_NEAR(overlap_seconds(pair, {.exponent = 30}), 0.25, 1e-9);
  EXPECT_EQ(pair.overlap_class(), "core");
}

TEST(Projecting, latency_stays_whatever_the_instruction_set) {
  const NodeSide narrow = side_that_issues("v2", 16), wide = side_that_issues("v4", 64);
  const auto pair = pair_of(vector_loop(1, 4e8), narrow, wide, 1);  // a tenth of what the core could take up
  EXPECT_NEAR(overlap_seconds(pair, {.exponent = 30}), 1, 1e-6);
  EXPECT_NEAR(overlap_seconds(pair, {.exponent = 2}), std::sqrt(1 - 0.1 * 0.1 + 0.025 * 0.025), 1e-3);
  NodeSide unknown_here = narrow, unknown_there = wide;
  unknown_here.instructions_per_second = unknown_there.instructions_per_second = absent;
  TimedPart of_core = vector_loop(1, 4e8);
  of_core.part.mix["fp64"].flops = 5e11, of_core.part.bytes = {};
  EXPECT_NEAR(overlap_seconds(pair_of(of_core, unknown_here, unknown_there, 1), {.exponent = 30}), 0.5, 1e-2)
      << "it goes with the instructions where nobody knows how many a core takes up";
}

TEST(Projecting, instructions_are_no_term_where_one_side_does_not_know_how_many_it_takes_up) {
  const NodeSide narrow = side_that_issues("v2", 16);
  NodeSide unknown = side_that_issues("v4", 64);
  unknown.instructions_per_second = absent;
  for (const auto& pair : {pair_of(vector_loop(1, 4e9), narrow, unknown, 1), pair_of(vector_loop(1, 1e9), unknown, narrow, 1)})
    for (const auto* terms : {&pair.home, &pair.target}) EXPECT_EQ(std::ranges::find(*terms, issue_term, &RoofTerm::name), terms->end());
}

/// A chain: as many cycles in either instruction set, far more than its instructions need.
TimedPart chain(double seconds, double cycles) {
  TimedPart timed = vector_loop(seconds, 1e6);
  timed.part.core_cycles = cycles;
  return timed;
}

NodeSide side_of_a_known_clock(const std::string& isa, double vector_bytes) {
  NodeSide side = side_that_issues(isa, vector_bytes);
  side.core_cycles_per_second = 1e9;
  return side;
}

TEST(Projecting, instructions_that_wait_for_each_other_go_with_the_cycles_of_a_simulated_core) {
  const NodeSide narrow = side_of_a_known_clock("v2", 16), wide = side_of_a_known_clock("v3", 32);
  WorkPart code_there = chain(1, 9e8).part;
  code_there.instructions = 2e5;
  const auto pair = pair_of(chain(1, 9e8), narrow, wide, 1, &code_there);
  EXPECT_EQ(pair.home_bound, "core");
  EXPECT_EQ(pair.overlap_class(), "core, cycles");
  EXPECT_DOUBLE_EQ(roofline_seconds(pair), 0.9);
  EXPECT_DOUBLE_EQ(efficiency_seconds(pair), 1) << "a fifth of the instructions, but the same chain";
  EXPECT_DOUBLE_EQ(pair_of(chain(1, 9e8), narrow, wide, 1).target.back().seconds, 0.45) << "not counted there: by the width of vectors";
}

TEST(Projecting, cycles_of_one_core_say_nothing_of_another_cpu_model) {
  NodeSide here = side_of_a_known_clock("v3", 32), there = side_of_a_known_clock("v3", 32);
  there.machine = "another";
  const auto pair = pair_of(chain(1, 9e8), here, there, 1);
  for (const auto* terms : {&pair.home, &pair.target}) {
    EXPECT_EQ(std::ranges::find(*terms, core_term, &RoofTerm::name), terms->end());
    EXPECT_NE(std::ranges::find(*terms, issue_term, &RoofTerm::name), terms->end());
  }
  EXPECT_EQ(pair.overlap_class(), "machine, memory");
}

TEST(Projecting, the_part_of_the_issue_width_that_code_attains_is_fitted) {
  std::vector<ProjectedPair> pairs;
  for (int i = 0; i < 40; ++i) {
    TimedPart timed = vector_loop(1, 4e8 * (3 + i % 5));
    timed.kernel = "kernel" + std::to_string(i % 8);
    pairs.push_back(pair_of(timed, side_that_issues("v2", 16), side_that_issues("v4", 64), 1));
    pairs.back().true_seconds = overlap_seconds(pairs.back(), {.exponent = 1.7, .issue_part = 0.7});
    if (i % 8 == 0) pairs.back().true_seconds *= 50;  // what no setting tells decides nothing
  }
  EXPECT_EQ(fit_overlaps(pairs, [](const auto&) { return true; }).at("core"), (Overlap{.exponent = 1.7, .issue_part = 0.7}));
}

TEST(Projecting, the_ensemble_is_the_middle_one_and_one_that_is_far_off_does_not_move_it) {
  EXPECT_DOUBLE_EQ(middle_seconds({7, 1, 2, 50, absent}), 2);
  EXPECT_DOUBLE_EQ(middle_seconds({7, 1, 2, 5000, absent}), 2);
  EXPECT_DOUBLE_EQ(middle_seconds({7, absent, 3, absent, absent}), 3);
  EXPECT_TRUE(std::isnan(middle_seconds({7, absent, absent, absent, absent}))) << "bandwidth alone is none of them";
}

TEST(Projecting, fmas_cost_a_side_without_them_a_product_and_a_sum) {
  NodeSide here = plain_side(1000, 40), there = here;
  there.fuses = false, there.vector_rates = {{"mul+add", "fp64", "mul+add", 20}, {"add", "fp64", "add", 10}, {"mul", "fp64", "mul", 10}};
  TimedPart timed = stream(1);
  timed.part.mix["fp64"] = {.flops = 1e9, .fma = 1, .add = 0, .mul = 0};
  const auto pair = pair_of(timed, here, there, 1);
  EXPECT_EQ(pair.target_bound, "compute");
  EXPECT_DOUBLE_EQ(roofline_seconds(pair), 0.05);
}

TEST(Projecting, a_working_set_near_the_edge_of_a_cache_is_said_to_be_uncertain) {
  const NodeSide home = plain_side(10, 10);
  NodeSide target = home;
  target.levels[0].size_bytes = 1e9;
  WorkPart part = stream(1).part;
  EXPECT_TRUE(moved_work(part, home, target).is_uncertain);
  part.working_set_bytes = 1e8;
  const MovedWork moved = moved_work(part, home, target);
  EXPECT_FALSE(moved.is_uncertain);
  EXPECT_EQ(moved.part.bytes.at("mem"), 0);
  EXPECT_EQ(moved.moved, std::vector<std::string>{"L2"});
}

/// A core whose L2 holds all of 1 MB, half of 2 MB and nothing of 4 MB, simulated as one of 1.5 MB that ends at once.
NodeSide side_with_an_edge() {
  NodeSide side = plain_side(10, 10);
  side.levels[0].size_bytes = 1.5e6;
  side.levels[0].edge = {{1e6, 0}, {2e6, 0.5}, {4e6, 1}};
  return side;
}

WorkPart reread(double working_set, double beyond_l2) {
  WorkPart part{.name = "k", .bytes = {{"L2", 1e9}, {"mem", beyond_l2}}, .working_set_bytes = working_set};
  part.mix["fp64"] = {.flops = 1};
  return part;
}

TEST(Projecting, a_working_set_crosses_as_much_as_the_sweeps_of_either_side_show) {
  const NodeSide gradual = side_with_an_edge();
  NodeSide larger = gradual;
  larger.levels[0].edge = {{4e6, 0}, {8e6, 1}};
  EXPECT_DOUBLE_EQ(moved_work(reread(2e6, 1e9), gradual, gradual).part.bytes.at("mem"), 5e8) << "half of what was counted";
  EXPECT_TRUE(moved_work(reread(2e6, 1e9), gradual, gradual).moved.empty()) << "it is where it was";
  EXPECT_DOUBLE_EQ(moved_work(reread(2e6, 1e9), gradual, larger).part.bytes.at("mem"), 0);
  EXPECT_EQ(moved_work(reread(2e6, 1e9), gradual, larger).moved, std::vector<std::string>{"L2"});
  EXPECT_DOUBLE_EQ(moved_work(reread(1.6e6, 0), gradual, gradual).part.bytes.at("mem"), 1e9 * 0.5 * std::log2(1.6)) << "counted as held";
  EXPECT_DOUBLE_EQ(moved_work(reread(1e9, 3e8), gradual, gradual).part.bytes.at("mem"), 3e8) << "what is reused inside stays inside";
  WorkPart unknown = reread(absent, 0);
  EXPECT_DOUBLE_EQ(moved_work(unknown, gradual, gradual).part.bytes.at("mem"), 0) << "an edge says nothing of it";
}

TEST(Projecting, counts_that_are_clear_go_before_the_size_of_a_cache_that_was_simulated_otherwise) {
  const NodeSide gradual = side_with_an_edge();
  NodeSide without = gradual;
  without.levels[0].edge.clear();
  EXPECT_DOUBLE_EQ(moved_work(reread(1.2e6, 1e9), without, gradual).part.bytes.at("mem"), 1e9 * 0.5 * std::log2(1.2))
      << "counted as not held";
  EXPECT_DOUBLE_EQ(moved_work(reread(2e6, 0), without, gradual).part.bytes.at("mem"), 5e8) << "counted as held";
  EXPECT_EQ(moved_work(reread(2e6, 0), gradual, gradual).by, BytesBy::rule) << "as many as were counted it are not";
  EXPECT_DOUBLE_EQ(moved_work(reread(2e6, 1e9), without, without).part.bytes.at("mem"), 1e9) << "sizes alone change nothing at home";
}

TEST(Projecting, half_a_working_set_from_memory_is_half_of_its_time) {
  const TimedPart timed{.part = reread(2e6, 1e9), .kernel = "k", .seconds = 0.06};
  const auto pair = pair_of(timed, side_with_an_edge(), side_with_an_edge(), 1);
  EXPECT_EQ(pair.home_bound, "mem");
  EXPECT_DOUBLE_EQ(roofline_seconds(pair), 0.05);
}

TEST(Projecting, a_smaller_cache_never_lets_through_less_and_a_larger_working_set_is_never_less_traffic) {
  NodeSide home{.name = "home",
                .levels = {{.name = "L2", .gbs = 100, .size_bytes = 1 << 20},
                           {.name = "L3", .gbs = 50, .size_bytes = 32 << 20},
                           {.name = "mem", .gbs = 10}}};
  NodeSide target = home;
  target.levels[1].size_bytes = 8 << 20;
  double last = 0;
  for (const double working_set : {1e6, 7e6, 9e6, 16e6, 26e6, 30e6, 36e6}) {
    const WorkPart part{.name = "k", .bytes = {{"L2", 5e11}, {"L3", 4e11}, {"mem", 9e10}}, .working_set_bytes = working_set};
    const double there = moved_work(part, home, target).part.bytes.at("mem");
    EXPECT_GE(there, 9e10) << working_set;
    EXPECT_LE(there, 4e11) << working_set;
    EXPECT_GE(there, last) << working_set;
    last = there;
  }
}

/// A loop through 1000 lines a thread, again and again: 100 sweeps, of which half is written.
WorkPart counted_sweeps(double threads) {
  constexpr double never = std::numeric_limits<double>::infinity();
  WorkPart part{.name = "sweeps", .bytes = {{"L2", 1}, {"mem", 2}}};
  part.reuse = PartReuse{.distances = {.line_bytes = 64,
                                       .buckets = {{0, 1, 0, 0, 1000 * threads, 0},
                                                   {992, 1008, 99000 * threads, 0, 49000 * threads, 49000 * threads},
                                                   {never, never, 1000 * threads, 0, 0, 0}},
                                       .crowding = {{64, 100000 * threads}}},
                         .threads = threads,
                         .past_bytes = 7};
  part.mix["fp64"] = {.flops = 1};
  return part;
}

NodeSide side_with_caches(double l1_lines, double l2_lines) {
  NodeSide side{.name = "s", .machine = "m", .team = "r1t1", .isa = "v3"};
  side.levels = {{.name = "L1", .gbs = 400, .size_bytes = 64 * l1_lines, .ways = 8},
                 {.name = "L2", .gbs = 100, .size_bytes = 64 * l2_lines, .ways = 8},
                 {.name = "mem", .gbs = 10}};
  side.vector_rates = {{"FMA", "fp64", "fma", 1000}};
  return side;
}

TEST(Projecting, reuse_distances_place_a_part_on_the_caches_of_either_side) {
  const NodeSide large = side_with_caches(512, 4096), small = side_with_caches(512, 768);
  const MovedWork moved = moved_work(counted_sweeps(1), large, small);
  EXPECT_EQ(moved.by, BytesBy::reuse);
  EXPECT_DOUBLE_EQ(moved.part.bytes.at("L2"), 64 * (100000 + 1000) + 7);
  EXPECT_DOUBLE_EQ(moved.part.bytes.at("mem"), 64 * (100000 + 1000) + 7) << "768 lines do not hold 1000";
  EXPECT_DOUBLE_EQ(placed_on(counted_sweeps(1), large).bytes.at("mem"), 64 * (1000 + 1000) + 7) << "4096 do";
  EXPECT_EQ(moved.moved, std::vector<std::string>{"L2"});
  const TimedPart timed{.part = counted_sweeps(1), .kernel = "k", .seconds = 1};
  const ProjectedPair pair = pair_of(timed, large, small, 1);
  EXPECT_EQ(pair.home_bound, "L2");
  EXPECT_EQ(pair.target_bound, "mem");
  EXPECT_NEAR(efficiency_seconds(pair), 10, 1e-9) << "as many bytes at a tenth of the rate";
}

TEST(Projecting, a_team_divides_the_lines_of_the_threads_that_were_counted) {
  NodeSide two_cores = side_with_caches(2 * 512, 2 * 768);
  two_cores.workers = 2;
  EXPECT_DOUBLE_EQ(placed_on(counted_sweeps(2), two_cores).bytes.at("mem"), 2 * 64 * (100000 + 1000) + 7) << "1000 lines in 768 each";
  EXPECT_DOUBLE_EQ(placed_on(counted_sweeps(1), two_cores).bytes.at("mem"), 64 * (1000 + 1000) + 7) << "500 lines in 768 each";
}

TEST(Projecting, caches_whose_sets_may_decide_are_named) {
  const NodeSide side = side_with_caches(512, 4096);
  WorkPart part = counted_sweeps(1);
  EXPECT_TRUE(conflicts_on(part, side).empty());
  part.reuse->distances.crowding[64] *= 16;
  EXPECT_EQ(conflicts_on(part, side), std::vector<std::string>{"L2"}) << "L1 has no room for them whatever its sets are";
  EXPECT_TRUE(conflicts_on(stream(1).part, side).empty());
}

TEST(Projecting, a_cache_of_unknown_size_lets_through_what_it_did) {
  NodeSide side = side_with_caches(512, 4096);
  side.levels[1].size_bytes = absent;
  EXPECT_DOUBLE_EQ(placed_on(counted_sweeps(1), side).bytes.at("mem"), 2);
}

TEST(Projecting, a_precision_without_a_ceiling_is_named) {
  NodeSide target = plain_side(10, 10);
  target.vector_rates[0].precision = "fp32";
  try {
    pair_of(stream(1), plain_side(10, 10), target, 1);
    FAIL() << "it was projected";
  } catch (const Error& error) {
    for (const char* word : {"fp64", "fp32", "stream"}) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

/// Pairs of eight kernels: twice the memory on the target, and truths that lie off the efficiency method by a factor of `error(i)`.
template <class Error>
std::vector<ProjectedPair> known_pairs(int n, Error error) {
  std::vector<ProjectedPair> pairs;
  for (int i = 0; i < n; ++i) {
    TimedPart timed = stream(0.1 * (1 + i));
    timed.kernel = "kernel" + std::to_string(i % 8);
    pairs.push_back(pair_of(timed, plain_side(10, 10), plain_side(20, 10), 1));
    pairs.back().true_seconds = efficiency_seconds(pairs.back()) * error(i);
  }
  return pairs;
}

TEST(Projecting, overlap_is_fitted_on_what_it_is_not_judged_by) {
  auto pairs = known_pairs(40, [](int) { return 1.0; });
  for (auto& pair : pairs) pair.true_seconds = overlap_seconds(pair, {.exponent = 1.7});
  const auto fitted = fit_overlaps(pairs, [](const auto&) { return true; });
  EXPECT_EQ(fitted.at("memory").exponent, 1.7);
  const auto of_none = fit_overlaps(pairs, [](const auto&) { return false; });
  EXPECT_TRUE(of_none.empty());
  EXPECT_EQ(overlap_for(of_none, "core"), preset_overlap);
}

TEST(Projecting, intervals_hold_nine_of_ten_truths_of_kernels_that_were_left_out) {
  const auto pairs = known_pairs(400, [](int i) { return std::exp(0.1 * std::sin(12.9898 * i)); });
  const auto forecasts = held_out_forecasts(pairs, HeldOut::kernel);
  const auto judged = judged_methods(pairs, forecasts);
  const auto& best = judged[index_of(Method::ensemble)];
  EXPECT_EQ(best.pairs, 400U);
  EXPECT_GE(best.coverage, 0.85);
  EXPECT_LE(best.coverage, 0.95);
  EXPECT_LT(best.interval_score, judged[index_of(Method::roofline)].interval_score);
}

TEST(Projecting, a_kernel_that_errs_alone_does_not_narrow_its_own_interval) {
  auto pairs = known_pairs(80, [](int) { return 1.0; });
  for (auto& pair : pairs)
    if (pair.kernel == "kernel0") pair.true_seconds *= 3;
  const auto forecasts = held_out_forecasts(pairs, HeldOut::kernel);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].kernel == "kernel0") {
      EXPECT_LT(forecasts[i].hi[index_of(Method::efficiency)], pairs[i].true_seconds);
    }
}

constexpr auto any_row = [](const RecordRow&) { return true; };

TEST(Projecting, pairs_within_a_cpu_model_are_learned_from_together_and_apart_from_those_between_several) {
  std::vector<RecordRow> record(30);
  for (std::size_t i = 0; i < record.size(); ++i) record[i].kind = i < 10 ? "cores" : i < 25 ? "conditions+isa" : "machine+isa";
  const RecordClass within = class_of(record, "isa", "isa, L1", any_row), between = class_of(record, "machine", "machine, L1", any_row);
  EXPECT_EQ(within.name, "within a CPU model");
  EXPECT_EQ(within.rows.size(), 25U);
  EXPECT_EQ(between.name, "between CPU models");
  EXPECT_EQ(between.rows.size(), 5U);
  EXPECT_TRUE(class_of(record, "gpu+machine", "gpu, L1", any_row).rows.empty());
}

TEST(Projecting, ranks_have_classes_of_five_applications_at_least_and_fall_back_to_wider_ones) {
  std::vector<RecordRow> record(60);
  for (std::size_t i = 0; i < record.size(); ++i) {
    record[i].kernel = std::to_string(i % 6);
    record[i].kind = i < 50 ? "ranks, strong" : "ranks, weak";
    record[i].bound_class = i < 30 ? "ranks, strong, MPI" : "ranks, strong, mem";
  }
  EXPECT_EQ(class_of(record, "ranks, strong", "ranks, strong, MPI", any_row).name, "ranks, strong, MPI");
  EXPECT_EQ(class_of(record, "ranks, strong", "ranks, strong, L1", any_row).name, "ranks, strong");
  EXPECT_EQ(class_of(record, "ranks, weak", "ranks, weak, L1", any_row).name, "all") << "ten pairs are no class";
  const auto of_four = [](const RecordRow& row) { return row.kernel < "4"; };
  EXPECT_EQ(class_of(record, "ranks, strong", "ranks, strong, MPI", of_four).name, "all") << "nor are those of four applications";
}

TEST(Projecting, nothing_is_said_of_an_interval_without_a_record) {
  const auto pair = pair_of(stream(0.1), plain_side(10, 10), plain_side(20, 10), 1);
  const Forecast told = forecast(pair, {}, {}, [](const auto&) { return true; });
  EXPECT_TRUE(std::isfinite(told.seconds[index_of(Method::ensemble)]));
  EXPECT_TRUE(std::isnan(told.lo[index_of(Method::ensemble)]));
  EXPECT_EQ(told.pairs, 0U);
}

}  // namespace
/// A target without a roof of what crosses farthest out would do that for nothing; one without L3 has it in memory's.
TEST(Projecting, levels_that_the_target_has_no_roof_of_are_named_where_none_farther_out_tells) {
  const auto node = [](const std::vector<std::string>& levels) {
    NodeSpec spec{.name = "n"};
    for (const auto& level : levels) spec.ceilings.push_back({.name = level, .value = 100, .unit = "GB/s", .scope = "core"});
    return spec;
  };
  const NodeSpec home = node({"L1", "L2", "L3", "mem"});
  const auto unroofed = [&](const std::map<std::string, double>& bytes, const NodeSpec& target) {
    return group_bytes({.name = "g", .seconds = 1, .scope = "core", .bound = "mem", .bytes = bytes}, home, target).without_roof;
  };
  const std::map<std::string, double> all{{"L1", 4e9}, {"L2", 3e9}, {"L3", 2e9}, {"mem", 1e9}};
  using Levels = std::vector<std::string>;
  EXPECT_EQ(unroofed(all, home), Levels{});
  EXPECT_EQ(unroofed(all, node({"L1", "L2", "mem"})), Levels{});
  EXPECT_EQ(unroofed(all, node({"L1", "L2", "L3"})), Levels{"mem"});
  EXPECT_EQ(unroofed({{"L1", 4e9}, {"memory", 1e9}}, home), Levels{"memory"}) << "a name that nobody has";
}

/// A node by its ceilings of the node scope.
NodeSpec node_with(const std::vector<std::pair<std::string, double>>& ceilings) {
  NodeSpec spec{.name = "n", .cores = 8};
  for (const auto& [name, value] : ceilings)
    spec.ceilings.push_back({.name = name, .value = value, .unit = name.starts_with("compute") ? "GFLOP/s" : "GB/s", .scope = "node"});
  return spec;
}

std::vector<ProgramProjection> told_of(const Application& application, const NodeSpec& source, const NodeSpec& target) {
  return project_program(project(application, source, target, Rest::constant), application, source, target, {}, {});
}

TEST(Projecting, cores_that_one_side_does_not_tell_are_as_many_as_the_others) {
  const NodeSpec home = node_with({{"mem", 100}});
  NodeSpec target = node_with({{"mem", 200}});
  const Application half_of_roof{.name = "p", .groups = {{.name = "g", .seconds = 2, .bound = "mem", .bytes = {{"mem", 1e11}}}}};
  target.cores = absent;
  const double unsaid = told_of(half_of_roof, home, target)[index_of(Method::overlap)].seconds;
  target.cores = home.cores;
  EXPECT_DOUBLE_EQ(told_of(half_of_roof, home, target)[index_of(Method::overlap)].seconds, unsaid);
  target.cores = 16;
  EXPECT_LT(told_of(half_of_roof, home, target)[index_of(Method::overlap)].seconds, unsaid);
}

/// A node of eight cores at 1 GHz that take up so many instructions a cycle.
NodeSpec node_that_issues(double width) {
  NodeSpec spec = node_with({{"mem", 100}, {"compute fp64", 1000}});
  for (auto& one : spec.ceilings) one.clock_hz = 1e9;
  spec.issue_width = width;
  return spec;
}

/// Little data, and 4 instructions a cycle on each core for a second.
Application of_instructions() {
  return {.name = "p", .groups = {{.name = "g", .seconds = 1, .bound = "mem", .bytes = {{"mem", 1e9}}, .instructions = 32e9}}};
}

TEST(Projecting, a_program_whose_instructions_are_known_goes_with_the_width_of_the_cores_where_both_sides_tell_it) {
  const NodeSpec home = node_that_issues(4), wide = node_that_issues(8);
  const auto told = told_of(of_instructions(), home, wide);
  EXPECT_DOUBLE_EQ(told[index_of(Method::roofline)].seconds, 0.5);
  EXPECT_DOUBLE_EQ(told[index_of(Method::efficiency)].seconds, 0.5);
  for (const auto& unknown : {node_that_issues(absent), [&] {
                                NodeSpec without_cores = wide;
                                without_cores.cores = absent;
                                return without_cores;
                              }()})
    EXPECT_DOUBLE_EQ(told_of(of_instructions(), home, unknown)[index_of(Method::roofline)].seconds, 0.01) << "memory alone";
}

TEST(Projecting, a_program_whose_cycles_are_known_goes_with_them_on_nodes_of_its_cpu_model_alone) {
  const NodeSpec home = node_that_issues(4);
  NodeSpec faster = home;
  for (auto& one : faster.ceilings) one.clock_hz = 2e9;
  Application waits_for_itself = of_instructions();
  waits_for_itself.groups.front().core_cycles = 8e9;
  waits_for_itself.groups.front().instructions = 1e9;
  EXPECT_DOUBLE_EQ(told_of(waits_for_itself, home, faster)[index_of(Method::roofline)].seconds, 0.5);
  faster.machine = "another";
  EXPECT_DOUBLE_EQ(told_of(waits_for_itself, home, faster)[index_of(Method::roofline)].seconds, 1.0 / 64) << "as many as they can take up";
}

TEST(Projecting, a_group_without_bytes_has_the_interval_of_its_bound) {
  const NodeSpec home = node_that_issues(4), wide = node_that_issues(8);
  Application without_bytes = of_instructions();
  without_bytes.groups.front().bytes.clear();
  const std::vector<RecordRow> record(20,
                                      RecordRow{.kernel = "q", .kind = "same", .bound_class = "same, mem", .log_error = {}, .scale = 1});
  const auto told = project_program(project(without_bytes, home, wide, Rest::constant), without_bytes, home, wide, {}, record);
  EXPECT_DOUBLE_EQ(told[index_of(Method::bandwidth)].seconds, 1) << "equation (5)";
  EXPECT_DOUBLE_EQ(told[index_of(Method::roofline)].seconds, 0.5);
  for (const auto& one : told) EXPECT_TRUE(std::isfinite(one.lo)) << to_string(one.method) << one.reason;
}

TEST(Projecting, groups_are_told_by_each_method_and_a_node_is_the_same_where_all_of_it_is) {
  const NodeSpec home = node_with({{"mem", 100}, {"L3", 400}});
  NodeSpec target = home;
  const Application two{.name = "p",
                        .groups = {{.name = "a", .seconds = 2, .bound = "mem", .bytes = {{"mem", 1e11}}},
                                   {.name = "b", .seconds = 1, .bound = "L3", .bytes = {{"L3", 4e11}}}}};
  for (const auto& one : told_of(two, home, target)) {
    ASSERT_EQ(one.group_seconds.size(), 2U);
    EXPECT_DOUBLE_EQ(one.group_seconds[0] + one.group_seconds[1], one.seconds) << to_string(one.method);
    EXPECT_EQ(one.reason, "both sides are the same node");
  }
  EXPECT_DOUBLE_EQ(told_of(two, home, target)[index_of(Method::roofline)].group_seconds[0], 1);
  target.launch_seconds = 5e-6;
  EXPECT_EQ(told_of(two, home, target).front().reason.find("same node"), std::string::npos);
}

TEST(Projecting, a_record_of_the_program_itself_gives_it_no_interval_and_is_named) {
  const NodeSpec home = node_with({{"mem", 100}}), target = node_with({{"mem", 200}});
  const Application one{.name = "p", .groups = {{.name = "g", .seconds = 2, .bound = "mem", .bytes = {{"mem", 1e11}}}}};
  const std::vector<RecordRow> own(20, RecordRow{.kernel = "p", .kind = "same", .bound_class = "same, mem", .log_error = {}, .scale = 1});
  const auto told = project_program(project(one, home, target, Rest::constant), one, home, target, {}, own)[index_of(Method::ensemble)];
  EXPECT_FALSE(std::isfinite(told.lo));
  EXPECT_NE(told.reason.find("0 pairs like this one beside 20 of this very program"), std::string::npos) << told.reason;
}

TEST(Projecting, amounts_that_do_not_go_with_the_time_here_are_doubted) {
  const NodeSpec home = node_with({{"mem", 100}, {"L3", 400}});
  const auto doubts = [&](const std::string& bound, const std::map<std::string, double>& bytes) {
    return doubtful_amounts({.name = "p", .groups = {{.name = "g", .seconds = 1, .bound = bound, .bytes = bytes}}}, home);
  };
  EXPECT_TRUE(doubts("mem", {{"mem", 5e10}, {"L3", 1e11}}).empty()) << "half of its roof";
  ASSERT_EQ(doubts("mem", {{"mem", 5e13}}).size(), 1U) << "a thousand times too many";
  EXPECT_DOUBLE_EQ(doubts("mem", {{"mem", 5e13}}).front().term_seconds, 500);
  EXPECT_EQ(doubts("mem", {{"mem", 50}}).size(), 1U) << "in GB";
  ASSERT_EQ(doubts("L3", {{"mem", 9e10}, {"L3", 1e9}}).size(), 1U);
  EXPECT_EQ(doubts("L3", {{"mem", 9e10}, {"L3", 1e9}}).front().bound, "L3");
  Application too_many = of_instructions();
  EXPECT_TRUE(doubtful_amounts(too_many, node_that_issues(4)).empty());
  too_many.groups.front().instructions *= 2;
  ASSERT_EQ(doubtful_amounts(too_many, node_that_issues(4)).size(), 1U);
  EXPECT_EQ(doubtful_amounts(too_many, node_that_issues(4)).front().term, "issue");
}

TEST(Projecting, pairs_of_gpus_learn_nothing_from_those_of_cpus) {
  const NodeSide cpu{.name = "c", .machine = "A", .team = "node"}, gpu{.name = "g", .machine = "A", .team = "gpu"};
  NodeSide other = gpu;
  other.machine = "B";
  EXPECT_EQ(pair_kind(gpu, other), "gpu+machine");
  const std::vector<RecordRow> record(30, RecordRow{.kernel = "k", .kind = pair_kind(cpu, NodeSide{.machine = "B"})});
  EXPECT_TRUE(class_of(record, pair_kind(gpu, other), "gpu+machine, mem", [](const auto&) { return true; }).rows.empty());
}

TEST(Projecting, a_rate_of_arithmetic_without_a_pattern_is_of_fmas_unless_it_is_but_the_best_pattern) {
  const auto names = [](const NodeSpec& node) {
    std::vector<std::string> patterns;
    for (const auto& one : arithmetic_ceilings(node, "node")) patterns.push_back(one.pattern);
    return patterns;
  };
  using Patterns = std::vector<std::string>;
  EXPECT_EQ(names(node_with({{"compute fp64", 1000}, {"compute fp64 add", 500}})), (Patterns{"", "add"}));
  EXPECT_EQ(names(node_with({{"compute fp64", 1000}, {"compute fp64 fma", 1000}})), Patterns{"fma"});
}

}  // namespace plumbline
