// Counting a process's kernels one by one, through the library that stands in for the driver and CUPTI.
#include "counters/cupti/cupti_kernels.hpp"

#include <gtest/gtest.h>

#include "stand_in_calls.hpp"

namespace plumbline {
namespace {

class cupti_kernels : public ::testing::Test {
 protected:
  cupti_kernels() { stand_in<void()>("stand_in_reset")(); }
  ~cupti_kernels() override {
    kernels_.reset();
    EXPECT_EQ(stand_in<int()>("stand_in_still_open")(), 0) << "profiler objects, subscribers and chips are given back";
  }

  static const CuptiHost& host() {
    static const CuptiHost host({STAND_IN_CUPTI_FOLDER});
    return host;
  }
  void count(KernelWishes wishes = {{{"GH100", {"first.sum", "unknown.sum", "second.sum"}}}, 0}) {
    kernels_ = count_kernels(
        host(), std::move(wishes), {}, [this] { ++batches_; }, why_not_, STAND_IN_CUPTI_FOLDER "/libcupti.so.13");
  }
  KernelCounts ended() {
    EXPECT_TRUE(kernels_->end());
    return kernels_->counts();
  }

  std::unique_ptr<CuptiKernels> kernels_;
  Availability why_not_;
  int batches_ = 0;
};

TEST_F(cupti_kernels, each_kernel_has_the_sums_of_the_metrics_that_cupti_knows) {
  count();
  for (unsigned i = 0; i < 130; ++i) launch_stand_in(i % 2 == 0 ? "even" : "odd", 1 + i % 2);
  EXPECT_EQ(batches_, 2) << "of 64 launches each";
  const auto counts = ended();
  ASSERT_EQ(counts.gpus.size(), 1U);
  EXPECT_EQ(counts.gpus[0].metrics, (std::vector<std::string>{"first.sum", "second.sum"}));
  EXPECT_EQ(counts.gpus[0].passes, 1U);
  ASSERT_EQ(counts.kernels.size(), 2U);
  EXPECT_EQ(counts.kernels[0].name, "even");
  EXPECT_EQ(counts.kernels[0].sums, (std::vector<double>{65, 130}));
  EXPECT_EQ(counts.kernels[1].sums, (std::vector<double>{130, 260}));
  launch_stand_in("late", 1);
  EXPECT_EQ(kernels_->counts().kernels.size(), 2U) << "after its end nothing is counted";
}

TEST_F(cupti_kernels, ranges_that_do_not_match_the_launches_are_no_counts_of_any) {
  count();
  launch_stand_in("a", 1);
  launch_stand_in("b", 1);
  stand_in<void()>("stand_in_drops_a_range")();
  const auto counts = ended();
  EXPECT_EQ(counts.gpus.at(0).availability.reason, "CUPTI counted 1 ranges of 2 launches");
  EXPECT_EQ(counts.lost, 2U);
  for (const auto& kernel : counts.kernels) {
    EXPECT_EQ(kernel.launches, 1U);
    EXPECT_EQ(kernel.counted, 0U);
    EXPECT_TRUE(kernel.sums.empty());
  }
}

TEST_F(cupti_kernels, passes_that_were_not_all_had_are_no_counts) {
  count({{{"GH100", {"three_passes.sum"}}}, 0});
  stand_in<void()>("stand_in_never_done")();
  launch_stand_in("a", 1);
  const auto counts = ended();
  EXPECT_EQ(counts.gpus.at(0).passes, 3U);
  EXPECT_EQ(counts.kernels.at(0).counted, 0U);
  EXPECT_FALSE(counts.gpus.at(0).availability.ok());
}

TEST_F(cupti_kernels, a_chip_without_metrics_and_a_subscriber_before_say_why) {
  count({{{"GB100", {"first.sum"}}}, 0});
  launch_stand_in("a", 1);
  EXPECT_EQ(ended().gpus.at(0).availability.reason, "no event table for the chip GH100");
  kernels_.reset();
  stand_in<void(int)>("stand_in_subscribe")(39);
  count();
  EXPECT_EQ(kernels_, nullptr);
  EXPECT_EQ(why_not_.status, Status::stolen) << why_not_.reason;
}

}  // namespace
}  // namespace plumbline
