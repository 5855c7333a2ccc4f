// SPDX-License-Identifier: BSD-3-Clause
// Reports into sums, sums into what they say, a machine into its simulated caches, and the emulator's words into one line.
#include "profile/profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/error.hpp"
#include "profile/geometry.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/launcher_words.hpp"
#include "profile/program.hpp"
#include "profile/tool_log.hpp"

namespace plumbline {
namespace {

ToolReport process(int pid, EventSums total) {
  ToolReport report;
  report.pid = pid;
  report.total = total;
  report.threads = {{1, total}};
  return report;
}

TEST(Sums, AnFmaWeighsTwoInTheTotal) {
  const EventSums sums{{"flops.fp64.add", 3}, {"flops.fp64.fma", 10}, {"flops.fp32.mul", 5}, {"fp_compare", 100}};
  EXPECT_EQ(flops(sums, "fp64"), 23);
  EXPECT_EQ(flops(sums, "fp32"), 5);
  EXPECT_EQ(flops(sums), 28);
  EXPECT_EQ(precisions(sums), (std::vector<std::string>{"fp32", "fp64"}));
}

TEST(Sums, UnknownAndKnownIsUnknown) {
  EventSums sums{{"bytes.L1-L2.rfo", 64}};
  add(sums, {{"bytes.L1-L2.rfo", std::nullopt}});
  EXPECT_EQ(bytes(sums, "L1-L2"), std::nullopt);
  EXPECT_EQ(bytes(sums, "L2-L3"), std::nullopt);
  EXPECT_EQ(arithmetic_intensity(sums, "L1-L2"), std::nullopt);
}

TEST(Sums, NoByteGivesNoIntensity) {
  const EventSums sums{{"flops.fp64.add", 3}, {"bytes.L1-L2.rfo", 0}, {"bytes.reg-L1.load", 24}};
  EXPECT_EQ(arithmetic_intensity(sums, "L1-L2"), std::nullopt);
  EXPECT_EQ(arithmetic_intensity(sums, "reg-L1"), 0.125);
}

TEST(Merge, ImagesOfOneProcessAreOneProcess) {
  const EventSums ten{{"instructions", 10}};
  const Profile merged = merge({{0, process(7, ten)}, {0, process(7, ten)}, {0, process(8, ten)}, {1, process(7, ten)}});
  EXPECT_EQ(merged.processes, 3);
  EXPECT_EQ(merged.threads, 3);
  EXPECT_EQ(event(merged.total, "instructions"), 40);
  ASSERT_EQ(merged.ranks.size(), 2U);
  EXPECT_EQ(merged.ranks[0].processes, 2);
  EXPECT_EQ(merged.ranks[0].threads, 2);
  EXPECT_EQ(event(merged.ranks[0].counts, "instructions"), 30);
}

TEST(Merge, RegionsAndFunctionsAreSummedByName) {
  ToolReport first = process(1, {}), second = process(2, {});
  first.regions = {{"solve", 1, 2, false, {{"loads", 5}}}, {"solve", 2, 1, true, {{"loads", 1}}}};
  second.regions = {{"solve", 1, 4, false, {{"loads", 10}}}};
  first.functions = {{"dot", "/a/lib.so", 16, {{"flops.fp64.mul", 6}}}, {"dot", "/b/prog", 0, {{"flops.fp64.mul", 1}}}};
  second.functions = {{"dot", "/a/lib.so", 16, {{"flops.fp64.mul", 2}}}, {"copy", "/b/prog", 0, {{"flops.fp64.mul", 0}}}};
  const Profile merged = merge({{0, first}, {3, second}});
  ASSERT_EQ(merged.regions.size(), 1U);
  const auto& region = merged.regions[0];
  EXPECT_EQ(region.entries, 7U);
  EXPECT_EQ(region.threads, 3);
  EXPECT_EQ(region.processes, 2);
  EXPECT_EQ(region.ranks, 2);
  EXPECT_TRUE(region.open);
  EXPECT_EQ(event(region.counts, "loads"), 16);
  const auto by_flops = largest(merged.functions, 5, [](const EventSums& sums) { return flops(sums); });
  ASSERT_EQ(by_flops.size(), 2U) << "a function without FLOPs is left out";
  EXPECT_EQ(merged.functions[by_flops[0]].object, "/a/lib.so");
  EXPECT_EQ(flops(merged.functions[by_flops[0]].counts), 8);
}

TEST(Report, ATornFileIsAnErrorOfOneLine) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("torn.json" + std::to_string(getpid()));
  std::ofstream(file) << R"({"schema":"plumbline-emulator/1","abi":2,"pid":)";
  EXPECT_THROW(read_tool_report(file), Error);
  std::ofstream(file) << R"({"schema":"other/1"})";
  EXPECT_THROW(read_tool_report(file), Error);
}

TEST(Report, ANameThatIsNoUtf8IsRead) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("latin1.json" + std::to_string(getpid()));
  std::ofstream(file)
      << "{\"schema\":\"plumbline-emulator/1\",\"abi\":2,\"pid\":1,\"parent\":0,\"command\":[\"na\xefve\"],\"total\":{\"loads\":null},"
         "\"threads\":[],\"regions\":[]}";
  const ToolReport report = read_tool_report(file);
  EXPECT_EQ(report.command, std::vector<std::string>{"na?ve"});
  EXPECT_EQ(report.total.at("loads"), std::nullopt);
}

