// Every expected number here is worked out by hand beside its test. The GPU: 50 MiB of L2 in two halves, sectors of 32 bytes, slack 48 of
// them.
#include "gpu/gpu_caches.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/byte_units.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t slack = 48 * 32;

GpuProperties h100() {
  GpuProperties gpu;
  gpu.major = 9;
  gpu.l2_bytes = 50 * MiB;
  return gpu;
}

Amount at(const Work& work, const std::string& quantity) {
  const Counts counts = expected_counts(work, cache_levels(h100()), 1);
  const auto found = counts.find(quantity);
  if (found == counts.end()) throw std::runtime_error("no quantity " + quantity);
  return found->second;
}

Amount about(std::uint64_t lo, std::uint64_t hi) { return {lo - std::min(lo, slack), hi + slack}; }
Amount about(std::uint64_t exact) { return about(exact, exact); }

Work triad(std::uint64_t n) {
  return {.flops = {{"flops.fp64.fma", n}},
          .streams = {{.array = "a", .footprint_bytes = n * 8, .written = true, .stores = n, .element_bytes = 8},
                      {.array = "b", .footprint_bytes = n * 8, .read = true, .loads = n, .element_bytes = 8},
                      {.array = "c", .footprint_bytes = n * 8, .read = true, .loads = n, .element_bytes = 8}}};
}

TEST(gpu_caches, are_an_L1_for_each_multiprocessor_and_an_L2_for_all) {
  const auto caches = cache_levels(h100());
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[0].name, "L1");
  EXPECT_EQ(caches[0].bytes, 256U << 10);
  EXPECT_FALSE(caches[0].shared);
  EXPECT_TRUE(caches[0].policy.writes_through);
  EXPECT_EQ(caches[1].name, "L2");
  EXPECT_EQ(caches[1].bytes, 50 * MiB);
  EXPECT_TRUE(caches[1].shared);
  EXPECT_EQ(caches[1].policy.copies, 2U);
  GpuProperties t4;
  t4.major = 7, t4.minor = 5, t4.l2_bytes = 4 * MiB;
  EXPECT_EQ(cache_levels(t4)[0].bytes, 96U << 10);
  EXPECT_EQ(cache_levels(t4)[1].policy.copies, 1U);
}

TEST(gpu_flows, of_a_triad_far_larger_than_L2_are_its_bytes_at_both_boundaries_and_nothing_is_fetched_to_be_written) {
  const std::uint64_t n = 128 * MiB, array = n * 8;  // 1 GiB
  EXPECT_EQ(at(triad(n), "bytes.reg-L1.load"), Amount(2 * array));
  EXPECT_EQ(at(triad(n), "bytes.reg-L1.store"), Amount(array));
  EXPECT_EQ(at(triad(n), "bytes.L1-L2.demand_read"), about(2 * array));
  EXPECT_EQ(at(triad(n), "bytes.L1-L2.write_back"), about(array));
  // Anything of what the last sweep left, L2 at most, may still be there: NVIDIA promises no order of replacement.
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.demand_read"), Amount(2 * array - slack - 50 * MiB, 2 * array + slack));
  // The lines that are dirty at the end of one sweep, L2 at most, are written in the next one.
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.write_back"), Amount(array - slack - 50 * MiB, array + slack + 50 * MiB));
  for (const char* boundary : {"L1-L2", "L2-mem"})
    for (const char* flow : {"rfo", "nt_store"}) EXPECT_EQ(at(triad(n), std::string("bytes.") + boundary + "." + flow), Amount(0));
  EXPECT_EQ(at(triad(n), "bytes.reg-shared"), Amount(0));
}

TEST(gpu_flows, of_a_triad_inside_L2_stay_there_but_pass_L1_in_each_sweep) {
  const std::uint64_t n = 128 << 10, array = n * 8;  // three times 1 MiB; twice the copies, twice the bytes: 12 of 50
  EXPECT_EQ(at(triad(n), "bytes.L1-L2.demand_read"), about(2 * array)) << "a launch empties L1, so that the smallest data passes it anew";
  EXPECT_EQ(at(triad(n), "bytes.L1-L2.write_back"), about(array));
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.demand_read"), about(0));
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.write_back"), about(0));
}

TEST(gpu_flows, of_a_triad_about_as_large_as_L2_may_be_anything_between) {
  const std::uint64_t n = 2 * MiB, array = n * 8;  // 48 MiB of 50
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.demand_read"), about(0, 2 * array));
  EXPECT_EQ(at(triad(n), "bytes.L2-mem.write_back"), Amount(0, array + slack + 50 * MiB));
}

