#include "measure/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace plumbline {
namespace {

// Free in an ordinary process and beside AddressSanitizer's shadow, which lies where the worker's arena would.
constexpr std::uintptr_t free_address = 0x5000'0000'0000;

TEST(arena, gives_aligned_disjoint_memory) {
  Arena arena(1 << 20);
  auto* a = static_cast<std::byte*>(arena.allocate(1000, 64));
  auto* b = static_cast<std::byte*>(arena.allocate(1000, 64));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 64, 0U);
  EXPECT_GE(b, a + 1000);
  std::memset(a, 1, 1000);
  std::memset(b, 2, 1000);
  EXPECT_EQ(a[999], std::byte{1});
}

TEST(arena, refuses_what_it_does_not_hold) {
  Arena arena(1 << 20);
  EXPECT_THROW(static_cast<void>(arena.allocate(std::size_t{64} << 20, 64)), std::bad_alloc);
}

TEST(arena, gives_the_same_addresses_every_time_when_fixed) {
  const auto first = [] {
    Arena arena(1 << 20, free_address);
    return arena.allocate(100, 64);
  };
  EXPECT_EQ(first(), first());
}

TEST(arena, refuses_a_fixed_address_that_is_taken) {
  Arena arena(1 << 20, free_address);
  EXPECT_THROW(Arena(1 << 20, free_address), std::bad_alloc);
}

TEST(arena, refuses_more_than_the_address_space) { EXPECT_THROW(Arena(std::size_t{1} << 60), std::bad_alloc); }

}  // namespace
}  // namespace plumbline
