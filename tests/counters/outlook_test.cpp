// The doctor would say this of machines that are not at hand.
#include "counters/outlook.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace plumbline {
namespace {

KnownCounters table_of(const CpuIdentity& cpu) { return counters_for(read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, ""), cpu); }

const std::vector<std::string> emulated{"flops.fp64.add",          "flops.fp32.add",          "bytes.reg-L1.load",
                                        "bytes.L1-L2.demand_read", "bytes.L2-L3.demand_read", "bytes.L3-mem.demand_read"};

// A bare-metal Zen 4 as distributions set it up.
CountingFacts zen4() {
  CountingFacts facts;
  facts.cpu = "AMD EPYC 9654";
  facts.paranoid = 2;
  facts.pmus = {"amd_df", "amd_l3", "amd_umc_0", "amd_umc_11", "cpu"};
  facts.known = table_of({"AuthenticAMD", 25, 17, 1});
  facts.emulated_events = emulated;
  return facts;
}
CountingFacts sapphire_rapids() {
  CountingFacts facts;
  facts.cpu = "Intel Xeon 8480";
  facts.paranoid = 0;
  facts.watchdog = true;
  facts.pmus = {"cpu", "uncore_imc_0", "uncore_imc_free_running_0"};
  facts.known = table_of({"GenuineIntel", 6, 143, 8});
  facts.emulated_events = emulated;
  return facts;
}

std::vector<CountingWay> ways(const CountingOutlook& outlook, const std::string& quantity, const std::string& backend = "perf_event") {
  std::vector<CountingWay> found;
  std::copy_if(outlook.ways.begin(), outlook.ways.end(), std::back_inserter(found),
               [&](const CountingWay& way) { return way.quantity == quantity && way.backend == backend; });
  return found;
}
CountingWay way(const CountingOutlook& outlook, const std::string& quantity, const std::string& counter) {
  for (const auto& one : outlook.ways)
    if (one.quantity == quantity && one.counter == counter) return one;
  ADD_FAILURE() << "no way by " << counter;
  return {};
}
bool says(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(part) != text.npos; });
}

TEST(outlook, bare_metal_with_paranoid_2_counts_cores_and_not_memory_controllers) {
  const auto outlook = look_out(zen4());
  EXPECT_EQ(way(outlook, "flops.fp64", "flops.all").status, Status::ok);
  EXPECT_TRUE(says(way(outlook, "flops.fp64", "flops.all").caveats, "merge event"));
  EXPECT_EQ(way(outlook, "bytes.L1-L2", "l1_fills").status, Status::ok);
  const auto reads = way(outlook, "bytes.L3-mem", "mem_reads");
  EXPECT_EQ(reads.status, Status::permission);
  EXPECT_NE(reads.reason.find("kernel.perf_event_paranoid is 2"), std::string::npos);
  EXPECT_NE(reads.next.find("sysctl kernel.perf_event_paranoid=0"), std::string::npos);
  EXPECT_FALSE(says(outlook.notes, "nothing here can count")) << "something counts everything, if only the emulator its whole";
  auto root = zen4();
  root.privileged = true;
  EXPECT_EQ(way(look_out(root), "bytes.L3-mem", "mem_reads").status, Status::ok);
}

TEST(outlook, a_watchdog_is_told_where_all_slots_are_needed) {
  const auto outlook = look_out(sapphire_rapids());
  EXPECT_EQ(way(outlook, "flops.fp64", "flops.fp64").status, Status::ok);
  EXPECT_TRUE(says(way(outlook, "flops.fp64", "flops.fp64").caveats, "sysctl kernel.nmi_watchdog=0"));
  EXPECT_FALSE(says(way(outlook, "bytes.L1-L2", "l1_fills").caveats, "watchdog"));
  EXPECT_EQ(way(outlook, "bytes.L3-mem", "mem_reads").status, Status::ok);
  EXPECT_EQ(way(outlook, "flops.fp16", "flops.fp16").status, Status::ok);
  EXPECT_EQ(way(outlook, "flops.fp16", "emulated.flops.fp16").reason, "the emulated counters have no event for it");
  auto without = sapphire_rapids();
  without.pmus = {"cpu", "uncore_imc_free_running_0"};
  EXPECT_EQ(way(look_out(without), "bytes.L3-mem", "mem_reads").status, Status::unavailable) << "the free-running counters are others";
}