TEST(gpu_flows, of_a_sum_that_ends_within_a_sector_are_whole_sectors) {
  const std::uint64_t n = 128 * MiB + 1;
  EXPECT_EQ(at(triad(n), "bytes.L1-L2.demand_read"), about(2 * (128 * MiB * 8 + 32)));
}

/// The test reads and writes 1 MiB again and again, past L1.
TEST(gpu_flows, past_L1_are_all_its_references_and_inside_L2_end_there) {
  const std::uint64_t n = 128 << 10, rounds = 10;
  const std::vector<Stream::Layer> again{{.reuse_bytes = 2 * n * 8, .fetched_bytes = rounds * n * 8}};
  const Work stream{.streams = {{.array = "in",
                                 .footprint_bytes = n * 8,
                                 .read = true,
                                 .loads = rounds * n,
                                 .element_bytes = 8,
                                 .layers = again,
                                 .past_L1 = true},
                                {.array = "out",
                                 .footprint_bytes = n * 8,
                                 .written = true,
                                 .stores = rounds * n,
                                 .element_bytes = 8,
                                 .layers = again,
                                 .past_L1 = true}}};
  EXPECT_EQ(at(stream, "bytes.L1-L2.demand_read"), about(10 * MiB));
  EXPECT_EQ(at(stream, "bytes.L1-L2.write_back"), about(10 * MiB));
  EXPECT_EQ(at(stream, "bytes.L2-mem.demand_read"), about(0));
  EXPECT_EQ(at(stream, "bytes.L2-mem.write_back"), about(0));
}

/// 4096 x 4096 points of 8 bytes, of which three neighbouring rows are read to write one: 128 MiB, rows of 32 KiB.
TEST(gpu_flows, of_a_stencil_are_once_its_array_at_memory_and_up_to_once_a_row_it_is_read_for_at_L2) {
  const std::uint64_t row = 4096 * 8, array = 4096 * row, edges = 4 * 4096 * 32;
  const Work stencil{
      .streams = {
          {.array = "in",
           .footprint_bytes = array,
           .read = true,
           .loads = 4 * 4096 * 4096,
           .element_bytes = 8,
           .layers = {{.reuse_bytes = 4 * row, .fetched_bytes = 3 * array}},
           .straddles = 1000},
          {.array = "out", .footprint_bytes = array, .written = true, .stores = 4096 * 4096, .element_bytes = 8, .straddles = 2000}}};
  // refetched(): four sectors for each time that four rows pass; 3 array / 4 row = 3072 times
  EXPECT_EQ(at(stencil, "bytes.L1-L2.demand_read"), about(array, 3 * array + edges * 3 / 4 + 1000 * 32));
  EXPECT_EQ(at(stencil, "bytes.L1-L2.write_back"), about(array, array + 2000 * 32));
  EXPECT_EQ(at(stencil, "bytes.L2-mem.demand_read"), Amount(array - slack - 50 * MiB, array + 2000 * 32 + slack))
      << "50 MiB may have been kept, sectors written in part may be fetched first";
  EXPECT_EQ(at(stencil, "bytes.L2-mem.rfo"), Amount(0));
}

/// 128 MiB are read three times in one sweep, each time from one end to the other.
TEST(gpu_flows, of_an_array_read_again_and_again_may_find_an_L2_full_of_it_each_time) {
  const std::uint64_t array = 128 * MiB, edges = 4 * 3 * 32;
  const Work work{.streams = {{.array = "in",
                               .footprint_bytes = array,
                               .read = true,
                               .loads = 3 * array / 8,
                               .element_bytes = 8,
                               .layers = {{.reuse_bytes = array, .fetched_bytes = 3 * array}}}}};
  EXPECT_EQ(at(work, "bytes.L2-mem.demand_read"), Amount(3 * array - edges - 4 * 50 * MiB - slack, 3 * array + edges + slack))
      << "once each time, and once from the sweep before";
}

TEST(gpu_flows, through_shared_memory_cross_its_own_boundary_alone) {
  const Work work{.streams = {{.array = "tile", .loads = 1000, .stores = 300, .element_bytes = 8, .scratchpad = true}}};
  EXPECT_EQ(at(work, "bytes.reg-shared.load"), Amount(8000));
  EXPECT_EQ(at(work, "bytes.reg-shared.store"), Amount(2400));
  EXPECT_EQ(at(work, "bytes.reg-shared"), Amount(10400));
  EXPECT_EQ(at(work, "bytes.reg-L1"), Amount(0));
  EXPECT_EQ(at(work, "bytes.L1-L2.demand_read"), about(0));
  EXPECT_EQ(expected_counts(work, {}, 1).count("bytes.reg-shared"), 0U) << "no CPU has it";
}

