#include "campaign/estimate.hpp"

#include <gtest/gtest.h>

#include "core/twin.hpp"
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
  const auto once = parse_campaign("schema = \"plumbline-campaign/1\"\n[ceilings]\n[counting]\nrepetitions = 1\n", "c.toml");
  EXPECT_LT(estimate(on_gpu, once).count_seconds, there.count_seconds);
  const auto uncounted = parse_campaign("schema = \"plumbline-campaign/1\"\ncounters = \"none\"\n[ceilings]\n", "c.toml");
  EXPECT_EQ(estimate(on_gpu, uncounted).count_seconds, 0);
}

// The product of 2 n^3 FLOPs is done by tensor cores: the host has no such thing to go through, and the vector units' rate is not theirs.
TEST_F(Memory, products_of_tensor_cores_are_estimated_by_their_rate_and_cost_the_host_nothing) {
  const auto campaign = parse_campaign("schema = \"plumbline-campaign/1\"\n[ceilings]\n", "c.toml");
  const auto with_flops = [&](const char* quantity, const char* only) {
    Kernel kernel = kernels_[0];
    kernel.only = only;
    kernel.model = [quantity](const Parameters& p, std::string_view, std::string_view) {
      const auto m = static_cast<std::uint64_t>(p.integer("m"));
      return Work{.flops = {{quantity, 2 * m * m * m}}, .streams = {{.array = "c", .footprint_bytes = m * m * 2, .written = true}}};
    };
    Case on_gpu = square_of(8192);
    on_gpu.kernel = &kernel;
    on_gpu.team = {.gpus = 1};
    return estimate(on_gpu, campaign).time_seconds;
  };
  const double vector = with_flops("flops.fp64.add", ""), library = with_flops("flops.fp64.add", "a library"),
               tensor = with_flops("flops.tensor.fp16", "tensor cores");
  EXPECT_GT(vector, 1000) << "1.1 TFLOP on the host, for the check";
  EXPECT_LT(library, 30);
  EXPECT_LT(tensor, library / 5);
  EXPECT_GT(tensor, 2 * 8192.0 * 8192 * 8192 / 1e15) << "no tensor core makes a PFLOP/s in fp16 with a sweep of its own";
}

void multiplied(const void*, std::size_t, std::size_t) {}
void counted_twin(const void*, std::size_t, std::size_t) {}
void without_twin(const void*, std::size_t, std::size_t) {}
const BlockTable no_blocks{0, nullptr, nullptr};
const Twin twins[] = {{&multiplied, &counted_twin, &no_blocks}};
const RegisterTwins registered_twins{twins};

TEST_F(Memory, the_sweep_of_a_counted_twin_is_in_the_estimate_of_the_first_pass_while_it_is_short) {
  const auto campaign_with = [](const char* passes) {
    return parse_campaign("schema = \"plumbline-campaign/1\"\npasses = " + std::string(passes) + "\n[ceilings]\n", "c.toml");
  };
  const auto more_with_twin = [&](std::int64_t m, const char* passes) {
    Case with = square_of(m), without = square_of(m);
    with.flavor.sweep = &multiplied;
    without.flavor.sweep = &without_twin;
    const auto campaign = campaign_with(passes);
    const CaseEstimate a = estimate(with, campaign), b = estimate(without, campaign);
    return std::pair{a.time_seconds - b.time_seconds, a.count_seconds - b.count_seconds};
  };
  const auto [time, count] = more_with_twin(1000, "[\"time\", \"count\"]");
  EXPECT_GT(time, 5 * 8e6 / 10e9);  // five sweeps of 8 MB, and filling them
  EXPECT_LT(time, 10 * 8e6 / 10e9);
  EXPECT_EQ(count, 0);
  EXPECT_NEAR(more_with_twin(1000, "[\"count\"]").second, time, 1e-9);
  EXPECT_EQ(more_with_twin(70'000, "[\"time\"]").first, 0) << "4.9 x 10^9 references: it is left out";
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
