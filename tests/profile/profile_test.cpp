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
#include "preload/cpu_timer_records.h"
#include "profile/geometry.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/launcher_words.hpp"
#include "profile/loops.hpp"
#include "profile/program.hpp"
#include "profile/sampled_functions.hpp"
#include "profile/timed_functions.hpp"
#include "profile/timer_samples.hpp"
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

SampleRecord mapped(int process, std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, const std::string& object) {
  return {.kind = SampleRecord::Kind::map, .process = process, .address = address, .bytes = bytes, .file_offset = offset, .object = object};
}
SampleRecord met(std::uint64_t ms, int process, int cpu, std::uint64_t address) {
  return {.time_ns = ms * 1'000'000, .process = process, .thread = 10 * process + cpu, .cpu = cpu, .address = address};
}
/// A function is a page of a file.
SampledFunction page_of(const std::string& object, std::uint64_t offset) { return {"page", object, offset / 0x1000 * 0x1000}; }

TEST(SampledFunctions, AreWhereTheProcessHadMappedThemThen) {
  SampledFunctions functions(page_of);
  functions.take(mapped(1, 0x1000, 0x1000, 0x400, "/a"));
  functions.take(met(1, 1, 0, 0x1010));
  functions.take({.kind = SampleRecord::Kind::fork, .process = 2, .parent = 1});
  functions.take(met(2, 2, 0, 0x1fff));
  functions.take(mapped(1, 0x1000, 0x800, 0, "/b"));  // over the first half
  functions.take(met(3, 1, 0, 0x1010));
  functions.take(met(4, 1, 0, 0x1800));
  functions.take({.kind = SampleRecord::Kind::execute, .process = 1});
  functions.take(met(5, 1, 0, 0x1010));
  functions.take({.kind = SampleRecord::Kind::fork, .process = 2, .parent = 2});  // a thread
  functions.take({.kind = SampleRecord::Kind::exit, .process = 2});
  functions.take(met(6, 2, 0, 0x1010));
  functions.take({.kind = SampleRecord::Kind::exit, .process = 2});
  functions.take(met(7, 2, 0, 0x1010));  // its number is another's now
  std::vector<std::string> found;
  for (const auto& function : functions.finish())
    found.push_back(function.object + "+" + std::to_string(function.begin) + " x" + std::to_string(function.sum.samples));
  EXPECT_EQ(found, (std::vector<std::string>{"/a+0 x3", "/a+4096 x1", "/b+0 x1", "+0 x2"}));
  EXPECT_EQ(functions.whole().samples, 7U);
  EXPECT_EQ(functions.processes(), 2);
  EXPECT_EQ(functions.threads(), 3);
}

/// Work that is done at once takes as long as the busiest CPU, work that is done in turns as long as all together.
TEST(SampledFunctions, TakeAsLongAsTheBusiestCpuOfEachSlot) {
  SampledFunctions functions(page_of);
  functions.take(mapped(1, 0x1000, 0x4000, 0, "/a"));
  for (std::uint64_t ms = 0; ms < 20; ++ms) {
    functions.take(met(ms, 1, 0, 0x1000));  // on two CPUs at once
    if (ms < 15) functions.take(met(ms, 1, 1, 0x1000));
  }
  for (std::uint64_t ms = 100; ms < 120; ++ms) functions.take(met(ms, 1, ms < 110 ? 0 : 1, 0x2000));  // in turns
  for (std::uint64_t ms = 200; ms < 210; ++ms) {                                                      // by one thread on two CPUs
    SampleRecord moved = met(ms, 1, ms < 205 ? 0 : 1, 0x3000);
    moved.thread = 10;
    functions.take(moved);
  }
  const auto& found = functions.finish();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].sum.elapsed, 10U);
  EXPECT_DOUBLE_EQ(found[2].sum.cores, 1);
  EXPECT_EQ(found[0].sum.samples, 35U);
  EXPECT_EQ(found[0].sum.elapsed, 20U);
  EXPECT_DOUBLE_EQ(found[0].sum.cores, 2);
  EXPECT_EQ(found[1].sum.samples, 20U);
  EXPECT_EQ(found[1].sum.elapsed, 20U);
  EXPECT_DOUBLE_EQ(found[1].sum.cores, 1);
}

