// SPDX-License-Identifier: BSD-3-Clause
// The command line of a launcher is taken apart, and the native runs of its ranks become one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/launcher_words.hpp"
#include "profile/native_run.hpp"
#include "profile/runtime_libraries.hpp"
#include "profile/signals_noted.hpp"

namespace plumbline {
namespace {

/// The message of the error that `act` ends with; empty where it ends well.
template <class Act>
std::string message_of(Act act) {
  try {
    act();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The command with "P" before its programs; "app", "b" and the names of some of Debian's are programs.
std::string launched(const std::string& command) {
  const auto is_program = [](const std::string& word) {
    return std::set<std::string>{"app", "./b", "env", "test", "ssh", "node", "there/./here"}.contains(word);
  };
  std::istringstream in(command);
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  std::string all;
  for (const auto& word : with_words_before_programs(words, words.front(), {"P"}, is_program)) all += (all.empty() ? "" : " ") + word;
  return all;
}

TEST(LauncherWords, TheProgramIsTheFirstWordThatIsNoOptionsValue) {
  EXPECT_EQ(launched("mpiexec.mpich -n 4 app -n 4 test"), "mpiexec.mpich -n 4 P app -n 4 test");
  EXPECT_EQ(launched("mpiexec.hydra -launcher ssh -hosts node,b -genv A test -bind-to core -n 4 env X=1 app"),
            "mpiexec.hydra -launcher ssh -hosts node,b -genv A test -bind-to core -n 4 P env X=1 app");
  EXPECT_EQ(launched("mpirun.openmpi --oversubscribe --mca btl test -x node -np 2 app"),
            "mpirun.openmpi --oversubscribe --mca btl test -x node -np 2 P app");
  EXPECT_EQ(launched("srun --mpi=pmi2 -p test -J app -n 2 ./b"), "srun --mpi=pmi2 -p test -J app -n 2 P ./b");
  EXPECT_EQ(launched("srun --partition test --task-prolog ./b -l -n2 app"), "srun --partition test --task-prolog ./b -l -n2 P app");
}

TEST(LauncherWords, EachProgramOfSeveralHasItsOwn) {
  EXPECT_EQ(launched("mpiexec -n 1 app a : -n 3 ./b b"), "mpiexec -n 1 P app a : -n 3 P ./b b");
}

TEST(LauncherWords, AnOptionThatNobodyKnowsIsPassedOver) {
  EXPECT_EQ(launched("mpiexec --new-option value --other -n 2 app"), "mpiexec --new-option value --other -n 2 P app");
}

TEST(LauncherWords, AProgramIsSoughtInTheFolderWhereItBegins) {
  EXPECT_EQ(launched("mpiexec.mpich -wdir there -n 2 ./here : -n 1 app"), "mpiexec.mpich -wdir there -n 2 P ./here : -n 1 P app");
  EXPECT_EQ(launched("srun --chdir=there -n 2 ./here"), "srun --chdir=there -n 2 P ./here");
  EXPECT_NE(message_of([] { launched("mpiexec.mpich -n 2 ./here"); }).find("names no program"), std::string::npos);
}

TEST(LauncherWords, NoProgramIsOneLine) {
  for (const char* command :
       {"mpiexec -n 4", "mpiexec", "mpiexec -n 4 ./missing", "mpiexec -n 1 app : -n 3", "srun -p test", "mpiexec -n"}) {
    const auto message = message_of([&] { launched(command); });
    EXPECT_NE(message.find("names no program"), std::string::npos) << command << ": " << message;
  }
  for (const char* command : {"srun --multi-prog file", "mpiexec.mpich -configfile file", "mpirun.openmpi --app file"})
    EXPECT_NE(message_of([&] { launched(command); }).find("from a file"), std::string::npos) << command;
}

NativeRank native_rank(int rank, const std::string& host, std::vector<SampledFunction> functions) {
  NativeRank native{.rank = rank, .size = 2, .host = host, .cpu = "a CPU", .cpus = {}};
  native.run.samples = {.seconds_each = 1e-3, .functions = std::move(functions), .whole = {}, .processes = 1, .threads = 2, .lost = 3};
  for (const auto& function : native.run.samples.functions)
    native.run.samples.whole.samples += function.sum.samples, native.run.samples.whole.elapsed += function.sum.elapsed;
  native.run.samples.whole.cores = 1;
  native.run.ending = {
      .process = 7, .signal = 0, .code = 0, .interrupted = 0, .wall_seconds = 1.0 + rank, .user_seconds = 1, .system_seconds = 0.25};
  native.run.clock_hz = 3e9 + rank * 1e9;
  return native;
}

TEST(NativeRanks, AFunctionTakesAsLongAsOnItsLongestRankAndTheCoresOfAll) {
  const NativeRun all =
      merge_ranks({native_rank(0, "a", {{"work", "/app", 16, {100, 100, 1}}, {"wait", "/lib/libmpi.so.40", 32, {300, 300, 1}}}),
                   native_rank(1, "b", {{"work", "/app", 16, {800, 400, 2}}, {"rare", "/app", 64, {10, 10, 1}}})});
  ASSERT_EQ(all.samples.functions.size(), 3U);
  const auto found = [&](const std::string& name) {
    return *std::ranges::find_if(all.samples.functions, [&](const auto& one) { return one.name == name; });
  };
  EXPECT_EQ(found("work").sum.samples, 900U);
  EXPECT_EQ(found("work").sum.elapsed, 400U);
  EXPECT_EQ(found("work").sum.cores, 3);
  EXPECT_EQ(found("rare").sum.cores, 1);
  EXPECT_EQ(all.samples.whole.samples, 1210U);
  EXPECT_EQ(all.samples.threads, 4);
  EXPECT_EQ(all.samples.lost, 6U);
  EXPECT_EQ(all.ending.wall_seconds, 2);
  EXPECT_EQ(all.ending.user_seconds, 2);
  EXPECT_EQ(all.clock_hz, 3.5e9);
  EXPECT_DOUBLE_EQ(message_seconds(all.samples), 0.3);
}

TEST(NativeRanks, RanksThatShareCpusHaveNoMoreCoresThanThese) {
  std::vector<NativeRank> ranks;
  for (int rank = 0; rank < 60; ++rank) {
    ranks.push_back(native_rank(rank, "a", {{"work", "/app", 16, {100, 100, 1}}}));
    ranks.back().cpus = {2, 3};
  }
  const SampleSum work = merge_ranks(ranks).samples.functions.front().sum;
  EXPECT_EQ(work.cores, 2);
  EXPECT_EQ(work.elapsed, 3000);
}

TEST(NativeRanks, ARankThatDidAlmostNothingOfAFunctionIsNoCoreOfIt) {
  const NativeRun all =
      merge_ranks({native_rank(0, "a", {{"work", "/app", 16, {100, 100, 1}}}), native_rank(1, "a", {{"work", "/app", 16, {4, 4, 1}}})});
  EXPECT_EQ(all.samples.functions.front().sum.cores, 1);
}

TEST(NativeRanks, AFileGivesWhatWasLeftInIt) {
  const auto file = std::filesystem::temp_directory_path() / ("plumbline-native-rank-" + std::to_string(getpid()));
  const NativeRank left = native_rank(1, "b", {{"wo\xffrk", "/app", 16, {100, 90, 1.5}}});
  write_native_rank(file, left);
  const NativeRank read = read_native_rank(file);
  EXPECT_EQ(std::tie(read.rank, read.size, read.host, read.cpu), std::tie(left.rank, left.size, left.host, left.cpu));
  ASSERT_EQ(read.run.samples.functions.size(), 1U);
  EXPECT_EQ(read.run.samples.functions[0].sum.elapsed, 90U);
  EXPECT_EQ(read.run.samples.functions[0].sum.cores, 1.5);
  EXPECT_EQ(read.run.ending.wall_seconds, 2);
  EXPECT_EQ(read.run.clock_hz, 4e9);
  for (const char* text : {"", "{", "{}", R"({"schema":"plumbline-native-rank/1"})", R"({"schema":"another"})",
                           R"({"schema":"plumbline-native-rank/1","rank":1e99})"}) {
    std::ofstream(file) << text;
    EXPECT_NE(message_of([&] { read_native_rank(file); }).find(file.string()), std::string::npos) << text;
  }
  std::filesystem::remove(file);
  EXPECT_NE(message_of([&] { read_native_rank(file); }).find("No such file"), std::string::npos);
}

TEST(SignalsNoted, EndTheGatheringAndTheFolderIsRemoved) {
  const SignalsNoted noted;
  std::filesystem::path folder;
  int code = 0;
  try {
    const LaunchMeeting meeting({.size = 1, .by = {}}, {}, testing::TempDir(), true);
    folder = meeting.folder();
    EXPECT_TRUE(std::filesystem::exists(folder));
    std::raise(SIGTERM);
    meeting.gather(60);
  } catch (const Error& error) {
    code = static_cast<int>(error.code());
    EXPECT_NE(std::string(error.what()).find("signal 15"), std::string::npos) << error.what();
  }
  EXPECT_EQ(code, 128 + SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Libraries, TheirFilesNamesTellWhatTheyDo) {
  for (const char* file :
       {"/usr/lib/libmpich.so.12", "libmpi.so.40", "/x/mca_btl_vader.so", "libopen-pal.so.40", "libfabric.so.1", "libuct.so.0"})
    EXPECT_TRUE(carries_messages(file)) << file;
  for (const char* file : {"/usr/bin/mpi_app", "libmpfr.so.6", "libm.so.6", ""}) EXPECT_FALSE(carries_messages(file)) << file;
  EXPECT_TRUE(runs_threads("/usr/lib/libgomp.so.1"));
  EXPECT_FALSE(runs_threads("/usr/lib/libgo.so"));
}

}  // namespace
}  // namespace plumbline
