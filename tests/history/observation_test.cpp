// A result file tells of its cases and ceilings, as a night of a history.
#include "model/comparing/observation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../model/samples.hpp"
#include "core/gpu_device.hpp"
#include "model/comparing/night_check.hpp"

namespace {

using namespace plumbline;

const Observation* find(const std::vector<Observation>& all, const std::string& what) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.key.what == what; });
  return found == all.end() ? nullptr : &*found;
}

Results timed() {
  Results results;
  test::add(results, {.seconds = 2});
  results.times.front().session = "s1";
  results.times.front().clock_hz = 3e9;
  return results;
}

const std::string a_case = "validation/triad/fp64/n=1000/r1t1/gcc12-O3-v3";

TEST(Observation, a_case_has_the_teams_times_by_session) {
  Results results = timed();
  results.times.push_back({.case_id = a_case, .node = "node0", .session = "s2", .repetition = 0, .rank = -1, .seconds = 4});
  results.times.push_back({.case_id = a_case, .node = "node0", .session = "s2", .repetition = 0, .rank = 0, .seconds = 1});
  const auto all = observe(results, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].key, (SeriesKey{a_case, "node0"}));
  EXPECT_EQ(all[0].sessions, (Sessions{{2}, {4}}));
  EXPECT_EQ(all[0].clock_hz, 3e9);
  EXPECT_EQ(all[0].row_class, "case");  // nothing says what bounds it
  EXPECT_EQ(night_value(all[0]).median, 3);
}

TEST(Observation, a_case_that_failed_has_a_status_and_no_samples) {
  Results results = timed();
  results.outcomes.front().status = Status::wrong_result;
  results.outcomes.front().reason = "wrong result: relative error 1";
  const auto all = observe(results, {});
  EXPECT_TRUE(all[0].sessions.empty());
  EXPECT_EQ(all[0].status, Status::wrong_result);
  const auto wrong = wrong_results(results);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].key.node, "node0");
}

TEST(Observation, a_case_whose_times_are_gone_says_so) {
  Results results = timed();
  results.times.clear();
  const auto all = observe(results, {});
  EXPECT_EQ(all[0].status, Status::unavailable);
  EXPECT_FALSE(all[0].reason.empty());
}

CeilingRow sample(const std::string& name, const std::string& level, const std::string& pattern, double value, double bytes,
                  std::int32_t round) {
  CeilingRow row;
  row.name = name;
  row.precision = level == "compute" ? "fp64" : "-";
  row.level = level;
  row.pattern = pattern;
  row.node = "node0";
  row.session = "s1";
  row.round = round;
  row.value = value;
  row.unit = level == "compute" ? "GFLOP/s" : level == "mpi" ? "seconds" : "GB/s";
  row.method = "gcc12-O3-v3, something";
  row.working_set_bytes = bytes;
  return row;
}

TEST(Observation, ceilings_have_the_samples_that_their_median_is_of) {
  Results results;
  for (std::int32_t round = 0; round < 3; ++round) {
    results.ceilings.push_back(sample("FP64 vector FMA", "compute", "fma", 100 - round, absent, round));
    for (double bytes = 4608; bytes <= 80 << 20; bytes *= 1.25)
      results.ceilings.push_back(sample("load", "sweep", "load", (bytes <= 48 * 1024 ? 48 : 10) - 0.1 * round, bytes, round));
    for (const double bytes : {8.0, 1024.0})
      results.ceilings.push_back(sample("MPI latency inside a node", "mpi", "latency", 1e-6 * bytes, bytes, round));
  }
  const auto all = observe(results, {});
  const auto* compute = find(all, "ceiling/FP64 vector FMA/fp64/r1t1");
  ASSERT_NE(compute, nullptr);
  EXPECT_EQ(compute->sessions, (Sessions{{100, 99, 98}}));
  EXPECT_EQ(compute->row_class, "compute");
  EXPECT_EQ(compute->flavor, "gcc12-O3-v3");
  const auto* first = find(all, "ceiling/L1 load/r1t1");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->sessions, (Sessions{{48, 47.9, 47.8}}));
  EXPECT_EQ(first->row_class, "L1");
  const auto* memory = find(all, "ceiling/mem load/r1t1");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->sessions, (Sessions{{10, 9.9, 9.8}}));
  const auto* latency = find(all, "ceiling/MPI latency inside a node/r1t1");
  ASSERT_NE(latency, nullptr);
  EXPECT_EQ(latency->sessions, (Sessions{{8e-6, 8e-6, 8e-6}}));
  EXPECT_EQ(latency->row_class, "MPI latency");
  EXPECT_EQ(compute->point, "ceiling/FP64 vector FMA/fp64/r1t1");
  EXPECT_TRUE(first->point.starts_with("ceiling/load/r1t1/bytes=")) << first->point;
  EXPECT_TRUE(memory->point.starts_with("ceiling/load/r1t1/bytes=")) << memory->point;
  EXPECT_NE(memory->point, first->point);
  EXPECT_EQ(latency->point, "") << "messages are measured by a stage of their own";
}

