// The elements of an array that its check compares.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/kernel_data.hpp"

namespace plumbline {
namespace {

std::vector<std::size_t> compared(std::size_t n, std::size_t terms) {
  Array<char> array(n, *std::pmr::get_default_resource());
  std::vector<std::size_t> places;
  read_sample(array, terms, [&](std::size_t i, char) { places.push_back(i); });
  return places;
}

TEST(ReadSample, all_elements_are_compared_where_that_takes_no_seconds) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
    const auto places = compared(n, 31);
    ASSERT_EQ(places.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(places[i], i);
  }
}

TEST(ReadSample, of_more_both_ends_and_every_lane_between_them) {
  constexpr std::size_t edge = 4096, lanes = 256;
  for (const std::size_t n : {(std::size_t{1} << 22) + 5, std::size_t{5'000'001}}) {
    const auto places = compared(n, 64);
    ASSERT_LT(places.size(), (std::size_t{1} << 24) / 64 + 3 * edge) << n;
    std::array<std::size_t, lanes> between{};
    for (std::size_t place = 1; place < places.size(); ++place) {
      ASSERT_LT(places[place - 1], places[place]);
      ++between[places[place] % lanes];
    }
    for (std::size_t i = 0; i < edge; ++i) {
      ASSERT_EQ(places[i], i);
      ASSERT_EQ(places[places.size() - 1 - i], n - 1 - i);
    }
    for (const auto times : between) EXPECT_GT(times, 500U) << n;
  }
}

}  // namespace
}  // namespace plumbline
