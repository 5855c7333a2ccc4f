// The metric tables of GPUs held against CUPTI's Profiler Host API, which needs no GPU and no driver.
#include "counters/cupti/cupti_host.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "counters/cupti/cupti_groups.hpp"
#include "counters/cupti/cupti_library.hpp"
#include "counters/cupti/cupti_refusals.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// A name of the surroundings, set to something else while this lives; an empty value is as good as none.
class Surroundings {
 public:
  Surroundings(const char* name, const std::string& value) : name_(name) {
    if (const char* had = std::getenv(name); had != nullptr) before_ = had;
    setenv(name, value.c_str(), 1);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(cupti_folders, are_those_of_toolkits_and_wheels_that_have_the_library_behind_the_loaders_path) {
  const fs::path scratch = fs::temp_directory_path() / ("cupti_folders." + std::to_string(getpid()));
  const std::string library = "libcupti.so." + std::to_string(CUPTI_API_VERSION / 10000);
  const fs::path toolkit = scratch / "cuda", target = toolkit / "targets/sbsa-linux/lib", extras = toolkit / "extras/CUPTI/lib64",
                 wheel = scratch / "venv/lib/python3.11/site-packages/nvidia/cu13/lib", empty = toolkit / "lib64";
  for (const auto& folder : {target, extras, wheel, empty}) fs::create_directories(folder);
  for (const auto& folder : {target, extras, wheel}) std::ofstream(folder / library) << "here";
  std::vector<fs::path> folders;
  {
    const Surroundings home("CUDA_HOME", toolkit.string()), python("VIRTUAL_ENV", (scratch / "venv").string()),
        named("PLUMBLINE_CUPTI_PATH", "");
    folders = CuptiHost::cupti_folders();
  }
  fs::remove_all(scratch);
  const auto place = [&](const fs::path& folder) { return std::find(folders.begin(), folders.end(), folder) - folders.begin(); };
  const auto none = static_cast<std::ptrdiff_t>(folders.size());
  EXPECT_LT(place(fs::path()), place(extras)) << "LD_LIBRARY_PATH is the user's own word";
  EXPECT_LT(place(extras), place(target));
  EXPECT_LT(place(target), place(wheel));
  EXPECT_LT(place(wheel), none);
  EXPECT_EQ(place(empty), none) << "a toolkit's folder without it is not tried";
}

class cupti_host : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!host_.availability().ok()) GTEST_SKIP() << host_.availability().reason;
  }

  /// The chips that this CUPTI knows: 13.0 all, a later one may have dropped Volta.
  Names known(Names chips) const {
    if (host_.version().rfind("CUPTI 13.0 ", 0) == 0) return chips;
    const auto all = host_.chips();
    std::erase_if(chips, [&](const std::string& chip) { return chip == "GV100" && std::find(all.begin(), all.end(), chip) == all.end(); });
    return chips;
  }

  /// A line "nvidia-gh100.toml:12: 'METRIC'" for each metric that the table's chips do not have.
  Names missing(const EventTable& table) const {
    Names all;
    for (const auto& chip : known(table.chips))
      for (const auto& row : table.counters)
        for (const auto& event : row.events)
          if (!host_.unknown_metrics(chip, Names{event.name}).empty()) all.push_back(row.written_at + ": '" + event.name + "'");
    return all;
  }

  /// Passes of rows together; absent where CUPTI cannot count them in one session.
  std::optional<std::size_t> passes(const std::string& chip, const Names& rows) const {
    const auto known = counters_for_chip(shipped(), chip).counters;
    std::set<std::string> metrics;
    for (const auto& name : rows) {
      const auto row = std::find_if(known.begin(), known.end(), [&](const TableCounter& one) { return one.counter.name == name; });
      if (row == known.end()) throw std::runtime_error(chip + " has no row " + name);
      for (const auto& event : row->events) metrics.insert(event.name);
    }
    return host_.passes(chip, Names(metrics.begin(), metrics.end()));
  }

  static EventTables shipped() { return read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, ""); }

  CuptiHost host_;
};