TEST(outlook, a_virtual_machine_without_a_pmu_counts_by_the_emulator_alone) {
  auto facts = zen4();
  facts.virtual_machine = true;
  facts.pmu_error = ENOENT;
  facts.pmus = {"software"};
  const auto outlook = look_out(facts);
  for (const auto& one : ways(outlook, "flops.fp64")) {
    EXPECT_EQ(one.status, Status::unavailable);
    EXPECT_NE(one.reason.find("virtual machine"), std::string::npos);
    EXPECT_NE(one.next, "");
  }
  EXPECT_EQ(ways(outlook, "flops.fp64", "emulated")[0].status, Status::ok);
  EXPECT_TRUE(says(outlook.notes, "only the emulated counters count flops.fp64"));
}

TEST(outlook, a_boundary_that_is_seen_in_part_is_not_counted_as_seen) {
  const auto outlook = look_out(zen4());
  EXPECT_TRUE(says(outlook.notes, "the machine's own counters see bytes.L1-L2 only in part: nothing here counts bytes.L1-L2.write_back"));
  EXPECT_TRUE(says(outlook.notes, "only the emulated counters count bytes.L1-L2"));
  EXPECT_FALSE(says(outlook.notes, "flops.fp64")) << "flops.all sees it among others";
  auto without = zen4();
  without.emulated = {Status::unavailable, "no valgrind"};
  EXPECT_FALSE(says(look_out(without).notes, "nothing here counts bytes.L1-L2,")) << "a part of it is";
}

TEST(outlook, an_unknown_cpu_is_told_how_to_get_a_table) {
  auto facts = zen4();
  facts.cpu = "A CPU of 2031";
  facts.known = {};
  const auto found = ways(look_out(facts), "bytes.L1-L2");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, "no event table for A CPU of 2031");
  EXPECT_NE(found[0].next.find("PLUMBLINE_EVENTS_PATH"), std::string::npos);
}

TEST(outlook, every_obstacle_has_its_status_and_a_next_step) {
  const std::pair<int, Status> cases[] = {
      {EACCES, Status::permission}, {EBUSY, Status::stolen}, {ENODATA, Status::masked}, {ENOENT, Status::unavailable}};
  for (const auto& [error, status] : cases) {
    auto facts = zen4();
    facts.pmu_error = error;
    const auto one = way(look_out(facts), "flops.fp64", "flops.all");
    EXPECT_EQ(one.status, status);
    EXPECT_NE(one.reason, "");
    EXPECT_NE(one.next, "");
  }
  auto closed = zen4();
  closed.pmu_error = EACCES;
  closed.paranoid = 4;
  EXPECT_NE(way(look_out(closed), "flops.fp64", "flops.all").next.find("sysctl kernel.perf_event_paranoid=2"), std::string::npos);
  closed.paranoid.reset();
  EXPECT_NE(way(look_out(closed), "flops.fp64", "flops.all").reason.find("no perf_event"), std::string::npos);
}

TEST(outlook, with_every_witness_gone_it_says_so_and_what_still_works) {
  auto facts = zen4();
  facts.pmu_error = ENOENT;
  facts.pmus = {};
  facts.emulated = {Status::unavailable, "no valgrind on PATH"};
  const auto outlook = look_out(facts);
  for (const auto& one : outlook.ways) EXPECT_NE(one.status, Status::ok);
  ASSERT_EQ(outlook.notes.size(), 1U);
  EXPECT_TRUE(says(outlook.notes, "nothing here can count: no witness for flops.fp64, flops.fp32"));
  EXPECT_TRUE(says(outlook.notes, "ceilings and timings still work"));
}

TEST(outlook, every_boundary_of_every_family_is_answered) {
  for (const auto& table : read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, "").ours) {
    auto facts = zen4();
    facts.known = {};
    facts.known.family = table.family;
    facts.known.counters = table.counters;
    for (const auto& one : look_out(facts).ways)
      EXPECT_EQ(one.status == Status::ok, one.reason.empty()) << table.family << " " << one.quantity;
  }
}

}  // namespace
}  // namespace plumbline
