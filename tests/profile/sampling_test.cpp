// SPDX-License-Identifier: BSD-3-Clause
// Samples into functions and loops, and these joined with what was counted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "preload/cpu_timer_records.h"
#include "profile/loops.hpp"
#include "profile/profile.hpp"
#include "profile/sampled_functions.hpp"
#include "profile/timed_functions.hpp"
#include "profile/timer_samples.hpp"

namespace plumbline {
namespace {

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

/// A function has as many pieces as its code makes, more than a stack has room for calls, and they come in any order.
TEST(Loops, AChainOfVeryManyPiecesIsOneLoop) {
  constexpr std::uint64_t many = 100'000;
  ToolReport report;
  report.functions = {{"long", "/a", 16, {}, {}}};
  for (std::uint64_t number = many; number > 0; --number)
    report.functions[0].pieces.push_back(piece(number, {number == many ? 2 : number + 1}));
  const Profile merged = merge({{0, report}, {0, report}});
  ASSERT_EQ(merged.functions.size(), 1U);
  const auto& pieces = merged.functions[0].pieces;
  ASSERT_EQ(pieces.size(), many);
  EXPECT_TRUE(std::ranges::is_sorted(pieces, {}, &CodePiece::begin));
  EXPECT_EQ(event(pieces.back().counts, "branches"), 2);
  const auto loops = loops_of(pieces, 16);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].head, 32U);
  EXPECT_EQ(loops[0].way_back, 16 * many + 15);
  ASSERT_EQ(loops[0].pieces.size(), many - 1);
  EXPECT_EQ(loops[0].pieces.front(), 1U);
  EXPECT_EQ(loops[0].pieces.back(), many - 1);
}

TEST(Merge, PiecesAreSummedByTheirBegin) {
  ToolReport first, second;
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

TEST(Shares, AreWithinTheirIntervalOfAnyNumberOfSamples) {
  for (std::uint64_t all = 1; all <= 3000; ++all)
    for (const std::uint64_t samples : {std::uint64_t{0}, std::uint64_t{1}, all / 2, all}) {
      const Share share = share_of(samples, all);
      EXPECT_TRUE(0 <= share.lo && share.lo <= share.part && share.part <= share.hi && share.hi <= 1)
          << samples << " of " << all << ": " << share.part << " in " << share.lo << " to " << share.hi;
    }
}

TEST(sampling, a_share_of_a_difference_has_the_samples_of_both_runs_in_its_interval) {
  const auto code = [](std::uint64_t left, std::uint64_t subtracted) {
    TimedCode made;
    made.sum.samples = left, made.subtracted = subtracted;
    return made;
  };
  // A share of one run is a binomial's: 1.96 sqrt(p (1 - p) / n), as near as Wilson's.
  EXPECT_NEAR(share_of(code(2500, 0), code(10000, 0)).hi, 0.25 + 1.96 * std::sqrt(0.25 * 0.75 / 10000), 1e-4);
  const Share of_both = share_of(code(2500, 5000), code(10000, 20000));
  EXPECT_DOUBLE_EQ(of_both.part, 0.25);
  // Each run's numbers vary by themselves: of 7500 and 5000 samples the difference has the variance 12500.
  EXPECT_NEAR(of_both.hi - of_both.part, 1.96 * std::sqrt(12500 * 0.5 + 0.0625 * 50000) / 10000, 1e-3);
  EXPECT_EQ(share_of(code(0, 10), code(0, 100)).hi, 0) << "nothing is left";
  // Few samples leave it open whether the code has any of the rest, or all: a hundred of which 80 were taken away are worth two.
  const Share none = share_of(code(0, 0), code(20, 80)), all = share_of(code(20, 80), code(20, 80)),
              little = share_of(code(1, 40), code(20, 80));
  EXPECT_TRUE(none.lo == 0 && none.part == 0 && none.hi > 0.5) << none.hi;
  EXPECT_TRUE(all.lo < 0.5 && all.part == 1 && all.hi == 1) << all.lo;
  EXPECT_TRUE(0 < little.lo && little.lo < little.part && little.part < little.hi) << little.lo << " to " << little.hi;
  EXPECT_EQ(code(100, 0).samples_worth(), 100U);
  EXPECT_EQ(code(100, 450).samples_worth(), 10U) << "a tenth of them";
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
    EXPECT_EQ(first.loops[0].line.rfind("sampling_test.cpp:", 0), 0U) << first.loops[0].line;
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
  const CpuTimerHead head{{PLUMBLINE_CPU_TIMER_FORMAT, sizeof head + records.size(), process, parent}, 2, 0};
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

}  // namespace
}  // namespace plumbline