TEST_F(cupti_host, the_library_says_its_version_and_knows_the_chips_of_the_tables) {
  EXPECT_EQ(host_.version().rfind("CUPTI ", 0), 0U) << host_.version();
  EXPECT_NE(host_.version().find("libcupti.so"), std::string::npos) << host_.version();
  const auto chips = host_.chips();
  for (const auto& chip : known({"GV100", "GA100", "GH100", "GB100"})) {
    EXPECT_NE(std::find(chips.begin(), chips.end(), chip), chips.end()) << chip;
    const auto metrics = host_.base_metrics(chip);
    EXPECT_NE(std::find(metrics.begin(), metrics.end(), "dram__bytes_read"), metrics.end()) << chip;
    EXPECT_GT(metrics.size(), 1000U) << chip;
  }
}

TEST_F(cupti_host, every_metric_of_every_table_exists_for_its_chip) {
  std::size_t tables = 0, metrics = 0;
  for (const auto& table : shipped().ours) {
    if (table.backend != "cupti") continue;
    ++tables;
    for (const auto& row : table.counters) metrics += row.events.size();
    EXPECT_EQ(missing(table), Names()) << table.file;
  }
  EXPECT_EQ(tables, 4U);
  EXPECT_GT(metrics, 4 * 60U);
}

TEST_F(cupti_host, a_table_whose_metric_does_not_exist_is_found_out) {
  std::ifstream in(fs::path(PLUMBLINE_EVENTS_DIRECTORY) / "nvidia-gh100.toml");
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string right = "\"dram__bytes_read.sum\"", wrong = "\"dram__bytes_reed.sum\"";
  text.replace(text.find(right), right.size(), wrong);
  const auto file = fs::path(testing::TempDir()) / ("misspelt" + std::to_string(getpid()) + ".toml");
  std::ofstream(file) << text;
  const auto found = missing(read_event_table(file));
  fs::remove(file);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("'dram__bytes_reed.sum'"), std::string::npos) << found[0];
}

