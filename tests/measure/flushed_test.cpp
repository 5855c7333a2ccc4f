#include "measure/flushed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

namespace plumbline {
namespace {

/// Seconds for a walk through the first eight bytes of every 64-byte line, each load waiting for the one before; the fastest of a few,
/// with `before` called ahead of each.
template <class Before>
double fastest_walk(const std::vector<std::uint64_t>& data, Before before) {
  double fastest = std::numeric_limits<double>::max();
  const std::size_t lines = data.size() / 8;
  for (int attempt = 0; attempt < 5; ++attempt) {
    before();
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < lines; ++i) at = (at * 5 + 12345 + data[at * 8]) % lines;  // a full cycle where data are 0
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    if (at != std::uint64_t(began.time_since_epoch().count())) fastest = std::min(fastest, seconds.count());  // so that `at` is needed
  }
  return fastest;
}

TEST(Flushed, data_are_read_from_memory_again) {
  const std::vector<std::uint64_t> data(std::size_t{1} << 15);  // 256 KiB: 4096 lines, in any L2
  if (!flush_from_caches(std::as_bytes(std::span(data)))) GTEST_SKIP() << "SKIP: this CPU has no instruction that flushes";
  const double cached = fastest_walk(data, [] {});
  const double flushed = fastest_walk(data, [&] { flush_from_caches(std::as_bytes(std::span(data))); });
  EXPECT_GT(flushed, 1.5 * cached) << cached << " s, " << flushed << " s";
}

TEST(Flushed, keeps_what_was_written) {
  std::vector<std::uint64_t> data(1000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = 3 * i;
  if (!flush_from_caches(std::as_bytes(std::span(data)))) GTEST_SKIP() << "SKIP: this CPU has no instruction that flushes";
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], 3 * i);
}

}  // namespace
}  // namespace plumbline