Topology machine(std::vector<CacheFacts> caches, int pus) {
  Topology topology;
  topology.caches = std::move(caches);
  topology.pus = pus;
  return topology;
}

TEST(Geometry, AMissingLevelIsACopyThatAddsNothing) {
  const auto geometry = geometry_of_machine(machine({{1, 65536, 4, 256, 1}, {2, 8 << 20, 16, 256, 12}}, 48));
  ASSERT_EQ(geometry.levels.size(), 3U);
  EXPECT_EQ(geometry_options(geometry).back(), "--l3=8388608,16,256");
  EXPECT_EQ(geometry.notes.size(), 1U);
}

TEST(Geometry, UnknownWaysAreAssumedAndTold) {
  const auto geometry = geometry_of_machine(machine({{1, 32768, 0, 64, 1}, {2, 1 << 20, 8, 64, 1}, {3, 32 << 20, 16, 64, 4}}, 8));
  EXPECT_EQ(geometry_options(geometry).front(), "--l1=32768,8,64");
  EXPECT_EQ(geometry.notes.size(), 1U);
}

TEST(Geometry, CachesThatTellNothingButTheirSizeCanBeSimulated) {
  const auto caches = caches_of_machine(machine({{1, 32768, 0, 0, 1}, {3, 1 << 24, 11, 128, 4}}, 8));
  ASSERT_EQ(caches.levels.size(), 2U) << "none is made up";
  for (const auto& level : caches.levels) EXPECT_GT(level.ways * level.line_bytes, 0U) << level.name;
  EXPECT_EQ(caches.levels.back().ways, 11U);
  EXPECT_EQ(caches.notes.size(), 3U) << "ways, lines, and no whole number of sets";
}

TEST(Geometry, NoCachesIsAnError) { EXPECT_THROW(geometry_of_machine(machine({}, 4)), Error); }

TEST(Geometry, RanksOfANodeAreSpreadOverItsL3s) {
  const auto two_l3s = machine({{3, 32 << 20, 16, 64, 8}}, 16);
  EXPECT_EQ(ranks_per_l3(two_l3s, 1), 1);
  EXPECT_EQ(ranks_per_l3(two_l3s, 2), 1);
  EXPECT_EQ(ranks_per_l3(two_l3s, 3), 2);
  EXPECT_EQ(ranks_per_l3(two_l3s, 16), 8);
  EXPECT_EQ(ranks_per_l3(machine({{2, 8 << 20, 16, 256, 12}}, 48), 4), 1);
}

TEST(Log, AnAvx512InstructionIsNamedWithItsFunction) {
  const ToolLog log = read_tool_log(
      "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0xFD 0x48\n"
      "vex amd64->IR:   REX=0 REX.W=0\n"
      "==32596== valgrind: Unrecognised instruction at address 0x109139.\n"
      "==32596==    at 0x109139: wide (kernel.c:12)\n"
      "==32596==    by 0x10917E: main (kernel.c:4)\n"
      "==32596== Your program just tried to execute an instruction that Valgrind\n"
      "==32596== \n"
      "==32596== WARNING: valgrind ignores shmget(shmflg) SHM_HUGETLB\n"
      "==32596== region \"a\" ends without having begun in thread 1\n");
  ASSERT_EQ(log.unknown.size(), 1U);
  EXPECT_TRUE(log.unknown[0].avx512);
  EXPECT_NE(explain(log.unknown[0]).find("AVX-512 instruction in wide (kernel.c:12)"), std::string::npos);
  EXPECT_EQ(log.remarks, std::vector<std::string>{"region \"a\" ends without having begun in thread 1"});
}

