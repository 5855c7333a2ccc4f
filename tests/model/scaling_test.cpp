// Scaling onto many nodes: what follows by hand, and the simulation of waiting against one of every rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "model/scaling/ranks_record.hpp"
#include "model/scaling/scaled_application.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double no_time = std::numeric_limits<double>::min(), endless = 1e300;

LinkEnds alike(const MessageLink& inside, const MessageLink& between) {
  LinkEnds ends;
  ends.fill({.inside = inside, .between = between});
  return ends;
}

LinkEnds links_without_cost() {
  const MessageLink link{.latency_seconds = 0, .one_way_gbs = endless, .both_ways_gbs = endless};
  return alike(link, link);
}

/// A solver in rows, of so many ranks on a node: an exchange, an update and a sum, twice.
ScaledApplication solver(std::vector<double> update_seconds, std::uint64_t ranks = 1, double layers = 1024) {
  ScaledApplication application{.name = "solver", .kernel = "solver", .ranks_of_node = ranks};
  application.decomposition = {.layer = "rows", .layers = layers};
  application.phases = {{.name = "halo", .entries = 2, .messages = 2, .bytes = 8000},
                        {.name = "update", .entries = 2, .seconds = std::move(update_seconds)},
                        {.name = "sum", .entries = 2, .messages = 1, .bytes = 8}};
  application.order = {0, 1, 2, 0, 1, 2};
  application.seconds = median_of(application.phases[1].seconds);
  return application;
}

TEST(Scaling, one_node_takes_what_was_measured) {
  ScaledApplication application = solver({0.9, 1.0, 1.3, 1.1});
  application.seconds = 1.07;
  application.phases[0].least_seconds = 1e-3;
  application.phases[2].least_seconds = 2e-3;
  const MessageLink link{.latency_seconds = 1e-6, .one_way_gbs = 10, .both_ways_gbs = 20};
  const ScalingModel model(application, alike(link, link), 1);
  for (const Scaling scaling : {Scaling::strong, Scaling::weak}) {
    const ScaledTime told = model.at({1, 1}, scaling);
    EXPECT_NEAR(told.seconds, 1.07, 1e-12);
    EXPECT_DOUBLE_EQ(told.efficiency, 1);
    EXPECT_LT(told.lo, told.seconds);
    EXPECT_GT(told.hi, told.seconds);
    EXPECT_NEAR(told.spent_seconds[1], 2e-3, 1e-12) << "two entries of what an exchange took";
    EXPECT_NEAR(told.spent_seconds[2], 4e-3, 1e-12);
  }
}

TEST(Scaling, without_noise_and_messages_weak_scaling_has_efficiency_1_and_strong_scaling_is_ideal) {
  const ScalingModel model(solver({1.0, 1.0, 1.0}), links_without_cost(), 1);
  for (const std::uint64_t nodes : {1U, 2U, 8U, 1024U, 10000U}) {
    const ScaledTime weak = model.at({nodes, 1}, Scaling::weak);
    EXPECT_NEAR(weak.seconds, 1, 1e-12);
    EXPECT_NEAR(weak.efficiency, 1, 1e-12);
    EXPECT_NEAR(weak.share(Spent::computing), 1, 1e-12);
    if (nodes > 1024) continue;
    const ScaledTime strong = model.at({nodes, 1}, Scaling::strong);
    EXPECT_NEAR(strong.seconds, 1.0 / static_cast<double>(nodes), 1e-12);
    EXPECT_NEAR(strong.efficiency, 1, 1e-12);
  }
  EXPECT_EQ(model.most_nodes(Scaling::strong), 1024U);
  EXPECT_FALSE(model.most_nodes(Scaling::weak).has_value());
}

TEST(Scaling, the_rank_with_most_layers_is_waited_for) {
  const ScalingModel model(solver({1.0}, 1, 10), links_without_cost(), 1);
  EXPECT_NEAR(model.at({3, 1}, Scaling::strong).seconds, 0.4, 1e-12) << "four of ten layers";
}

