// Timing all launches of a process by activities, through the library that stands in for the driver and CUPTI; and as far as it goes by
// CUPTI's own.
#include "counters/cupti/cupti_activities.hpp"

#include <cupti_activity.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "counters/cupti/cupti_library.hpp"
#include "stand_in_calls.hpp"

namespace plumbline {
namespace {

class cupti_activities : public ::testing::Test {
 protected:
  cupti_activities() { stand_in<void()>("stand_in_reset")(); }
  ~cupti_activities() override {
    activities_.reset();
    unsetenv("STAND_IN_CUPTI_ACTIVITIES");
    EXPECT_EQ(stand_in<int()>("stand_in_still_open")(), 0) << "the subscriber is given back";
    EXPECT_EQ(stand_in<int()>("stand_in_activities_on")(), 0) << "and all records are switched off";
  }

  static void call(const char* name) { stand_in<int()>(name)(); }
  void time(ActivityWishes wishes = {.first_launches = 2}) {
    static const CuptiHost host({STAND_IN_CUPTI_FOLDER});
    activities_ = time_kernels(
        host, wishes, {.phase = [this] { return phase_; }, .profiling = [this](bool begins) { phase_ = begins ? 9U : 0U; }},
        [this] { ++buffers_; }, why_not_);
  }
  static void goes_wrong(const char* how) { setenv("STAND_IN_CUPTI_ACTIVITIES", how, 1); }
  KernelTimes ended() {
    EXPECT_TRUE(activities_->end().ok());
    return activities_->times();
  }