// The variables are those that mpirun of Open MPI 4.1.4 gives its ranks.
TEST(Meeting, AnOpenMpiLaunchIsKnownByTheAddressesOfItsFirstDaemon) {
  const auto key = [](std::string daemon, const char* name_space) {
    return launch_key([=](const char* name) -> std::optional<std::string> {
      if (name == std::string_view("OMPI_MCA_orte_hnp_uri")) return daemon;
      if (name == std::string_view("PMIX_NAMESPACE")) return name_space;
      return std::nullopt;
    });
  };
  const std::string first = "1046216704.0;tcp://192.0.2.2:48327;tcp6://[fd00::2]:39043",
                    second = "1046216704.0;tcp://192.0.2.2:48329;tcp6://[fd00::2]:39045";  // its 16 bits of name are the same
  EXPECT_EQ(key(first, "1046216705"), key(first, "1046216705"));
  EXPECT_NE(key(first, "1046216705"), key(second, "1046216705"));
  EXPECT_EQ(key(first, "1046216705").rfind("openmpi-", 0), 0u);
  EXPECT_LT(key(std::string(5000, '7'), "1").size(), 100u) << "a node of many networks has many addresses, and this is a file's name";
}

class MeetingFolder : public testing::Test {
 protected:
  MeetingFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline-meeting-XXXXXX").string();
    shared_ = mkdtemp(name.data());
    ::setenv("OMPI_MCA_orte_hnp_uri", "1.0;tcp://192.0.2.2:1", 1);  // what tells this launch from others
    expected_ = shared_ / ("plumbline-profile-" + std::to_string(geteuid()) + "-" + launch_key(process_environment()));
  }
  ~MeetingFolder() override {
    ::unsetenv("OMPI_MCA_orte_hnp_uri");
    std::filesystem::remove_all(shared_);
  }
  /// The refusal that the second of two ranks on two nodes is told.
  std::string refusal() const {
    try {
      const LaunchMeeting meeting(launch_, {}, shared_);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  const Launch launch_{.size = 2, .rank = 1, .by = "OMPI_COMM_WORLD_SIZE", .local_size = 1};
  std::filesystem::path shared_, expected_;
};

TEST_F(MeetingFolder, IsTheUsersAlone) {
  ASSERT_EQ(refusal(), "");
  constexpr auto of_all = std::filesystem::perms::all;  // without the set-group-id that the parent may pass on
  EXPECT_EQ(std::filesystem::status(expected_).permissions() & of_all, std::filesystem::perms::owner_all);
  EXPECT_EQ(refusal(), "") << "the other ranks find it there";
}

TEST_F(MeetingFolder, APlaceWhereEverybodyReplacesFoldersIsRefused) {
  using std::filesystem::perms;
  std::filesystem::permissions(shared_, perms::all);
  EXPECT_NE(refusal().find("everybody may write there and replace what others made"), std::string::npos) << refusal();
  EXPECT_FALSE(std::filesystem::exists(expected_));
  std::filesystem::permissions(shared_, perms::all | perms::sticky_bit);
  EXPECT_EQ(refusal(), "") << "as /tmp is";
}

TEST_F(MeetingFolder, WhatIsNotIsRefusedWithItsReason) {
  std::filesystem::create_directory(shared_ / "elsewhere");
  std::filesystem::create_directory_symlink(shared_ / "elsewhere", expected_);
  EXPECT_NE(refusal().find("a link or a file has the name of this launch's folder"), std::string::npos) << refusal();
  EXPECT_TRUE(std::filesystem::is_empty(shared_ / "elsewhere"));
  std::filesystem::remove(expected_);

  std::filesystem::create_directory(expected_);
  std::filesystem::permissions(expected_, std::filesystem::perms::all);
  EXPECT_NE(refusal().find("others may write there"), std::string::npos) << refusal();
  std::filesystem::permissions(expected_, std::filesystem::perms::owner_all);
  if (geteuid() != 0) GTEST_SKIP() << "SKIP: only root can make another user's folder";
  ASSERT_EQ(chown(expected_.c_str(), 65534, 65534), 0);
  EXPECT_NE(refusal().find("it belongs to another user (65534)"), std::string::npos) << refusal();
}

TEST_F(MeetingFolder, AnEndingIsNotWrittenThroughALink) {
  const LaunchMeeting meeting(launch_, {}, shared_);
  std::ofstream(shared_ / "precious") << "mine";
  std::filesystem::create_symlink(shared_ / "precious", expected_ / "rank-1.ending.partial");
  meeting.leave({.rank = 1, .host = "", .code = 0, .notes = {}});
  std::ifstream precious(shared_ / "precious");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(precious), {}), "mine");
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(expected_ / "rank-1.ending")));
}

TEST(Program, LaunchersAreKnownByAnyOfTheirNames) {
  EXPECT_TRUE(is_launcher("mpiexec"));
  EXPECT_TRUE(is_launcher("/usr/bin/mpiexec.hydra"));
  EXPECT_TRUE(is_launcher("srun"));
  EXPECT_FALSE(is_launcher("./mpiexecutable"));
}

}  // namespace
}  // namespace plumbline