TEST(Scaling, latency_alone_costs_an_exchange_one_and_a_sum_one_a_round) {
  const MessageLink inside{.latency_seconds = 1e-6, .one_way_gbs = endless, .both_ways_gbs = endless},
      between{.latency_seconds = 1e-5, .one_way_gbs = endless, .both_ways_gbs = endless};
  const ScalingModel model(solver({1.0}, 4), alike(inside, between), 1);
  const auto at = [&](std::uint64_t nodes) { return model.at({nodes, 4}, Scaling::weak); };
  EXPECT_NEAR(at(1).spent_seconds[1], 2 * 1e-6, 1e-15);
  EXPECT_NEAR(at(1).spent_seconds[2], 2 * 2e-6, 1e-15) << "two rounds of four ranks";
  EXPECT_NEAR(at(8).spent_seconds[1], 2 * 1e-5, 1e-15);
  EXPECT_NEAR(at(8).spent_seconds[2], 2 * (2e-6 + 3e-5), 1e-15) << "two rounds inside, three between";
  EXPECT_NEAR(at(3).spent_seconds[2], 2 * (2e-6 + 3e-5), 1e-15) << "12 ranks: floor(log2) and two more, two of them inside";
}

TEST(Scaling, bandwidth_alone_costs_an_exchange_its_bytes_out_and_in) {
  const MessageLink inside{.latency_seconds = no_time, .one_way_gbs = 10, .both_ways_gbs = 16},
      between{.latency_seconds = no_time, .one_way_gbs = 2, .both_ways_gbs = 4};
  const Allocation alone{1, 1}, node{1, 4}, nodes{2, 4};
  const MessageLinks links{inside, between};
  EXPECT_NEAR(exchange_seconds(2, 8000, alone, links), 8000 / 10e9, 1e-18) << "a copy";
  EXPECT_NEAR(exchange_seconds(2, 8000, node, links), 16000 / 16e9, 1e-18);
  EXPECT_NEAR(exchange_seconds(2, 8000, nodes, links), 16000 / 4e9, 1e-18);
  EXPECT_NEAR(sum_seconds(8, nodes, links), 2 * 8 / 10e9 + 8 / 2e9, 1e-18);
  EXPECT_LT(sum_seconds(1e6, nodes, links), 2 * 1e6 / 10e9 + 1e6 / 2e9 + 1e-12) << "halves of long sums, where that is shorter";
  EXPECT_EQ(sum_seconds(8, alone, links), 0);
}

TEST(Scaling, a_further_message_costs_a_gap) {
  const MessageLink link{.latency_seconds = 1e-6, .gap_seconds = 1e-7, .one_way_gbs = endless, .both_ways_gbs = endless};
  EXPECT_NEAR(exchange_seconds(9, 0, {2, 1}, {link, link}), 1e-6 + 8e-7, 1e-18);
}

TEST(Scaling, messages_between_nodes_that_nobody_measured_are_refused) {
  const MessageLink link{.latency_seconds = 1e-6, .one_way_gbs = 1, .both_ways_gbs = 2};
  EXPECT_THROW(exchange_seconds(2, 8, {2, 1}, {.inside = link, .between = {}}), Error);
}

TEST(Scaling, the_links_are_those_of_the_ceilings_at_either_end_and_in_the_middle) {
  const auto ceiling = [](const char* name, double min, double median, double max) {
    Ceiling one{.name = name, .level = CeilingKind::mpi, .value = max};
    one.min = min, one.median = median, one.max = max;
    return one;
  };
  const std::vector<Ceiling> ceilings{ceiling("MPI latency inside a node", 1e-7, 2e-7, 4e-7),
                                      ceiling("MPI one way inside a node", 5, 8, 10),
                                      ceiling("MPI one way inside a node, half bandwidth", 1000, 2000, 4000)};
  const auto best = link_of(ceilings, "inside a node", SampleEnd::best), middle = link_of(ceilings, "inside a node", SampleEnd::middle),
             worst = link_of(ceilings, "inside a node", SampleEnd::worst);
  ASSERT_TRUE(best && middle && worst);
  EXPECT_DOUBLE_EQ(best->latency_seconds, 1e-7);
  EXPECT_DOUBLE_EQ(middle->latency_seconds, 2e-7);
  EXPECT_DOUBLE_EQ(worst->latency_seconds, 4e-7);
  EXPECT_DOUBLE_EQ(best->one_way_gbs, 10);
  EXPECT_DOUBLE_EQ(worst->one_way_gbs, 5);
  EXPECT_DOUBLE_EQ(middle->gap_seconds, 2000 / 8e9);
  EXPECT_DOUBLE_EQ(middle->both_ways_gbs, 8) << "where both ways were not measured, as one way";
  EXPECT_FALSE(link_of(ceilings, "between nodes", SampleEnd::middle).has_value());
}