TEST(Observation, each_gpu_of_a_node_has_series_of_its_own_and_like_gpus_know_each_other) {
  Results results;
  const auto add = [&](const char* name, double value, std::int32_t round) {
    const bool is_link = std::string(name).find("host") != std::string::npos;
    const bool by_kernel = std::string(name).find("kernel") != std::string::npos;
    results.ceilings.push_back(
        sample(name, is_link ? "host-dev" : "compute", by_kernel ? "kernel_pinned to host" : "fma", value, absent, round));
    results.ceilings.back().scope = gpu_scope;
    results.ceilings.back().device = gpu_of_name(name);
    results.ceilings.back().method = "cuda13-sm_90a, 132 multiprocessors of 9.0, NVIDIA H100";
  };
  for (std::int32_t round = 0; round < 2; ++round) {
    add("GPU FP64 FMA", 30000 + round, round);
    add("GPU1 FP64 FMA", 20000 + round, round);
    add("GPU1 to host, copy engine, pinned", 50 + round, round);
    add("GPU1 to host, kernel, pinned", 45 + round, round);
  }
  const auto all = observe(results, {});
  const auto *first = find(all, "ceiling/GPU FP64 FMA/fp64/r1t1"), *second = find(all, "ceiling/GPU1 FP64 FMA/fp64/r1t1"),
             *host = find(all, "ceiling/GPU1 to host, copy engine, pinned/r1t1"),
             *system = find(all, "ceiling/GPU1 to host, kernel, pinned/r1t1");
  ASSERT_TRUE(first && second && host && system);
  EXPECT_EQ(first->sessions, (Sessions{{30000, 30001}}));
  EXPECT_EQ(second->sessions, (Sessions{{20000, 20001}}));
  EXPECT_EQ(second->like, first->like);
  EXPECT_EQ(second->like, "ceiling/GPU FP64 FMA/fp64/r1t1 of NVIDIA H100");
  EXPECT_EQ(second->point, "ceiling/GPU1 FP64 FMA/fp64/r1t1") << "as it can be measured again by itself";
  EXPECT_TRUE(host->point.starts_with("ceiling/GPU1 to host, copy engine, pinned/")) << host->point;
  EXPECT_EQ(host->like, "") << "where a GPU is in its node is part of what its link can do";
  EXPECT_EQ(system->like, "");
  EXPECT_EQ(system->row_class, "system");
  EXPECT_EQ(system->sessions, (Sessions{{45, 46}})) << "its samples are those of a link";
}

CeilingRow link(const std::string& node, const std::string& peer, double value, std::int32_t round) {
  CeilingRow row = sample("MPI link bandwidth to " + peer, "link", "both ways", value, 1 << 20, round);
  row.node = node;
  row.ranks = 2;
  row.peer = peer;
  return row;
}

TEST(Observation, a_link_is_one_series_whichever_of_its_nodes_keeps_the_samples) {
  Results results;
  results.ceilings = {link("n2", "n10", 3, 0), link("n10", "n2", 4, 1), link("n2", "n3", 5, 0)};
  const auto all = observe(results, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key, (SeriesKey{"ceiling/MPI link bandwidth/r2t1", "n10 with n2"}));
  EXPECT_EQ(all[0].sessions, (Sessions{{3, 4}}));
  EXPECT_EQ(all[0].row_class, "link bandwidth");
  EXPECT_EQ(all[0].unit, "GB/s");
  EXPECT_TRUE(all[0].is_link());
  EXPECT_EQ(all[1].key.node, "n2 with n3");
}

TEST(Observation, a_link_without_a_good_sample_says_why) {
  Results results;
  for (std::int32_t round = 0; round < 2; ++round) {
    results.ceilings.push_back(link("n2", "n3", absent, round));
    results.ceilings.back().status = Status::failed;
    results.ceilings.back().reason = "no answer within 0.1 s";
  }
  const auto all = observe(results, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, Status::failed);
  EXPECT_NE(all[0].reason.find("no answer within 0.1 s"), std::string::npos) << all[0].reason;
}

}  // namespace
