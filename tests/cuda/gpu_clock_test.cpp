// The clock of a GPU while a kernel runs, measured by the kernel itself: on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu/clock_span.hpp"
#include "module_kernels.hpp"

namespace plumbline {
namespace {

TEST(GpuClock, of_a_sweep_is_the_one_right_behind_it_and_absent_where_nothing_ran) {
  if (const Availability there = opened_module().availability(); !there.ok()) GTEST_SKIP() << there.reason;
  const auto gpu = opened_module().open(0);
  const auto kernels = all_kernels();
  const auto peak = std::find_if(kernels.begin(), kernels.end(), [](const Kernel* kernel) { return kernel->name == "ert/peak"; });
  ASSERT_NE(peak, kernels.end());
  const auto flavors = (*peak)->flavors();
  const auto flavor = std::find_if(flavors.begin(), flavors.end(),
                                   [&](const Flavor& f) { return f.name == gpu->properties().flavor && f.precision == "fp32"; });
  if (flavor == flavors.end()) GTEST_SKIP() << "the module has no code for " << gpu->properties().name;
  const Parameters point{{"form", "fma"},
                         {"packed", "yes"},
                         {"blocks", std::int64_t{4 * gpu->properties().multiprocessors}},
                         {"threads", std::int64_t{256}},
                         {"iterations", std::int64_t{2000}}};
  const auto data = (*peak)->prepare(point, "fp32", gpu->memory());
  data->initialise(0, data->extent());
  gpu->start();
  EXPECT_TRUE(std::isnan(gpu->clock_of_last_sweep()));
  for (int i = 0; i < 50; ++i) flavor->sweep(data->arguments(), 0, data->extent());
  gpu->stop();
  EXPECT_NEAR(gpu->clock_of_last_sweep() / gpu->clock_hz(), 1, 0.1);
}

}  // namespace
}  // namespace plumbline