TEST(Scaling, strong_scaling_is_more_than_ideal_once_the_working_set_fits_a_nearer_level) {
  ScaledApplication application = solver({1.0, 1.0});
  application.side = {.name = "node", .machine = "m", .team = "r1t1", .isa = "v3"};
  application.side.levels = {{.name = "L2", .gbs = 100, .size_bytes = 1e6}, {.name = "mem", .gbs = 10}};
  application.side.vector_rates = {{"FMA", "fp64", "fma", 1000}};
  WorkPart part{.name = "update", .bytes = {{"L2", 1e10}, {"mem", 1e10}}, .working_set_bytes = 8e6};
  part.mix["fp64"] = {.flops = 1e9};
  application.phases[1].part = part;
  const ScalingModel model(application, links_without_cost(), 1);
  const ScaledTime two = model.at({2, 1}, Scaling::strong), sixteen = model.at({16, 1}, Scaling::strong);
  EXPECT_NEAR(two.seconds, 0.5, 1e-12) << "4 MB in caches of 1 MB come from memory still";
  EXPECT_EQ(two.ceiling, "mem");
  const double inside = std::pow(0.1, 2) + std::pow(0.001, 2);  // L2's term and that of arithmetic; memory's is 1 s
  EXPECT_NEAR(sixteen.seconds, std::sqrt(inside / (1 + inside)) / 16, 1e-12) << "0.5 MB come from L2 alone";
  EXPECT_LE(sixteen.lo, sixteen.seconds * (1 + 1e-12));
  EXPECT_GE(sixteen.hi, 1.0 / 16) << "at most what its work alone says";
  EXPECT_EQ(sixteen.ceiling, "L2");
  EXPECT_NEAR(model.at({16, 1}, Scaling::weak).seconds, 1, 1e-12) << "a rank's working set stays";
}

TEST(Scaling, onto_other_ranks_of_a_node_the_interval_is_as_wide_as_the_record_of_other_applications) {
  NodeSide one{.name = "one", .machine = "m", .team = "r1t1", .isa = "v3"};
  one.levels = {{.name = "L2", .gbs = 100, .size_bytes = 1e6}, {.name = "mem", .gbs = 10}};
  one.vector_rates = {{"FMA", "fp64", "fma", 1000}};
  NodeSide two = one;
  two.team = "r2t1", two.workers = 2;
  two.levels = {{.name = "L2", .gbs = 200, .size_bytes = 2e6}, {.name = "mem", .gbs = 20}};
  two.vector_rates = {{"FMA", "fp64", "fma", 2000}};
  ScaledApplication application = solver({1.0, 1.0});
  application.side = one;
  application.phases[1].part = WorkPart{.name = "update", .bytes = {{"L2", 1e10}, {"mem", 1e10}}, .working_set_bytes = 8e6};
  const ScalingModel model(application, links_without_cost(), 1);
  constexpr double error = 0.5;
  std::vector<RecordRow> record(20, {.kernel = "another", .kind = "cores", .bound_class = "cores, mem", .scale = 1});
  for (auto& row : record) row.log_error[index_of(Method::overlap)] = error;
  const ScaledTime told = model.at({1, 2}, Scaling::weak, {&two, record});
  EXPECT_NEAR(told.seconds, 1, 1e-9) << "twice the bytes at twice the bandwidth";
  EXPECT_NEAR(told.hi, std::exp(error), 1e-9);
  EXPECT_NEAR(told.lo, std::exp(-error), 1e-9);
  for (auto& row : record) row.kernel = "solver";
  EXPECT_NEAR(model.at({1, 2}, Scaling::weak, {&two, record}).hi, 1, 1e-9) << "what it is judged by is no part of it";
  two.levels.back().gbs = 10;
  EXPECT_NEAR(model.at({1, 2}, Scaling::weak, {&two, {}}).seconds, 2, 0.05) << "two ranks share one memory";
}

TEST(Scaling, phases_that_are_not_cut_take_as_long_on_any_number_of_nodes) {
  ScaledApplication application = solver({1.0});
  application.phases[1].is_cut = false;
  EXPECT_NEAR(ScalingModel(application, links_without_cost(), 1).at({64, 1}, Scaling::strong).seconds, 1, 1e-12);
}