/// A place has its part of what its function took in each slot, so that the places of a function sum to it.
TEST(SampledFunctions, HavePlacesThatSumToThem) {
  SampledFunctions functions(page_of);
  functions.take(mapped(1, 0x1000, 0x1000, 0x1000, "/a"));
  for (std::uint64_t ms = 0; ms < 8; ++ms) {
    functions.take(met(ms, 1, 0, 0x1010));  // on two CPUs at once
    functions.take(met(ms, 1, 1, ms < 4 ? 0x1010 : 0x1020));
  }
  for (std::uint64_t ms = 10; ms < 14; ++ms) functions.take(met(ms, 1, 0, 0x1020));  // by itself
  const auto& found = functions.finish();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].places.size(), 2U);
  EXPECT_EQ(found[0].places[0].file_offset, 0x1010U);
  EXPECT_EQ(found[0].places[0].sum.samples, 12U);
  EXPECT_DOUBLE_EQ(found[0].places[0].sum.elapsed, 6);
  EXPECT_DOUBLE_EQ(found[0].places[0].sum.cores, 2);
  EXPECT_EQ(found[0].places[1].sum.samples, 8U);
  EXPECT_DOUBLE_EQ(found[0].places[1].sum.elapsed, 2 + 4);
  EXPECT_DOUBLE_EQ(found[0].places[1].sum.cores, 1.5);
  EXPECT_DOUBLE_EQ(found[0].sum.elapsed, 8 + 4);
}

/// Pieces are of 16 bytes, named by their number.
CodePiece piece(std::uint64_t number, std::vector<std::uint64_t> next, std::uint64_t branches = 1) {
  for (auto& to : next) to *= 16;
  return {16 * number, 16 * number + 16, next, false, {{"branches", branches}}};
}