/// A copy of n elements by loads and stores, or by the runtime, from one memory into this one.
Work copy_from(Stream::Memory memory, std::uint64_t n, bool copied = false) {
  return {
      .streams = {
          {.array = "here", .footprint_bytes = n * 8, .written = true, .stores = n, .element_bytes = 8, .copied = copied},
          {.array = "there", .footprint_bytes = n * 8, .read = true, .loads = n, .element_bytes = 8, .memory = memory, .copied = copied}}};
}

TEST(gpu_flows, from_the_hosts_memory_cross_its_link_and_not_that_of_memory) {
  const std::uint64_t n = 128 * MiB, array = n * 8;  // 1 GiB
  const Work work = copy_from(Stream::Memory::host, n);
  EXPECT_EQ(at(work, "bytes.host-dev.demand_read"), about(array));
  EXPECT_EQ(at(work, "bytes.host-dev.write_back"), about(0));
  EXPECT_EQ(at(work, "bytes.host-dev"), Amount(array - slack, array + 2 * slack));
  EXPECT_EQ(at(work, "bytes.reg-L1.load"), Amount(array));
  EXPECT_EQ(at(work, "bytes.L1-L2.demand_read"), about(0, array)) << "through L2, or through a cache beside it";
  EXPECT_EQ(at(work, "bytes.L1-L2.write_back"), about(array));
  EXPECT_EQ(at(work, "bytes.L2-mem.demand_read"), about(0));
  EXPECT_EQ(at(work, "bytes.L2-mem.write_back"), Amount(array - slack - 50 * MiB, array + slack + 50 * MiB));
  Work back = work;
  back.streams[0].memory = Stream::Memory::host, back.streams[1].memory = Stream::Memory::own;
  EXPECT_EQ(at(back, "bytes.host-dev.demand_read"), about(0));
  EXPECT_EQ(at(back, "bytes.host-dev.write_back"), about(array));
}

TEST(gpu_flows, from_the_hosts_memory_are_once_at_least_and_as_often_as_it_is_loaded_at_most) {
  Work work = copy_from(Stream::Memory::host, 1 << 20);
  work.streams[1].loads *= 3;
  EXPECT_EQ(at(work, "bytes.host-dev.demand_read"), about(8 * MiB, 24 * MiB));
}

TEST(gpu_flows, from_a_peers_memory_cross_neither_the_link_to_the_host_nor_that_of_memory) {
  const std::uint64_t n = 128 * MiB, array = n * 8;
  const Work work = copy_from(Stream::Memory::peer, n);
  EXPECT_EQ(at(work, "bytes.host-dev"), Amount(0, 2 * slack));
  EXPECT_EQ(at(work, "bytes.L2-mem.demand_read"), about(0));
  EXPECT_EQ(at(work, "bytes.reg-L1.load"), Amount(array));
}

/// The runtime chooses the engine that copies; over the link everything goes once.
TEST(gpu_flows, of_a_copy_by_the_runtime_may_pass_by_the_multiprocessors_but_not_by_the_link) {
  const std::uint64_t n = 128 * MiB, array = n * 8;
  const Work work = copy_from(Stream::Memory::host, n, true);
  EXPECT_EQ(at(work, "bytes.host-dev.demand_read"), about(array));
  EXPECT_EQ(at(work, "bytes.reg-L1.load"), Amount(0, array));
  EXPECT_EQ(at(work, "bytes.reg-L1.store"), Amount(0, array));
  EXPECT_EQ(at(work, "bytes.L1-L2.write_back"), about(0, array));
  const Work small = copy_from(Stream::Memory::host, 1 << 10, true);
  EXPECT_EQ(at(small, "bytes.L2-mem.write_back"), about(0, 8 << 10)) << "an engine may leave it in L2 or not";
}

TEST(gpu_flows, of_what_lies_in_the_gpus_memory_leave_the_link_to_the_host_alone) {
  EXPECT_EQ(at(triad(1 << 20), "bytes.host-dev"), Amount(0, 2 * slack));
  EXPECT_EQ(expected_counts(triad(1 << 20), {}, 1).count("bytes.host-dev"), 0U) << "no CPU has it";
}

TEST(gpu_flows, tensor_operations_have_no_sum_over_their_types) {
  const Counts counts = expected_counts({.flops = {{"flops.tensor.fp16", 4096}}}, cache_levels(h100()), 1);
  EXPECT_EQ(counts.at("flops.tensor.fp16"), Amount(4096));
  EXPECT_EQ(counts.count("flops.tensor"), 0U);
  EXPECT_EQ(counts.at("flops.fp64"), Amount(0));
}

}  // namespace
}  // namespace plumbline