TEST(Scaling, communication_takes_half_where_it_does_by_hand) {
  const MessageLink free{.latency_seconds = 0, .one_way_gbs = endless, .both_ways_gbs = endless},
      link{.latency_seconds = 0.00101, .one_way_gbs = endless, .both_ways_gbs = endless};
  ScaledApplication application = solver({1.0}, 1, 1e6);
  application.phases.pop_back();  // no sums
  application.order = {0, 1, 0, 1};
  const ScalingModel model(application, alike(free, link), 1);
  EXPECT_EQ(model.first_half(1, 1024, Scaling::strong), 496U) << "two latencies of 1.01 ms are 1 s over 495.05";
  EXPECT_EQ(model.at({1024, 1}, Scaling::strong).bound, Spent::exchanging);
  EXPECT_EQ(model.at({256, 1}, Scaling::strong).bound, Spent::computing);
}

// ----------------------------------------------------------------------------------------------------------------- waiting

/// Sweeps of every rank, one by one, with a generator of its own; the seconds of each in order.
std::vector<double> every_rank(const CutSweep& sweep, std::size_t ranks, int sweeps, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> all;
  for (int s = 0; s < sweeps; ++s) {
    double now = 0;
    for (const auto& chain : sweep.chains) {
      std::vector<double> at(ranks, now);
      for (std::size_t i = 0; i < chain.size(); ++i) {
        if (i > 0) {
          std::vector<double> goes = at;
          for (std::size_t rank = 0; rank < ranks; ++rank)
            for (const std::size_t other : {(rank + 1) % ranks, (rank + ranks - 1) % ranks}) goes[rank] = std::max(goes[rank], at[other]);
          at = goes;
        }
        const auto& samples = sweep.segments[chain[i]];
        for (double& rank : at) rank += samples[random() % samples.size()];
      }
      now = *std::ranges::max_element(at);
    }
    all.push_back(now);
  }
  std::ranges::sort(all);
  return all;
}

CutSweep noisy() {
  CutSweep sweep;
  std::mt19937_64 random(7);
  std::exponential_distribution<double> late(20);
  for (const double seconds : {1.0, 0.5, 0.25}) {
    auto& samples = sweep.segments.emplace_back();
    for (int i = 0; i < 40; ++i) samples.push_back(seconds * (1 + late(random)));
  }
  sweep.chains = {{0, 1, 2, 1}, {0}, {2, 1, 2}, {0, 1, 2, 1}};
  return sweep;
}

TEST(Waiting, a_simulation_of_every_rank_says_the_same) {
  const CutSweep sweep = noisy();
  for (const std::size_t ranks : {1U, 2U, 3U, 8U, 100U}) {
    const SweepSeconds told = sweep_seconds(sweep, ranks, 3);
    auto all = every_rank(sweep, ranks, 4000, 11);
    EXPECT_NEAR(told.median / quantile(all, 0.5), 1, 0.006) << ranks;
    EXPECT_NEAR(told.lo / quantile(all, 0.05), 1, 0.012) << ranks;
    EXPECT_NEAR(told.hi / quantile(all, 0.95), 1, 0.012) << ranks;
  }
}

TEST(Waiting, more_ranks_than_are_simulated_together_follow_by_order_statistics) {
  const CutSweep sweep = noisy();
  constexpr std::size_t ranks = 3000;
  auto all = every_rank(sweep, ranks, 60, 5);
  const SweepSeconds told = sweep_seconds(sweep, ranks, 9);
  EXPECT_NEAR(told.median / quantile(all, 0.5), 1, 0.01);
}

TEST(Waiting, ranks_between_sums_alone_wait_for_the_slowest_of_all_draws) {
  CutSweep sweep;
  sweep.segments = {{1, 2, 3, 4}};
  sweep.chains = {{0}};
  EXPECT_DOUBLE_EQ(last_of(sweep.segments[0], 1, 0.5 - 1e-9), 2);
  EXPECT_DOUBLE_EQ(last_of(sweep.segments[0], 2, 0.5), 3) << "the square root of a half lies in the third quarter";
  EXPECT_DOUBLE_EQ(sweep_seconds(sweep, 1000, 1).median, 4) << "no rank is slower than the slowest sample";
  EXPECT_DOUBLE_EQ(sweep_seconds(sweep, 1000, 1).computing, 2.5);
}

