// SPDX-License-Identifier: GPL-2.0-or-later
//
// One simulated cache (harness/emulator/cache.h, compiled here as it is): what its tags know of the lines of a 57-bit address space.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "valgrind_core.hpp"
extern "C" {
#include "cache.h"
}

namespace {

constexpr int kAddressBits = 57, kLineShift = 6;

class CacheTags : public ::testing::TestWithParam<CacheGeometry> {
 protected:
  CacheTags() { cache_make(&cache_, &GetParam()); }
  ~CacheTags() override { cache_free(&cache_); }

  UInt find(ULong line) const {
    ULong tag;
    const UInt first = locate(&cache_, line, &tag);
    return cache_find(&cache_, first, tag);
  }
  /// Brings a line in, in place of the oldest one of its set.
  UInt install(ULong line, UInt dirty = 0) {
    ULong tag;
    const UInt first = locate(&cache_, line, &tag), slot = cache_oldest(&cache_, first);
    cache_install(&cache_, slot, tag, dirty);
    return slot;
  }
  /// The line that the cache says is in a slot, seen from the first line of its set.
  ULong line_at(UInt slot) const { return line_in(&cache_, slot, slot / (2 * cache_.stride), 1); }

  Cache cache_{};
};

TEST_P(CacheTags, each_bit_of_an_address_makes_another_line_and_comes_back_from_its_slot) {
  const ULong home = 0x12345;
  for (int bit = 0; bit < kAddressBits - kLineShift; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit + kLineShift));
    cache_empty(&cache_);
    const ULong other = home ^ 1ULL << bit;
    const UInt first = install(home);
    ASSERT_EQ(find(other), kNoSlot);
    const UInt second = install(other);
    EXPECT_EQ(find(other), second);
    EXPECT_EQ(line_at(second), other);
    EXPECT_EQ(find(home), first == second ? kNoSlot : first);
  }
}

TEST_P(CacheTags, a_set_holds_lines_that_agree_in_all_but_the_upper_half_of_the_tag) {
  const ULong apart = cache_.sets << 32, last = 1ULL << (kAddressBits - kLineShift);
  std::vector<ULong> lines;
  for (ULong line = 5; lines.size() < cache_.ways && line < last; line += apart) lines.push_back(line);
  ASSERT_GT(lines.size(), cache_.ways == 1 ? 0u : 1u);
  for (const ULong line : lines) install(line, 1);
  for (const ULong line : lines) {
    ASSERT_NE(find(line), kNoSlot) << line;
    ASSERT_EQ(line_at(find(line)), line);
  }
  ASSERT_TRUE(cache_drop(&cache_, lines.back()));
  for (const ULong line : lines) EXPECT_EQ(find(line) == kNoSlot, line == lines.back()) << line;
}

TEST_P(CacheTags, an_empty_cell_is_no_line_whatever_the_upper_half_says) {
  const ULong wide = (cache_.sets << 33) - cache_.sets;  // its tag is 2 << 32: a lower half of 0
  ASSERT_EQ(find(wide), kNoSlot);
  install(wide);
  ASSERT_NE(find(wide), kNoSlot);
  cache_drop(&cache_, wide);
  EXPECT_EQ(find(wide), kNoSlot);
  const ULong padding = (cache_.sets << 32) - 2 * cache_.sets;  // its tag is 0xFFFFFFFF, that of the cells behind the ways
  EXPECT_EQ(find(padding), kNoSlot);
  EXPECT_EQ(line_at(install(padding)), padding);
}

TEST_P(CacheTags, an_emptied_cache_knows_nothing_and_searches_lower_halves_alone_again) {
  const ULong wide = 5 + (cache_.sets << 32);
  install(wide);
  ASSERT_NE(cache_.upper, nullptr);
  cache_empty(&cache_);
  EXPECT_EQ(cache_.upper, nullptr);
  EXPECT_EQ(find(wide), kNoSlot);
  install(5);
  EXPECT_EQ(cache_.upper, nullptr);
  EXPECT_EQ(find(wide), kNoSlot);
  EXPECT_NE(find(5), kNoSlot);
}

TEST_P(CacheTags, an_emptied_cache_has_no_line_in_any_of_its_sets) {
  std::vector<ULong> lines;
  for (ULong line = 0; line < cache_.sets; line += 1 + line / 7) lines.push_back(line);
  lines.push_back(cache_.sets - 1);
  for (const ULong line : lines) install(line, 1);
  ULong filled = 0;  // sets, of which some are looked at that hold none
  for (ULong set = cache_next_filled(&cache_, 0); set < cache_.sets; set = cache_next_filled(&cache_, set + 1)) ++filled;
  EXPECT_GE(filled, lines.size() - 1);
  for (const ULong line : lines) ASSERT_NE(find(line), kNoSlot) << line;
  cache_empty(&cache_);
  EXPECT_EQ(cache_next_filled(&cache_, 0), cache_.sets);
  for (const ULong line : lines) EXPECT_EQ(find(line), kNoSlot) << line;
}

INSTANTIATE_TEST_SUITE_P(Geometries, CacheTags,
                         ::testing::Values(CacheGeometry{32768, 8, 64}, CacheGeometry{49152, 12, 64}, CacheGeometry{11 * 20 * 64, 20, 64},
                                           CacheGeometry{64 * 64, 64, 64}, CacheGeometry{4 * 64, 1, 64}, CacheGeometry{7340032, 14, 64},
                                           CacheGeometry{20971520, 20, 64}));

}  // namespace