TEST_F(cupti_host, a_misspelt_metric_or_chip_is_refused_by_name) {
  const Names metrics{"dram__bytes_read.sum", "dram__bytes_reed.sum", "sm__cycles_elapsed.maxi", "sm__cycles_elapsed"};
  EXPECT_EQ(host_.unknown_metrics("GH100", metrics), (Names{"dram__bytes_reed.sum", "sm__cycles_elapsed.maxi", "sm__cycles_elapsed"}));
  const auto refusal = [&](const char* chip) -> std::string {
    try {
      host_.passes(chip, metrics);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("GH100").find("no metric 'dram__bytes_reed.sum' of GH100"), std::string::npos) << refusal("GH100");
  EXPECT_NE(refusal("GH1OO").find("no chip 'GH1OO'"), std::string::npos) << refusal("GH1OO");
  EXPECT_NE(refusal("GH1OO").find("GB100"), std::string::npos) << "the known ones are named";
}

TEST_F(cupti_host, metrics_of_one_chip_are_not_those_of_another) {
  const Names volta_fp16{"sm__ops_path_tensor_src_fp16_dst_fp32.sum"}, sysmem{"lts__t_sectors_aperture_sysmem.sum"},
      packed{"sm__sass_thread_inst_executed_op_ffma2_pred_on.sum"};
  for (const auto& volta : known({"GV100"})) EXPECT_TRUE(host_.unknown_metrics(volta, volta_fp16).empty());
  EXPECT_EQ(host_.unknown_metrics("GH100", volta_fp16), volta_fp16) << "Hopper counts by source alone";
  EXPECT_EQ(host_.unknown_metrics("GB100", sysmem), sysmem) << "Blackwell's L2 does not tell the host's memory apart";
  EXPECT_EQ(host_.unknown_metrics("GH100", packed), packed) << "packed FP32 came with Blackwell";
}

// CUPTI 13.0 plans these passes. Another version may plan otherwise, and better.
TEST_F(cupti_host, groups_of_rows_take_the_passes_that_runs_count_with) {
  if (host_.version().rfind("CUPTI 13.0 ", 0) != 0) GTEST_SKIP() << "the passes are known of CUPTI 13.0, and this is " << host_.version();
  const Names chips{"GV100", "GA100", "GH100", "GB100"}, flops{"flops.fp64", "flops.fp32", "flops.half.packed"},
      roofline{"time", "cycles", "l1.bytes", "l2.sectors", "mem.bytes", "occupancy"};
  const auto with = [](Names rows, const Names& more) { return rows.insert(rows.end(), more.begin(), more.end()), rows; };
  const struct {
    const char* what;
    Names rows;
    std::vector<std::size_t> passes;  // of the chips
  } groups[] = {
      {"flops", flops, {1, 1, 1, 1}},
      {"all that instructions are instrumented for",
       with(flops, {"instructions.fp", "instructions.int", "shared.data_bytes", "l1.data_bytes", "l1.sectors_global"}),
       {1, 1, 1, 1}},
      {"roofline", roofline, {1, 1, 1, 1}},
      {"roofline and flops: no pass holds both kinds", with(flops, roofline), {2, 2, 2, 2}},
      {"roofline and fp16 tensor", with(roofline, {"tensor.fp16"}), {1, 2, 2, 3}},
      {"fp16 tensor", {"tensor.fp16"}, {1, 2, 2, 2}},
      {"L1", {"l1.bytes", "l1.wavefronts", "l1.writeback"}, {3, 2, 2, 2}},
      {"shared", {"shared.data_bytes", "shared.wavefronts"}, {2, 2, 2, 2}},
      {"L2", {"l2.sectors", "l2.bytes", "l2.sectors_gpc"}, {3, 2, 2, 2}},
      {"L2 by the L1s' side", {"l2.crossbar"}, {7, 5, 2, 3}},
      {"memory", {"mem.bytes", "mem.bytes_total", "mem.sectors", "mem.fills"}, {1, 1, 1, 1}},
  };
  for (const auto& group : groups) {
    std::vector<std::size_t> planned;
    for (const auto& chip : chips) planned.push_back(passes(chip, group.rows).value());
    EXPECT_EQ(planned, group.passes) << group.what;
  }
}

TEST_F(cupti_host, a_tensor_type_takes_a_pass_or_two) {
  if (host_.version().rfind("CUPTI 13.0 ", 0) != 0) GTEST_SKIP() << "the passes are known of CUPTI 13.0, and this is " << host_.version();
  const std::map<std::string, std::map<std::string, std::size_t>> known{
      {"GV100", {{"fp16", 1}}},
      {"GA100", {{"fp16", 2}, {"bf16", 1}, {"tf32", 1}, {"fp64", 1}, {"int8", 2}, {"int4", 2}, {"int1", 1}}},
      {"GH100", {{"fp16", 2}, {"bf16", 1}, {"tf32", 1}, {"fp64", 1}, {"fp8", 1}, {"int8", 2}, {"int1", 1}}},
      {"GB100", {{"fp16", 2}, {"bf16", 1}, {"tf32", 2}, {"fp64", 1}, {"fp8", 2}, {"fp4", 1}, {"int8", 2}}},
  };
  for (const auto& [chip, types] : known)
    for (const auto& [type, expected] : types) EXPECT_EQ(passes(chip, {"tensor." + type}), expected) << chip << " " << type;
}

TEST_F(cupti_host, what_the_link_to_the_host_counts_takes_a_session_of_its_own) {
  for (const auto& chip : known({"GV100", "GA100", "GH100", "GB100"})) {
    EXPECT_EQ(passes(chip, {"host.pcie", "time"}), 1U) << chip;
    EXPECT_EQ(passes(chip, {"host.pcie", "mem.reads"}), std::nullopt) << chip;
    EXPECT_EQ(passes(chip, {"host.pcie", "flops.fp64"}), std::nullopt) << chip;
  }
}

// A run counts a chip's table as the backend groups it.
TEST_F(cupti_host, a_chips_table_is_counted_in_so_few_groups) {
  if (host_.version().rfind("CUPTI 13.0 ", 0) != 0) GTEST_SKIP() << "the passes are known of CUPTI 13.0, and this is " << host_.version();
  const std::map<std::string, std::string> expected{{"GV100", " 30 15 3 3 1 1 1(4) 1(5) 1 1 1 1 1 1 2"},
                                                    {"GA100", " 30 17 8 3 3 1 1(2) 1(2) 1 1 1(4) 2"},
                                                    {"GH100", " 30 24 1(2) 7 5 1(2) 4 1(2) 1(2) 3 1 2"},
                                                    {"GB100", " 37 25 1(2) 6 4 1(2) 1(2) 3 1(2) 1(2) 1(2) 2 1(2) 1 1 1(2) 2"}};
  for (const auto& [chip, shape] : expected) {
    std::vector<Names> bundles;
    std::set<std::string> metrics;
    for (const auto& row : counters_for_chip(shipped(), chip).counters) {
      auto& bundle = bundles.emplace_back();
      for (const auto& event : row.events) bundle.push_back(event.name), metrics.insert(event.name);
    }
    const auto groups = group_metrics(bundles, [&](std::span<const std::string> some) { return host_.passes(chip, some); });
    std::string said;  // metrics of each group (and its passes, where it has more than one)
    std::size_t grouped = 0;
    for (const auto& group : groups) {
      grouped += group.metrics.size();
      EXPECT_TRUE(group.passes == 1 || group.metrics.size() == 1) << group.metrics.front();
      said += " " + std::to_string(group.metrics.size()) + (group.passes > 1 ? "(" + std::to_string(group.passes) + ")" : "");
    }
    const auto timed = std::find_if(groups.begin(), groups.end(), [](const MetricGroup& group) {
      return std::find(group.metrics.begin(), group.metrics.end(), "gpu__time_duration.sum") != group.metrics.end();
    });
    ASSERT_NE(timed, groups.end()) << chip;
    for (const char* beside : {"sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second"})
      EXPECT_NE(std::find(timed->metrics.begin(), timed->metrics.end(), beside), timed->metrics.end())
          << chip << ": " << beside << " is not counted in the pass of the time, so nothing could hold one against the other";
    EXPECT_EQ(grouped, metrics.size()) << chip << ": each metric is in one group";
    EXPECT_EQ(said, shape) << chip << ", of " << grouped << " metrics";
  }
}

TEST_F(cupti_host, each_refusal_we_have_words_for_is_the_librarys_own_number) {
  const std::map<int, const char*> names{{26, "CUPTI_ERROR_HARDWARE_BUSY"},
                                         {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED"},
                                         {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
                                         {40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES"},
                                         {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED"}};
  for (const auto& one : cupti_refusals()) {
    const std::string words = host_.opened()->words(static_cast<CUptiResult>(one.result));
    EXPECT_EQ(words.rfind("CUPTI_ERROR_", 0), 0U) << one.result << ": " << words;
    const auto name = names.find(one.result);
    EXPECT_TRUE(name == names.end() || words == name->second) << words;
  }
}

TEST_F(cupti_host, a_process_that_has_one_open_is_given_that_one_wherever_it_lies) {
  const CuptiHost other({"/nonexistent"});
  ASSERT_TRUE(other.availability().ok()) << other.availability().reason;
  EXPECT_EQ(other.folder(), host_.folder());
}

TEST_F(cupti_host, no_metric_takes_no_pass) { EXPECT_EQ(host_.passes("GH100", Names()), 0U); }

// The death test runs in a process of its own: here the library is loaded already.
TEST(cupti_host_DeathTest, without_the_library_the_reason_says_where_it_was_looked_for) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto look = [] {
    const CuptiHost host({"/nowhere/at/all"});
    std::string said = host.availability().reason;
    try {
      said += " | " + host.version();
    } catch (const Error& error) {
      said += error.what() == host.availability().reason ? " | refused for this reason" : " | refused otherwise";
    }
    fprintf(stderr, "%s\n", said.c_str());
    _exit(0);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0),
              "^(no libcupti.so.[0-9]+ that can be used: not in /nowhere/at/all; .*; looked in: /nowhere/at/all, the loader's path; "
              ".*LD_LIBRARY_PATH \\| refused for this reason"
              "|cuptiGetVersion failed: .* \\| refused for this reason| \\| CUPTI )");
}

}  // namespace
}  // namespace plumbline