TEST(Waiting, neighbours_alone_hold_each_other_up_less_than_all_do) {
  CutSweep ring = noisy(), all = ring;
  ring.chains = {{0, 0, 0, 0, 0, 0}};
  all.chains.assign(6, {0});
  EXPECT_LT(sweep_seconds(ring, 4096, 1).median, 0.99 * sweep_seconds(all, 4096, 1).median);
  EXPECT_GT(sweep_seconds(ring, 4096, 1).median, sweep_seconds(ring, 1, 1).median);
}

TEST(Waiting, the_same_seed_tells_the_same) {
  const CutSweep sweep = noisy();
  EXPECT_EQ(sweep_seconds(sweep, 500, 4).median, sweep_seconds(sweep, 500, 4).median);
  EXPECT_NE(sweep_seconds(sweep, 500, 4).median, sweep_seconds(sweep, 500, 5).median);
}

// ----------------------------------------------------------------------------------------------------------- decompositions

TEST(Decompositions, ranks_are_cut_along_what_their_exchanges_shift) {
  EXPECT_EQ(decomposition_of("proxies/heat2d", {{"n", std::int64_t{512}}, {"steps", std::int64_t{4}}})->layers, 512);
  EXPECT_EQ(decomposition_of("proxies/gsrb", {{"boxes", std::int64_t{2}}, {"n", std::int64_t{32}}})->layers, 32);
  const Parameters cg{{"n", std::int64_t{64}}, {"planes", std::int64_t{0}}, {"levels", std::int64_t{4}}, {"iterations", std::int64_t{10}}};
  EXPECT_EQ(decomposition_of("proxies/cg", cg)->layers, 4) << "64 planes are 8 on the coarsest of four levels, which go in pairs";
  EXPECT_FALSE(std::isfinite(decomposition_of("proxies/lstm", {})->layers));
  EXPECT_FALSE(decomposition_of("proxies/sparse_lu", {}).has_value());
}

/// Projections of six applications onto two ranks, each off by its own factor up or down.
std::vector<RecordRow> known_ranks() {
  std::vector<RecordRow> record;
  for (int i = 0; i < 30; ++i) {
    const RanksPair pair{.from = "run" + std::to_string(i), .to = "there", .kernel = "proxies/" + std::to_string(i % 6)};
    record.push_back(row_of(pair, ScaledTime{.seconds = i % 2 == 0 ? 1 + 0.01 * i : 1 / (1 + 0.01 * i)}, 1));
  }
  return record;
}

TEST(RanksRecord, GivesIntervalsThatNineInTenOfOtherApplicationsLieIn) {
  const auto record = known_ranks();
  EXPECT_EQ(record.front().kind, "ranks, weak");
  ScaledTime told{.seconds = 2, .lo = 1.9, .hi = 2.1};
  take_interval(told, {.kernel = "proxies/5"}, record);
  // The 24th smallest of the 25 others is that of i = 28: ceil(0.9 x 26) = 24.
  EXPECT_NEAR(told.hi, 2 * 1.27, 1e-9);
  EXPECT_NEAR(told.lo, 2 / 1.27, 1e-9);
  EXPECT_EQ(told.learned_pairs, 25U);
  ScaledTime wide{.seconds = 2, .lo = 0.5, .hi = 2.1};
  open_interval(wide, {.kernel = "proxies/5"}, record);
  EXPECT_DOUBLE_EQ(wide.lo, 0.5) << "it is at least as wide as the model has it";
  EXPECT_NEAR(wide.hi, 2 * 1.27, 1e-9);
}

TEST(RanksRecord, IsOfWholeApplicationsAlone) {
  std::vector<RecordRow> cases(40, RecordRow{.kernel = "k", .kind = "cores", .bound_class = "cores, mem"});
  for (auto& row : cases) row.log_error[index_of(Method::overlap)] = 1;
  ScaledTime told{.seconds = 2, .lo = 1.9, .hi = 2.1};
  take_interval(told, {.kernel = "proxies/5"}, cases);
  EXPECT_EQ(told.learned_pairs, 0U);
  EXPECT_DOUBLE_EQ(told.hi, 2.1);
  EXPECT_TRUE(class_of(known_ranks(), "cores", "cores, mem", [](const RecordRow&) { return true; }).rows.empty());
}

}  // namespace
}  // namespace plumbline