  std::unique_ptr<CuptiActivities> activities_;
  Availability why_not_;
  std::uint32_t phase_ = 0;
  int buffers_ = 0;
};

TEST_F(cupti_activities, each_kernel_has_the_time_of_all_its_launches_and_what_its_first_are_like) {
  time();
  launch_stand_in("a", 10);
  launch_stand_in("b", 1);
  for (int i = 0; i < 3; ++i) launch_stand_in("a", 30);
  launch_stand_in("a", 0);  // fails
  const auto times = ended();
  ASSERT_EQ(times.kernels.size(), 2U);
  const auto& a = times.kernels[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.all.launches, 4U);
  EXPECT_NEAR(a.all.seconds, 100e-6, 1e-9);
  EXPECT_EQ(a.all.threads, 32 * 100);
  EXPECT_NEAR(a.longest_seconds, 30e-6, 1e-9);
  EXPECT_EQ(a.first.launches, 2U);
  EXPECT_EQ(a.first.threads, 32 * 40);
  EXPECT_EQ(times.called, 5U);
  EXPECT_EQ(times.gpus.at(0).last_ns - times.gpus.at(0).first_ns, 101000U);
  launch_stand_in("late", 1);
  EXPECT_EQ(activities_->times().kernels.size(), 2U) << "after its end nothing is timed";
}

TEST_F(cupti_activities, the_kernels_of_a_graph_are_timed_and_those_of_its_capture_are_not) {
  time();
  using Begin = int(void*, int);
  stand_in<Begin>("cuStreamBeginCapture_v2")(nullptr, 0);
  launch_stand_in("node", 5);
  call("cuStreamEndCapture");
  for (int i = 0; i < 3; ++i) call("cuGraphLaunch");
  launch_stand_in("node", 5);
  const auto times = ended();
  ASSERT_EQ(times.kernels.size(), 1U);
  EXPECT_EQ(times.kernels[0].all.launches, 4U);
  EXPECT_EQ(times.kernels[0].of_graphs, 3U);
  EXPECT_EQ(times.kernels[0].first.launches, 1U) << "those that can be counted";
  EXPECT_EQ(times.called, 1U);
  EXPECT_EQ(times.graph_launches, 3U);
}

TEST_F(cupti_activities, a_launch_stands_in_the_phase_that_its_thread_was_in_even_if_its_record_comes_later) {
  time();
  phase_ = 3;
  launch_stand_in("a", 1);
  phase_ = 0;
  launch_stand_in("a", 2);
  call("cuProfilerStart");
  launch_stand_in("a", 4);
  call("cuProfilerStop");
  launch_stand_in("a", 8);
  const auto times = ended();
  ASSERT_EQ(times.kernels.size(), 3U);
  EXPECT_EQ(times.kernels[0].phase, 0U);
  EXPECT_NEAR(times.kernels[0].all.seconds, 10e-6, 1e-9);
  EXPECT_EQ(times.kernels[1].phase, 3U);
  EXPECT_NEAR(times.kernels[1].all.seconds, 1e-6, 1e-9);
  EXPECT_EQ(times.kernels[2].phase, 9U);
  EXPECT_EQ(times.unplaced, 0U);
}

TEST_F(cupti_activities, a_phase_that_had_to_be_forgotten_is_said) {
  time({.most_in_flight = 2});
  phase_ = 1;
  for (int i = 0; i < 5; ++i) launch_stand_in("a", 1);
  const auto times = ended();
  EXPECT_EQ(times.unplaced, 3U);
  EXPECT_EQ(times.kernels.at(0).all.launches, 3U);
  EXPECT_EQ(times.kernels.at(1).all.launches, 2U);
}

TEST_F(cupti_activities, copies_and_settings_of_memory_are_kept_apart) {
  time();
  stand_in<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD")(0, nullptr, 500);
  stand_in<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD")(0, nullptr, 100);
  stand_in<int(std::uint64_t, unsigned char, std::size_t)>("cuMemsetD8")(0, 0, 50);
  const auto times = ended();
  ASSERT_EQ(times.copies.size(), 2U);
  EXPECT_EQ(times.copies[0].what, "copy host to device");
  EXPECT_EQ(times.copies[0].number, 2U);
  EXPECT_EQ(times.copies[0].bytes, 600U);
  EXPECT_NEAR(times.copies[0].seconds, 600e-9, 1e-12);
  EXPECT_EQ(times.copies[1].what, "set memory");
  EXPECT_TRUE(times.kernels.empty());
}

TEST_F(cupti_activities, full_buffers_are_read_on_the_way_and_go_round) {
  goes_wrong("small");
  time({.most_buffers = 1});
  for (int i = 0; i < 100; ++i) launch_stand_in("a", 1);
  EXPECT_EQ(buffers_, 33) << "of 3 records each";
  const auto times = ended();
  EXPECT_EQ(times.kernels.at(0).all.launches, 100U);
  EXPECT_EQ(times.dropped, 0U);
}

TEST_F(cupti_activities, what_finds_no_room_or_no_time_is_counted) {
  time({.buffer_bytes = 8});
  launch_stand_in("a", 1);
  launch_stand_in("a", 1);
  EXPECT_EQ(ended().dropped, 2U) << "a record is longer than such a buffer";
  goes_wrong("drops=3 no_times=5");
  time();
  for (int i = 0; i < 12; ++i) launch_stand_in("a", 1);
  auto times = ended();
  EXPECT_EQ(times.dropped, 4U);
  EXPECT_EQ(times.untimed, 2U);
  EXPECT_EQ(times.kernels.at(0).all.launches, 6U);
  EXPECT_EQ(times.called, 12U);
  goes_wrong("bad_record");
  time();
  launch_stand_in("a", 1);
  launch_stand_in("a", 1);
  times = ended();
  EXPECT_EQ(times.unreadable, 1U);
  EXPECT_EQ(times.kernels.at(0).all.launches, 1U);
  unsetenv("STAND_IN_CUPTI_ACTIVITIES");
  time({.most_rows = 1});
  launch_stand_in("a", 1);
  launch_stand_in("b", 1);
  EXPECT_EQ(ended().crowded, 1U);
}

TEST_F(cupti_activities, a_refusal_has_its_reason_and_leaves_nothing_on) {
  goes_wrong("refused=31");
  time();
  EXPECT_EQ(activities_, nullptr);
  EXPECT_EQ(why_not_.status, Status::unavailable);
  EXPECT_NE(why_not_.reason.find("MPS"), std::string::npos) << why_not_.reason;
  unsetenv("STAND_IN_CUPTI_ACTIVITIES");
  stand_in<void(int)>("stand_in_subscribe")(39);
  time();
  EXPECT_EQ(activities_, nullptr);
  EXPECT_EQ(why_not_.status, Status::stolen);
}

TEST(cupti_of_this_machine, has_every_function_that_activities_take_and_without_a_driver_refuses_in_words) {
  const CuptiHost host;
  if (!host.availability().ok()) GTEST_SKIP() << host.availability().reason;
  for (const char* name : {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable", "cuptiActivityDisable", "cuptiActivityFlushAll",
                           "cuptiActivityFlushPeriod", "cuptiActivityGetNextRecord", "cuptiActivityGetNumDroppedRecords"})
    EXPECT_NE(dlsym(host.opened()->handle, name), nullptr) << name;
  // The real reader of records, over a buffer that holds one as the driver writes it.
  alignas(8) std::array<std::uint8_t, sizeof(CUpti_ActivityKernel10)> buffer{};
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  std::memcpy(buffer.data(), &record, sizeof record);
  CUpti_Activity* next = nullptr;
  ASSERT_EQ(PLUMBLINE_CUPTI_RESULT(*host.opened(), cuptiActivityGetNextRecord, buffer.data(), buffer.size(), &next), CUPTI_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uint8_t*>(next), buffer.data());
  EXPECT_EQ(PLUMBLINE_CUPTI_RESULT(*host.opened(), cuptiActivityGetNextRecord, buffer.data(), buffer.size(), &next),
            CUPTI_ERROR_MAX_LIMIT_REACHED)
      << "its records have the length that these headers say";
  if (void* const driver = dlopen("libcuda.so.1", RTLD_LAZY); driver != nullptr) GTEST_SKIP() << "there is a driver here";
  Availability why_not;
  const auto activities = time_kernels(
      host, {}, {}, [] {}, why_not);
  EXPECT_EQ(activities, nullptr);
  EXPECT_FALSE(why_not.ok());
  EXPECT_NE(why_not.reason.find("cupti"), std::string::npos) << why_not.reason;
}

}  // namespace
}  // namespace plumbline
