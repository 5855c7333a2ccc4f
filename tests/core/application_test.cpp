#include "core/application.hpp"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "core/flows.hpp"
#include "core/records.hpp"
#include "tests/byte_units.hpp"

namespace plumbline {
namespace {

/// Two phases that read and write the same 4 MiB, of which one is entered three times.
ApplicationWork two_phases() {
  const auto passing = [](std::uint64_t adds) {
    return Work{.flops = {{"flops.fp64.add", adds}},
                .streams = {{.array = "a", .footprint_bytes = 2 * MiB, .read = true, .loads = 2 * MiB / 8, .element_bytes = 8},
                            {.array = "b", .footprint_bytes = 2 * MiB, .written = true, .stores = 2 * MiB / 8, .element_bytes = 8}}};
  };
  return {.phases = {{.name = "halo", .entries = 3, .messages = 2, .message_bytes = 100},
                     {.name = "one", .work = passing(10), .entries = 3},
                     {.name = "two", .work = passing(7)}},
          .data_bytes = 4 * MiB};
}

CacheLevel cache(std::uint64_t bytes) { return {.name = "L1", .bytes = bytes, .ways = 8}; }

TEST(Application, its_work_is_the_sum_over_entries_of_its_phases) {
  const Work whole = whole_work(two_phases());
  EXPECT_EQ(whole.flops.at("flops.fp64.add"), Amount(3 * 10 + 7));
  const Counts references = expected_counts(whole, {}, 1);
  EXPECT_EQ(references.at("bytes.reg-L1.load"), Amount(4 * 2 * MiB));
  EXPECT_EQ(references.at("bytes.reg-L1.store"), Amount(4 * 2 * MiB));
}

TEST(Application, its_footprint_is_that_of_its_data_once) { EXPECT_EQ(working_set(whole_work(two_phases()), 1), Amount(4 * MiB)); }

TEST(Application, its_counts_are_the_sums_of_those_of_its_phases) {
  const ApplicationWork application = two_phases();
  const CacheLevel caches[] = {cache(32 * KiB)};
  const Counts whole = expected_counts(application, caches, 1);
  for (const char* quantity : {"flops.fp64", "bytes.L1-mem.demand_read", "exchange.bytes"}) {
    Amount sum;
    for (const Phase& phase : application.phases) sum += expected_counts(application, phase, caches, 1).at(quantity);
    EXPECT_EQ(whole.at(quantity), sum) << quantity;
  }
  EXPECT_EQ(whole.at("exchange.messages"), Amount(6));
  EXPECT_EQ(whole.at("exchange.bytes"), Amount(300));
}

TEST(Application, a_cache_may_hold_what_a_phase_needs_but_no_more_than_fits) {
  const ApplicationWork application = two_phases();
  const CacheLevel small[] = {cache(32 * KiB)};
  const Amount alone = expected_counts(application.phases[1].work, small, 1).at("bytes.L1-mem.demand_read");
  const Amount in_place = expected_counts(application, application.phases[1], small, 1).at("bytes.L1-mem.demand_read");
  EXPECT_EQ(in_place.lo, 3 * (alone.lo - 32 * KiB));
  EXPECT_EQ(in_place.hi, 3 * alone.hi);
}

TEST(Application, nothing_moves_where_all_data_stay_in_a_cache) {
  const ApplicationWork application = two_phases();
  const CacheLevel large[] = {cache(16 * MiB)};
  const Amount read = expected_counts(application, application.phases[1], large, 1).at("bytes.L1-mem.demand_read");
  EXPECT_EQ(read.lo, 0U);
  EXPECT_LE(read.hi, 3 * slack_lines_per_thread * 64);
  // One of its phases alone would stay in 6 MiB, but not what the others bring.
  const CacheLevel between[] = {cache(6 * MiB)};
  EXPECT_LE(expected_counts(application.phases[1].work, between, 1).at("bytes.L1-mem.demand_read").hi, slack_lines_per_thread * 64);
  EXPECT_GE(expected_counts(application, application.phases[1], between, 1).at("bytes.L1-mem.demand_read").hi, 3 * 2 * MiB);
}

TEST(Application, threads_with_a_cache_each_may_find_what_another_one_wrote) {
  const ApplicationWork application = two_phases();
  const CacheLevel large[] = {cache(16 * MiB)};
  EXPECT_GE(expected_counts(application, application.phases[1], large, 2).at("bytes.L1-mem.demand_read").hi, 3 * 2 * MiB);
}

TEST(Peers, a_rank_alone_is_its_own_neighbour) {
  Peers alone;
  std::array<double, 2> sent{1, 2}, received{};
  const Peers::Message messages[] = {{.sent = &sent[0], .to = 0, .received = &received[1], .from = 0, .bytes = sizeof(double)},
                                     {.sent = &sent[1], .to = 0, .received = &received[0], .from = 0, .bytes = sizeof(double)}};
  alone.exchange(messages);
  alone.add_up(sent);
  EXPECT_EQ(received, (std::array<double, 2>{2, 1}));
  EXPECT_EQ(sent, (std::array<double, 2>{1, 2}));
}

CaseRow case_row(const std::string& kernel, std::int64_t ranks) {
  CaseRow row;
  row.id = kernel + "/n=1";
  row.work = row.kernel = kernel;
  row.ranks = ranks;
  return row;
}

OutcomeRow outcome_row(const std::string& id, Status status, const std::string& reason) {
  OutcomeRow row;
  row.case_id = id;
  row.pass = "time";
  row.status = status;
  row.reason = reason;
  return row;
}

Results timed_application() {
  Results results;
  results.cases = {case_row("s/k", 1), case_row("s/app", 2)};
  results.outcomes = {outcome_row("s/k/n=1", Status::ok, ""), outcome_row("s/app/n=1", Status::failed, "why")};
  results.model = {{"s/k/n=1", "flops.fp64", 1, 1}, {"s/app/n=1", "flops.fp64", 5, 5}, {"s/app/n=1", "flops.fp64", 3, 3, "update"}};
  for (const char* phase : {"", "update"}) {
    TimeRow row;
    row.case_id = "s/app/n=1";
    row.rank = -1;
    row.seconds = 1;
    row.phase = phase;
    results.times.push_back(row);
  }
  return results;
}

TEST(PhasesAsCases, a_phase_is_a_case_beside_its_whole_with_the_outcome_of_it) {
  Results results = timed_application();
  make_phases_cases(results);
  ASSERT_EQ(results.cases.size(), 3U);
  const CaseRow& phase = results.cases[2];
  EXPECT_EQ(phase.id, "s/app/n=1#update");
  EXPECT_EQ(phase.work, "s/app#update");
  EXPECT_EQ(phase.kernel, "s/app");
  EXPECT_EQ(phase.ranks, 2);
  EXPECT_EQ(case_of(phase.id), "s/app/n=1");
  EXPECT_EQ(phase_of(phase.id), "update");
  EXPECT_EQ(phase_of("s/app/n=1"), "");
  EXPECT_EQ(phase_of("s/app/n=1#smooth@2"), "smooth@2");
  ASSERT_EQ(results.outcomes.size(), 3U);
  EXPECT_EQ(results.outcomes[2].case_id, phase.id);
  EXPECT_EQ(results.outcomes[2].reason, "why");
  EXPECT_EQ(results.times[0].case_id, "s/app/n=1");
  EXPECT_EQ(results.times[1].case_id, phase.id);
  EXPECT_EQ(results.model[2].case_id, phase.id);
}

TEST(PhasesAsCases, a_phase_that_a_gpus_case_leaves_to_the_host_is_one_of_its_ranks_and_threads) {
  Results results = timed_application();
  results.cases[1].threads = 4, results.cases[1].gpus = 2;
  results.model.push_back({"s/app/n=1", host_entries, 3, 3});
  results.model.push_back({"s/app/n=1", host_entries, 3, 3, "smooth"});
  make_phases_cases(results);
  ASSERT_EQ(results.cases.size(), 4U);
  const auto workers = [&](std::size_t at) {
    const CaseRow& row = results.cases[at];
    return std::tuple(row.gpus, row.ranks, working_threads(row));
  };
  EXPECT_EQ(workers(1), std::tuple(2, 2, 1)) << "the whole";
  EXPECT_EQ(workers(2), std::tuple(2, 2, 1)) << "a phase of the GPUs, each driven by one thread";
  EXPECT_EQ(workers(3), std::tuple(0, 2, 4)) << results.cases[3].id;
}

TEST(PhasesAsCases, a_kernels_name_with_the_same_sign_is_no_phase) {
  const std::string imported = "imported/void f<g(int)::{lambda(int)#1}>/fp64/g1/ncu";
  EXPECT_EQ(phase_of(imported), "");
  EXPECT_EQ(case_of(imported), imported);
}

TEST(PhasesAsCases, nothing_changes_where_there_is_no_phase) {
  Results results = timed_application();
  leave_out_phases(results);
  EXPECT_EQ(results.times.size(), 1U);
  EXPECT_EQ(results.model.size(), 2U);
  const Results before = results;
  make_phases_cases(results);
  EXPECT_EQ(results.cases, before.cases);
  EXPECT_EQ(results.outcomes, before.outcomes);
}

/// A GPU's application whose second phase is its host's; copies of 1000 bytes go down and of 10 bytes up.
ApplicationWork shared_with_host() {
  ApplicationWork application = two_phases();
  application.phases[2].on_host = true;
  application.phases.push_back({.name = "download", .entries = 2, .from_device_bytes = 1000});
  application.phases.push_back({.name = "upload", .entries = 3, .to_device_bytes = 10});
  return application;
}
const CacheLevel of_device[] = {{.name = "L1", .bytes = 32 * KiB, .line_bytes = 32, .policy = gpu_L1_policy}};

TEST(Application, a_phase_of_the_host_finds_the_hosts_caches) {
  ApplicationWork application = shared_with_host();
  const CacheLevel of_host[] = {cache(64 * KiB)};
  const Counts on_host = expected_counts(application, application.phases[2], of_device, 1, of_host);
  application.phases[2].on_host = false;
  EXPECT_EQ(on_host, expected_counts(application, application.phases[2], of_host, 1));
}

TEST(Application, a_phase_of_the_host_is_divided_among_its_threads_and_one_of_the_device_is_not) {
  const CacheLevel of_host[] = {cache(64 * KiB)};
  ApplicationWork application = shared_with_host();
  const auto with_threads = [&](std::size_t phase, int threads) {
    return expected_counts(application, application.phases[phase], of_device, 1, of_host, threads);
  };
  EXPECT_EQ(with_threads(1, 4), with_threads(1, 1));
  const Counts of_four = with_threads(2, 4);
  EXPECT_EQ(of_four.at("flops.fp64"), with_threads(2, 1).at("flops.fp64"));
  application.phases[2].on_host = false;
  EXPECT_EQ(of_four, expected_counts(application, application.phases[2], of_host, 4));
  EXPECT_NE(of_four, expected_counts(application, application.phases[2], of_host, 1)) << "each has a cache of its own";
}

TEST(Application, what_is_copied_between_device_and_host_crosses_their_link_exactly) {
  const ApplicationWork application = shared_with_host();
  const Counts down = expected_counts(application, application.phases[3], of_device, 1),
               up = expected_counts(application, application.phases[4], of_device, 1);
  EXPECT_EQ(down.at("bytes.host-dev.write_back"), Amount(2000));
  EXPECT_EQ(down.at("bytes.host-dev.demand_read"), Amount(0));
  EXPECT_EQ(up.at("bytes.host-dev.demand_read"), Amount(30));
  EXPECT_EQ(up.at("bytes.host-dev"), Amount(30));
}

TEST(Application, two_hierarchies_do_not_add_up_but_operations_and_copies_do) {
  const CacheLevel of_host[] = {cache(64 * KiB)};
  const Counts whole = expected_counts(shared_with_host(), of_device, 1, of_host);
  EXPECT_EQ(whole.at("flops.fp64"), Amount(3 * 10 + 7));
  EXPECT_FALSE(whole.contains("bytes.L1-mem.demand_read"));
  EXPECT_FALSE(whole.contains("bytes.reg-L1.load"));
  EXPECT_GE(whole.at("bytes.host-dev").lo, 2030U);
}

}  // namespace
}  // namespace plumbline
