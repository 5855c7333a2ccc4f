// Names of events and what the kernel is asked for: sysfs trees as kernels show them, readers of sockets, and refusals in words.
#include "counters/perf_event/perf_names.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// The trees below are those of a two-socket Rome (amd_df, amd_l3), a two-socket Skylake-SP (uncore_imc_0, _1) and any Intel core PMU.
class PmuTree : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& file, const std::string& line) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << line << "\n";
  }
  void put_cpu() const {
    put("cpu/type", "4");
    put("cpu/format/event", "config:0-7");
    put("cpu/format/umask", "config:8-15");
    put("cpu/format/edge", "config:18");
    put("cpu/format/cmask", "config:24-31");
    put("cpu/format/ldat", "config1:0-15");
    put("cpu/format/offcore_rsp", "config1:0-63");
    put("cpu/events/instructions", "event=0xc0");
    put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldat=3");
  }
  void put_amd() const {
    put("amd_df/type", "9");
    put("amd_df/format/event", "config:0-7,32-35,59-60");
    put("amd_df/format/umask", "config:8-15");
    put("amd_df/cpumask", "0,64");
    put("amd_l3/type", "10");
    put("amd_l3/format/event", "config:0-7");
    put("amd_l3/format/umask", "config:8-15");
    put("amd_l3/format/slicemask", "config:48-51");
    put("amd_l3/cpumask", "0,4,8-9");
  }
  void put_imc() const {
    for (const char* imc : {"uncore_imc_0", "uncore_imc_1"}) {
      const std::string name = imc;
      put(name + "/type", name.ends_with("0") ? "14" : "15");
      put(name + "/format/event", "config:0-7");
      put(name + "/format/umask", "config:8-15");
      put(name + "/events/cas_count_read", "event=0x04,umask=0x03");
      put(name + "/events/cas_count_read.scale", "6.103515625e-5");
      put(name + "/events/cas_count_read.unit", "MiB");
      put(name + "/cpumask", "0,28");
    }
    put("uncore_imc_free_running_0/type", "40");
    put("uncore_imc_free_running_0/cpumask", "0");
  }
  std::vector<Pmu> pmus() const { return read_pmus(folder_); }
  fs::path folder_ =
      fs::path(testing::TempDir()) / (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
};

using pmu_tree = PmuTree;

TEST_F(pmu_tree, fields_of_an_event_go_where_their_formats_say) {
  put_cpu();
  const auto tree = pmus();
  ASSERT_EQ(tree.size(), 1U);
  const auto code = encode(tree[0], "event=0xc7,umask=0x10,edge,cmask=2,ldat=0x1234");
  ASSERT_TRUE(code.problem.ok()) << code.problem.reason;
  EXPECT_EQ(code.type, 4U);
  EXPECT_EQ(code.config[0], 0x020410c7U);
  EXPECT_EQ(code.config[1], 0x1234U);
  EXPECT_EQ(encode(tree[0], "mem-loads").config[0], 0x1cdU);
  EXPECT_EQ(encode(tree[0], "mem-loads").config[1], 3U);
}

TEST_F(pmu_tree, a_field_in_two_places_takes_its_low_bits_first) {
  put_amd();
  const auto tree = pmus();
  const auto df = instances_of(tree, "amd_df");
  ASSERT_EQ(df.size(), 1U);
  EXPECT_EQ(encode(*df[0], "event=0x107,umask=0x38").config[0], 0x100003807U) << "what the event table of Zen 2 says";
  EXPECT_EQ(df[0]->cpus, (std::vector<int>{0, 64}));
  EXPECT_EQ(instances_of(tree, "amd_l3")[0]->cpus, (std::vector<int>{0, 4, 8, 9}));
}

TEST_F(pmu_tree, what_cannot_be_encoded_is_told) {
  put_cpu();
  const auto tree = pmus();
  EXPECT_NE(encode(tree[0], "event=0x1ff").problem.reason.find("more bits"), std::string::npos);
  EXPECT_NE(encode(tree[0], "evnt=1").problem.reason.find("formats are cmask, edge, event"), std::string::npos);
  EXPECT_NE(encode(tree[0], "event=x").problem.reason.find("no number"), std::string::npos);
  EXPECT_FALSE(parse_format("config:0-64").has_value());
  EXPECT_FALSE(parse_format("config7:0-3").has_value());
  EXPECT_FALSE(parse_format("").has_value());
}

TEST_F(pmu_tree, a_memory_controller_is_opened_for_each_channel_and_socket_and_the_free_running_one_is_not) {
  put_imc();
  const auto event = resolve_event("uncore_imc/cas_count_read/", {}, pmus());
  ASSERT_TRUE(event.problem.ok()) << event.problem.reason;
  EXPECT_TRUE(event.shared);
  ASSERT_EQ(event.openings.size(), 4U);
  EXPECT_EQ(event.openings[0].type, 14U);
  EXPECT_EQ(event.openings[1].cpu, 28);
  EXPECT_EQ(event.openings[2].type, 15U);
  for (const auto& one : event.openings) EXPECT_EQ(one.config[0], 0x304U);
}

