// The injected library writes the report that the program that started the process reads.
#include "injection/kernel_report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "core/error.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class kernel_report : public ::testing::Test {
 protected:
  kernel_report() { fs::create_directories(folder_); }
  ~kernel_report() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(::testing::TempDir()) / ("kernel_report_" + std::to_string(::getpid()));
};

TEST_F(kernel_report, what_is_written_is_read_and_no_number_stays_none) {
  KernelReport written{
      .process = 12, .parent = 3, .command = {"program", "with\nwords", "\xff"}, .cupti = "CUPTI 13.0 (here)", .ended = true};
  written.counts.gpus = {{1, "GH100", 90, {"a.sum", "b.sum"}, 2, {}}, {2, "GB100", 100, {}, 0, {Status::permission, "not for you"}}};
  written.counts.kernels = {{1, "_Z4axpyd", 9, 8, {1e15 + 1, std::numeric_limits<double>::quiet_NaN()}}};
  written.counts.graph_launches = 4, written.counts.captured = 5, written.counts.elsewhere = 6, written.counts.lost = 7;
  written.counts.kernels[0].phase = 1;
  written.timed = true;
  written.times.kernels = {
      {.gpu = 1, .name = "timed", .phase = 1, .all = {3, 0.5, 96}, .first = {1, 0.25, 32}, .of_graphs = 2, .longest_seconds = 0.25}};
  written.times.copies = {{0, "set memory", 2, 100, 0.125}};
  written.times.gpus = {{1, 5, 7}};
  written.times.called = 8, written.times.dropped = 9, written.times.unplaced = 10;
  written.phases = {.regions = {{"solve", 2, 1.5, true}}, .phases = {{}, {0}}, .lost = 11};
  written.devices = {{1, "NVIDIA H200", "GPU-1f0c"}};
  ASSERT_TRUE(write_kernel_report(folder_ / "one.json", written));
  const KernelReport read = read_kernel_report(folder_ / "one.json");
  EXPECT_EQ(read.process, 12);
  EXPECT_EQ(read.parent, 3);
  EXPECT_EQ(read.command.at(1), "with\nwords");
  EXPECT_EQ(read.cupti, written.cupti);
  EXPECT_TRUE(read.ended && read.availability.ok());
  ASSERT_EQ(read.counts.gpus.size(), 2U);
  EXPECT_EQ(read.counts.gpus[0].metrics, written.counts.gpus[0].metrics);
  EXPECT_EQ(read.counts.gpus[0].passes, 2U);
  EXPECT_EQ(read.counts.gpus[0].compute_capability, 90);
  EXPECT_EQ(read.counts.gpus[1].availability.status, Status::permission);
  EXPECT_EQ(read.counts.gpus[1].availability.reason, "not for you");
  const auto& kernel = read.counts.kernels.at(0);
  EXPECT_EQ(kernel.name, "_Z4axpyd");
  EXPECT_EQ(kernel.launches, 9U);
  EXPECT_EQ(kernel.counted, 8U);
  EXPECT_EQ(kernel.sums.at(0), 1e15 + 1);
  EXPECT_TRUE(std::isnan(kernel.sums.at(1)));
  ASSERT_EQ(read.devices.size(), 1U);
  EXPECT_EQ(read.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(read.devices[0].uuid, "GPU-1f0c");
  EXPECT_EQ(read.counts.graph_launches, 4U);
  EXPECT_EQ(read.counts.captured, 5U);
  EXPECT_EQ(read.counts.elsewhere, 6U);
  EXPECT_EQ(read.counts.lost, 7U);
  EXPECT_EQ(kernel.phase, 1U);
  EXPECT_TRUE(read.timed);
  EXPECT_EQ(read.times.kernels.at(0).name, "timed");
  EXPECT_EQ(read.times.kernels.at(0).all.threads, 96);
  EXPECT_EQ(read.times.kernels.at(0).first.seconds, 0.25);
  EXPECT_EQ(read.times.kernels.at(0).of_graphs, 2U);
  EXPECT_EQ(read.times.copies.at(0).bytes, 100U);
  EXPECT_EQ(read.times.gpus.at(0).last_ns, 7U);
  EXPECT_EQ(read.times.called + read.times.dropped + read.times.unplaced, 27U);
  EXPECT_EQ(read.phases.regions, written.phases.regions);
  EXPECT_EQ(read.phases.phases, written.phases.phases);
  EXPECT_EQ(read.phases.lost, 11U);
  EXPECT_FALSE(fs::exists(folder_ / "one.json.partial"));
}

TEST_F(kernel_report, one_of_before_there_were_phases_is_read_and_one_of_a_phase_that_is_not_there_is_not) {
  const std::string begin =
      R"({"schema":"plumbline-kernels/1","process":1,"parent":1,"command":[],"cupti":"","availability":{"status":"ok","reason":""},)"
      R"("ended":true,"gpus":[],"graph_launches":0,"captured":0,"elsewhere":0,"lost":0,"kernels":[{"gpu":0,"name":"a",)"
      R"("launches":2,"counted":1,"sums":[1])";
  std::ofstream(folder_ / "before.json") << begin << "}]}";
  EXPECT_EQ(read_kernel_report(folder_ / "before.json").counts.kernels.at(0).counted, 1U);
  std::ofstream(folder_ / "wrong.json") << begin << R"(,"phase":4}]})";
  EXPECT_THROW(read_kernel_report(folder_ / "wrong.json"), Error);
}

TEST_F(kernel_report, what_is_cut_or_something_else_is_an_error_that_names_the_file) {
  EXPECT_FALSE(write_kernel_report(folder_ / "nowhere" / "one.json", {}));
  ASSERT_TRUE(write_kernel_report(folder_ / "one.json", {}));
  fs::resize_file(folder_ / "one.json", 20);
  std::ofstream(folder_ / "other.json") << R"({"schema": "plumbline-emulator/1"})";
  for (const char* name : {"one.json", "other.json", "none.json"}) {
    try {
      read_kernel_report(folder_ / name);
      FAIL() << name;
    } catch (const Error& refused) {
      EXPECT_EQ(refused.code(), Exit::io_or_failed_case);
      EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
    }
  }
}

TEST_F(kernel_report, the_metrics_by_chip_are_read_as_they_were_written) {
  const std::map<std::string, std::vector<std::string>> metrics{{"GA100", {}}, {"GH100", {"b.sum", "a.sum"}}};
  write_metrics(folder_ / "metrics", metrics);
  EXPECT_EQ(read_metrics(folder_ / "metrics"), metrics);
  EXPECT_THROW(read_metrics(folder_ / "none"), Error);
}

}  // namespace
}  // namespace plumbline
