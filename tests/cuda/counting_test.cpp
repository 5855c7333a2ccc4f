// CUPTI's counts on the first GPU are held against arithmetic: the series' FMAs and its one launch, less the empty region's.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/kernel.hpp"
#include "counters/cupti/cupti.hpp"
#include "measure/gpu_counting.hpp"
#include "opened_module.hpp"

namespace plumbline {
namespace {

class counting_on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    const Availability there = opened_module().availability();
    if (!there.ok()) GTEST_SKIP() << there.reason;
    gpu_ = opened_module().open(0);
    if (gpu_->properties().flavor.empty()) GTEST_SKIP() << "the module has no code for " << gpu_->properties().name;
  }

  Case series(std::int64_t m, std::int64_t n) const {
    const auto& all = opened_module().kernels();
    const auto kernel = std::find_if(all.begin(), all.end(), [](const Kernel& one) { return one.name == "validation/series"; });
    const auto flavors = kernel->flavors();
    const auto flavor = std::find_if(flavors.begin(), flavors.end(),
                                     [&](const Flavor& one) { return one.name == gpu_->properties().flavor && one.precision == "fp64"; });
    Parameters p;
    p.set("form", std::string("loop"));
    p.set("n", n);
    p.set("m", m);
    return {.kernel = &*kernel, .parameters = p, .precision = "fp64", .flavor = *flavor, .team = {}};
  }

  std::unique_ptr<Gpu> gpu_;
};

TEST_F(counting_on_gpu, the_fmas_of_the_series_are_counted_exactly_and_nothing_in_the_empty_region) {
  const auto backend =
      cupti_backend({"sm__sass_thread_inst_executed_op_dadd_pred_on.sum", "sm__sass_thread_inst_executed_op_dmul_pred_on.sum",
                     "sm__sass_thread_inst_executed_op_dfma_pred_on.sum"});
  if (!backend->availability().ok()) GTEST_SKIP() << backend->availability().reason;
  ASSERT_EQ(backend->groups().size(), 1U);
  const CountedCase counted = count_on_gpu(series(512, 20), *backend, 0, 3, *gpu_);
  if (counted.status == Status::permission || counted.status == Status::stolen || counted.status == Status::unavailable)
    GTEST_SKIP() << counted.reason;
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  for (const RegionCounts& one : counted.repetitions) {
    const auto &region = one.kernel.at(0), &empty = one.empty.at(0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(region[i].status, Status::ok) << region[i].reason;
      EXPECT_EQ(empty[i].raw, 0U) << region[i].event;
      EXPECT_EQ(region[i].raw, i == 2 ? 512U * 512U * 20U : 0U) << region[i].event;
    }
  }
}

TEST_F(counting_on_gpu, a_sweep_is_one_launch) {
  const auto backend = cupti_backend({"launches", "graph_launches"});
  if (!backend->availability().ok()) GTEST_SKIP() << backend->availability().reason;
  const CountedCase counted = count_on_gpu(series(512, 20), *backend, 0, 1, *gpu_);
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  EXPECT_EQ(counted.repetitions.at(0).kernel.at(0).at(0).raw, 1U);
  EXPECT_EQ(counted.repetitions.at(0).kernel.at(0).at(1).raw, 0U);
  EXPECT_EQ(counted.repetitions.at(0).empty.at(0).at(0).raw, 0U);
}

TEST_F(counting_on_gpu, launches_are_written_down_and_made_all_the_same) {
  const Case measured = series(512, 20);
  const auto data = measured.kernel->prepare(measured.parameters, measured.precision, gpu_->memory());
  data->initialise(0, data->extent());
  std::vector<KernelLaunch> launches;
  opened_module().write_down_launches(&launches);
  measured.flavor.sweep(data->arguments(), 0, data->extent());
  opened_module().write_down_launches(nullptr);
  measured.flavor.sweep(data->arguments(), 0, data->extent());
  gpu_->wait();
  EXPECT_LE(data->error(), data->tolerance());
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_NE(launches[0].function.find("each_element"), std::string::npos) << launches[0].function;
  EXPECT_NE(gpu_->properties().flavor.find(launches[0].architecture), std::string::npos);
  EXPECT_EQ(launches[0].grid[0], 512U * 512U / launches[0].block[0]);
  ASSERT_TRUE(launches[0].facts);
  EXPECT_EQ(launches[0].facts->threads, 512U * 512U);
  EXPECT_EQ(launches[0].facts->trips, std::vector<std::uint64_t>{20});
}

}  // namespace
}  // namespace plumbline