TEST_F(pmu_tree, a_row_of_the_event_table_finds_its_pmu) {
  put_imc();
  PerfFacts facts;
  facts.table.push_back({.events = {{.name = "UNC_M_CAS_COUNT:RD", .pmu = "uncore_imc", .raw = 0x304}, {.name = "FLOPS", .raw = 0x1f03}}});
  EXPECT_EQ(resolve_event("UNC_M_CAS_COUNT:RD", facts, pmus()).openings.size(), 4U);
  const auto core = resolve_event("FLOPS", facts, pmus());
  ASSERT_EQ(core.openings.size(), 1U);
  EXPECT_EQ(core.openings[0].type, static_cast<std::uint32_t>(PERF_TYPE_RAW));
  EXPECT_EQ(core.openings[0].config[0], 0x1f03U);
  EXPECT_EQ(core.openings[0].cpu, -1);
  const auto absent = resolve_event("UNC_M_CAS_COUNT:RD", facts, {});
  EXPECT_EQ(absent.problem.status, Status::unavailable);
  EXPECT_NE(absent.problem.reason.find("uncore_imc"), std::string::npos);
  EXPECT_FALSE(absent.unknown);
}

TEST_F(pmu_tree, in_a_virtual_machine_an_event_of_several_slots_wants_to_be_alone) {
  PerfFacts facts;
  facts.table.push_back({.events = {{.name = "MERGED", .raw = 0x1f03}}, .slots = 2});
  facts.table.push_back({.events = {{.name = "READS", .raw = 0x129}, {.name = "WRITES", .raw = 0x229}}, .slots = 2});
  EXPECT_FALSE(resolve_event("MERGED", facts, {}).alone);
  facts.virtual_machine = true;
  EXPECT_TRUE(resolve_event("MERGED", facts, {}).alone);
  EXPECT_TRUE(resolve_event("r1f03", facts, {}).alone);
  EXPECT_FALSE(resolve_event("r129", facts, {}).alone);
  EXPECT_FALSE(resolve_event("READS", facts, {}).alone);
  EXPECT_FALSE(resolve_event("cycles", facts, {}).alone);
}

TEST_F(pmu_tree, a_rank_reads_its_sockets_and_says_who_reads_the_others) {
  put_imc();
  PerfFacts facts{.package_of_cpu = {{0, 0}, {28, 1}}, .reader_of_package = {{0, 4}, {1, 6}}, .rank = 6};
  const auto mine = resolve_event("uncore_imc/cas_count_read/", facts, pmus());
  ASSERT_EQ(mine.openings.size(), 2U);
  for (const auto& one : mine.openings) EXPECT_EQ(one.cpu, 28);
  facts.rank = 5;
  const auto none = resolve_event("uncore_imc/cas_count_read/", facts, pmus());
  EXPECT_EQ(none.problem.status, Status::skipped);
  EXPECT_EQ(none.problem.reason, "counted by ranks 4, 6");
}

TEST(readers, are_the_lowest_rank_on_each_socket_and_of_an_empty_socket_the_lowest_of_the_node) {
  const std::map<int, int> packages{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 2}};
  EXPECT_EQ(choose_readers({{9, {3}}, {8, {2}}, {7, {1}}, {6, {0, 1}}}, packages), (std::map<int, int>{{0, 6}, {1, 8}, {2, 6}}));
  EXPECT_EQ(choose_readers({{3, {0, 2}}}, packages), (std::map<int, int>{{0, 3}, {1, 3}, {2, 3}}));
  EXPECT_TRUE(choose_readers({}, packages).empty());
}

TEST(names, raw_codes_and_generic_events_are_known_and_others_refused) {
  EXPECT_EQ(resolve_event("r1f03", {}, {}).openings[0].config[0], 0x1f03U);
  EXPECT_EQ(resolve_event("page-faults", {}, {}).openings[0].type, static_cast<std::uint32_t>(PERF_TYPE_SOFTWARE));
  EXPECT_TRUE(resolve_event("page-fault", {}, {}).unknown);
  EXPECT_TRUE(resolve_event("rxyz", {}, {}).unknown);
  EXPECT_TRUE(resolve_event("/", {}, {}).unknown);
}

TEST(refusals, have_a_status_and_say_what_to_try) {
  const auto event = resolve_event("cycles", {}, {});
  EXPECT_EQ(judge_refusal(EACCES, event, 4).status, Status::permission);
  EXPECT_NE(judge_refusal(EACCES, event, 4).reason.find("perf_event_paranoid is 4, this event needs 2 or less"), std::string::npos);
  const std::string low_enough = judge_refusal(EPERM, event, 2).reason;
  EXPECT_TRUE(low_enough.find("sysctl") == std::string::npos && low_enough.find("in a container allow") != std::string::npos) << low_enough;
  PerfEvent shared = event;
  shared.shared = true;
  EXPECT_NE(judge_refusal(EPERM, shared, 2).reason.find("sysctl kernel.perf_event_paranoid=0"), std::string::npos);
  EXPECT_EQ(judge_refusal(ENOENT, event, 2).status, Status::unavailable);
  EXPECT_NE(judge_refusal(EOPNOTSUPP, event, 2).reason.find("no PMU"), std::string::npos);
  EXPECT_EQ(judge_refusal(EMFILE, event, 2).status, Status::failed);
  EXPECT_NE(judge_refusal(EMFILE, event, 2).reason.find("ulimit -n"), std::string::npos);
  EXPECT_EQ(judge_refusal(EBUSY, event, 2).status, Status::stolen);
  EXPECT_EQ(judge_refusal(EINVAL, event, 2).status, Status::unavailable);
}

}  // namespace
}  // namespace plumbline
