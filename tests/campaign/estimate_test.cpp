#include "campaign/estimate.hpp"

#include <gtest/gtest.h>

#include "example_kernels.hpp"

namespace plumbline {
namespace {

class Memory : public testing::Test {
 protected:
  Case square_of(std::int64_t m, int ranks = 1) const { return {&kernels_[0], {{"m", m}}, "fp64", dgemm_flavors[0], {ranks, 1}}; }
  std::vector<Kernel> kernels_ = example_kernels();
};

TEST_F(Memory, every_rank_of_a_team_holds_the_arrays) {
  EXPECT_EQ(memory_bytes(square_of(1000)), 8'000'000U);
  EXPECT_EQ(memory_bytes(square_of(1000, 3)), 24'000'000U);
}

TEST_F(Memory, sizes_that_wrap_around_64_bits_are_beyond_memory) {
  EXPECT_FALSE(memory_bytes(square_of(std::int64_t{1} << 32))) << "its square times 8 is 0 modulo 2^64";
  EXPECT_FALSE(memory_bytes(square_of((std::int64_t{1} << 62) + 12345)));
}

TEST_F(Memory, a_case_beyond_memory_is_a_user_error_with_both_numbers) {
  const std::vector<Case> cases{square_of(10), square_of(1000)};
  EXPECT_NO_THROW(require_memory(cases, {.node_bytes = 8'000'000}));
  try {
    require_memory(cases, {.node_bytes = 7'999'999});
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), Exit::user_error);
    for (const char* part : {"validation/dgemm/fp64/m=1000/r1t1/gcc12-O3-v3", "8000000 bytes", "7999999 bytes"})
      EXPECT_NE(text.find(part), text.npos) << text;
  }
}

TEST_F(Memory, a_case_on_a_gpu_is_held_against_the_gpus_memory_and_others_are_not) {
  Case on_gpu = square_of(1000);
  on_gpu.team = {.gpus = 1};
  EXPECT_NO_THROW(require_memory(std::vector<Case>{on_gpu}, {.node_bytes = 0, .gpu_bytes = 8'000'000}));
  EXPECT_NO_THROW(require_memory(std::vector<Case>{square_of(1000)}, {.node_bytes = 8'000'000, .gpu_bytes = 0}));
  try {
    require_memory(std::vector<Case>{on_gpu}, {.node_bytes = 1'000'000'000, .gpu_bytes = 7'999'999});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("need 8000000 bytes (0.00745 GiB) on a GPU, available are 7999999 bytes"), std::string::npos)
        << error.what();
  }
}

TEST_F(Memory, a_case_on_a_gpu_is_estimated_by_the_gpus_rates_and_counted_by_all_groups_on_data_that_are_filled_once) {
  const auto campaign = parse_campaign("schema = \"plumbline-campaign/1\"\n[ceilings]\n", "c.toml");
  Case on_gpu = square_of(20'000);
  on_gpu.team = {.gpus = 1};
  const auto there = estimate(on_gpu, campaign), here = estimate(square_of(20'000), campaign);
  EXPECT_GT(there.time_seconds, 0.3);
  EXPECT_NE(there.time_seconds, here.time_seconds);
  EXPECT_GT(there.count_seconds, 2) << "a profiler is set up for each group";
  EXPECT_LT(there.count_seconds, 12 * there.time_seconds) << "and the data are not filled for each";
  EXPECT_GT(here.count_seconds, 0);
}

TEST_F(Memory, estimates_grow_with_the_work_and_follow_the_passes) {
  const auto campaign = parse_campaign("schema = \"plumbline-campaign/1\"\npasses = [\"time\"]\n[ceilings]\n", "c.toml");
  const auto small = estimate(square_of(10), campaign), large = estimate(square_of(20'000), campaign);
  EXPECT_GT(small.time_seconds, 0);
  EXPECT_GT(large.time_seconds, small.time_seconds);
  EXPECT_EQ(small.count_seconds, 0);
}

}  // namespace
}  // namespace plumbline