/// The loops as words: the head, the way back and the pieces.
std::vector<std::string> loop_words(const std::vector<CodePiece>& pieces) {
  std::vector<std::string> words;
  for (const CodeLoop& loop : loops_of(pieces, pieces.front().begin)) {
    std::string word = std::to_string(loop.head / 16) + "<-" + std::to_string(loop.way_back / 16) + ":";
    for (const std::size_t i : loop.pieces) word += " " + std::to_string(pieces[i].begin / 16);
    words.push_back(word);
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(Loops, InnerOnesAreNotOfThoseAround) {
  EXPECT_EQ(loop_words({piece(1, {2}), piece(2, {3}), piece(3, {3, 4}), piece(4, {5}), piece(5, {5, 6}), piece(6, {2, 7}), piece(7, {})}),
            (Words{"2<-6: 2 4 6", "5<-5: 5", "3<-3: 3"}));
  EXPECT_EQ(loop_words({piece(1, {2, 3}), piece(2, {3}), piece(3, {})}), Words{});
}

TEST(Loops, AWayBackwardsFromCodeThatWasLaidBehindIsNone) {
  // "if (unlikely) {...}", which the compiler put behind the function's end.
  EXPECT_EQ(loop_words({piece(1, {2, 4}), piece(2, {3}), piece(3, {}), piece(4, {2})}), Words{});
  // The same within a loop is part of it, and the loop is closed where it mostly is.
  EXPECT_EQ(loop_words({piece(1, {2}), piece(2, {3, 5}, 90), piece(3, {2, 4}, 80), piece(4, {}), piece(5, {2}, 10)}),
            (Words{"2<-3: 2 3 5"}));
}

TEST(Loops, ALoopIsEnteredWhereverTheCompilerBegins) {
  // Rotated: the condition stands at the end and is jumped to first.
  EXPECT_EQ(loop_words({piece(1, {3}), piece(2, {3}), piece(3, {2, 4}), piece(4, {})}), (Words{"3<-2: 2 3"}));
  // The function itself begins with its loop.
  EXPECT_EQ(loop_words({piece(1, {2}), piece(2, {1, 3}), piece(3, {})}), (Words{"1<-2: 1 2"}));
}

TEST(Loops, ASwitchLeadsToWhatNothingElseLeadsTo) {
  std::vector<CodePiece> pieces{piece(1, {2}), piece(2, {}), piece(3, {5}), piece(4, {5}), piece(5, {2, 6}), piece(6, {})};
  EXPECT_EQ(loop_words(pieces), Words{});
  pieces[1].jumps_anywhere = true;
  EXPECT_EQ(loop_words(pieces), (Words{"2<-5: 2 3 4 5"}));
}

TEST(Merge, PiecesAreSummedByTheirBegin) {
  ToolReport first = process(1, {}), second = process(2, {});
  first.functions = {{"dot", "/a", 16, {}, {piece(3, {3}, 5), piece(1, {3})}}};
  second.functions = {{"dot", "/a", 16, {}, {piece(3, {4}, 7)}}};
  const Profile merged = merge({{0, first}, {0, second}});
  ASSERT_EQ(merged.functions.size(), 1U);
  ASSERT_EQ(merged.functions[0].pieces.size(), 2U);
  EXPECT_EQ(merged.functions[0].pieces[0].begin, 16U);
  EXPECT_EQ(event(merged.functions[0].pieces[1].counts, "branches"), 12);
  EXPECT_EQ(merged.functions[0].pieces[1].leads_to, (std::vector<std::uint64_t>{48, 64}));
}

TEST(Shares, HaveTheIntervalOfTheirNumberOfSamples) {
  const Share half = share_of(50, 100);
  EXPECT_DOUBLE_EQ(half.part, 0.5);
  EXPECT_NEAR(half.lo, 0.4038, 1e-4);  // Wilson's at 95 %
  EXPECT_NEAR(half.hi, 0.5962, 1e-4);
  EXPECT_EQ(share_of(0, 100).lo, 0);
  EXPECT_GT(share_of(0, 100).hi, 0.03);
  EXPECT_EQ(share_of(0, 0).hi, 1);
}

}  // namespace
// This function has a name of its own, so that this program's symbols can be asked for it.
__attribute__((noinline)) int first_function_of_the_test(int x) { return 3 * x; }
namespace {

TEST(Symbols, NameTheFunctionsOfAFile) {
  std::optional<Symbols> symbols;
  try {
    symbols.emplace();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  // The place in the file of this process's code, by its own mappings.
  const auto code = reinterpret_cast<std::uint64_t>(&first_function_of_the_test);
  std::ifstream maps("/proc/self/maps");
  std::uint64_t offset = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, from = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &from) == 3 && code >= begin && code < end) offset = code - begin + from;
  }
  const FunctionPlace at = symbols->at_offset(self, offset), behind = symbols->at_offset(self, offset + 2);
  EXPECT_EQ(at.name, "plumbline::first_function_of_the_test(int)");
  EXPECT_EQ(behind.begin, at.begin);
  EXPECT_EQ(symbols->at_address(self, at.begin).name, at.name);
  EXPECT_EQ(symbols->at_offset("", 16).name, "???");
  EXPECT_EQ(symbols->at_offset("[vdso]", 16).name, "[vdso]");
  EXPECT_EQ(symbols->at_offset("/no/such/file", 16).name, "file");

  // Both runs meet in the function, by whatever place in it they know.
  Profile counted;
  const CodePiece loop{at.begin, at.begin + 16, {at.begin, at.begin + 16}, false, {{"flops.fp64.add", 6}}};
  counted.functions = {{"first", self, at.begin, {{"flops.fp64.add", 7}, {"loads", 2}, {"bytes.L1-L2.rfo", std::nullopt}}, {loop}},
                       {"never met", self, at.begin + (1U << 30), {{"loads", 1}}}};
  const Samples samples{
      .seconds_each = 0.001,
      .functions = {{"of symbols", self, at.begin, {33, 30, 1.6}, {{offset, {33, 30, 1.6}}}}, {"???", "???", 0, {11, 11, 1}}},
      .whole = {44, 40, 1.5}};
  const TimedProfile joined = join(samples, counted, *symbols);
  ASSERT_EQ(joined.functions.size(), 3U);
  const TimedFunction& first = joined.functions.front();
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.sum.samples, 33U);
  EXPECT_EQ(first.cores(), 2);
  EXPECT_DOUBLE_EQ(first.seconds, 0.030);
  EXPECT_EQ(event(first.counts.value(), "flops.fp64.add"), 7);
  // So does a loop of it, where there is debug information.
  if (symbols->line_at(self, at.begin).empty()) {
    EXPECT_EQ(first.loops_without_line, 1);
  } else {
    ASSERT_EQ(first.loops.size(), 1U);
    EXPECT_EQ(first.loops[0].line.rfind("profile_test.cpp:", 0), 0U) << first.loops[0].line;
    EXPECT_EQ(first.loops[0].sum.samples, 33U);
    EXPECT_EQ(event(first.loops[0].counts.value(), "flops.fp64.add"), 6);
    EXPECT_EQ(event(first.loops[0].counts.value(), "loads"), 0);
    EXPECT_EQ(event(first.loops[0].counts.value(), "bytes.L1-L2.rfo"), std::nullopt);
  }
  EXPECT_EQ(joined.functions[1].name, "???");
  EXPECT_FALSE(joined.functions[1].counts);
  EXPECT_DOUBLE_EQ(joined.uncounted_part, 0.25);
  EXPECT_EQ(joined.functions[2].sum.samples, 0U);
  EXPECT_DOUBLE_EQ(joined.whole.cpu_seconds, 0.044);
}

/// The bytes of a record as a process's timers leave it.
std::string timer_record(std::uint32_t kind, std::uint64_t ms, std::uint32_t thread, std::uint64_t address, std::string name = "") {
  CpuTimerRecord record{};
  record.kind = kind, record.time_ns = ms * 1'000'000, record.thread = thread, record.address = address, record.end = address + 0x1000;
  record.periods = 4, record.name = static_cast<std::uint32_t>(name.size());
  name.resize((name.size() + 7) / 8 * 8);
  record.bytes = static_cast<std::uint32_t>(sizeof record + name.size());
  return std::string(reinterpret_cast<const char*>(&record), sizeof record) + name;
}

void write_timer_file(const std::filesystem::path& file, std::uint32_t process, std::uint32_t parent, const std::string& records) {
  const CpuTimerHead head{PLUMBLINE_CPU_TIMER_FORMAT, sizeof head + records.size(), 2, 0, process, parent};
  std::ofstream(file, std::ios::binary) << std::string(reinterpret_cast<const char*>(&head), sizeof head) << records
                                        << std::string(4096, 0);
}

TEST(TimerSampler, ReadsWhatProcessesLeft) {
  std::optional<Symbols> symbols;
  try {
    symbols.emplace();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto folder = std::filesystem::path(testing::TempDir()) / ("timers" + std::to_string(getpid()));
  const TimerSampler sampler("/some/library.so", folder);
  const std::string begins = timer_record(kCpuTimerMap, 1, 7, 0x1000, "/no/such/program") + timer_record(kCpuTimerThread, 1, 7, 0),
                    whole = timer_record(kCpuTimerSample, 30, 7, 0x1010);
  write_timer_file(folder / "7.0.samples", 7, 1, begins + timer_record(kCpuTimerThread, 2, 8, 0) + whole + whole.substr(0, 20));  // killed
  write_timer_file(folder / "7.1.samples", 7, 1,
                   timer_record(kCpuTimerMap, 60, 7, 0x1000, "/another") + timer_record(kCpuTimerSample, 70, 7, 0x1010));
  write_timer_file(folder / "9.0.samples", 9, 7,
                   timer_record(kCpuTimerMap, 50, 9, 0x2000, "") + timer_record(kCpuTimerSample, 51, 9, 0x2000));
  std::ofstream(folder / "8.0.samples") << "torn";
  const Samples samples = sampler.take(*symbols);
  std::filesystem::remove_all(folder);
  std::vector<std::string> names;
  for (const auto& function : samples.functions) names.push_back(function.name);
  EXPECT_EQ(names, (std::vector<std::string>{"program", "???", "another"}));
  EXPECT_EQ(samples.whole.samples, 3U);
  EXPECT_DOUBLE_EQ(samples.seconds_each, 4e-9 * static_cast<double>(sampling_period_ns)) << "a sample stands for four periods";
  EXPECT_EQ(samples.processes, 2);
  EXPECT_EQ(samples.threads, 3);
  EXPECT_EQ(samples.lost, 6U);
  EXPECT_THROW(TimerSampler("/some place/library.so", folder), Error);
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
