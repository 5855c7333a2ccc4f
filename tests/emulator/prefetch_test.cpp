// SPDX-License-Identifier: BSD-3-Clause
//
// The optional prefetchers, one at a time: which lines of a cold sweep are fetched ahead, and across which boundary. The program is
// told which prefetcher the tool's command line names.
#include <cstdlib>
#include <cstring>

#include "measured.hpp"

namespace {

using measured::Counts;

const char* prefetcher = "";
constexpr std::int64_t page = 4096, line = 64, pages = 64, lines = pages * page / line;
constexpr double slack = 16 * 64;  // the stack of the measuring itself

char* arena() {
  static char* const data = static_cast<char*>(std::aligned_alloc(page, pages * page));
  std::memset(data, 1, pages * page);
  return data;
}

__attribute__((noinline)) void walk(const char* at, std::int64_t n, std::int64_t stride) {
  for (std::int64_t k = 0; k < n; ++k, at += stride) __asm__ volatile("movq (%0), %%rax" : : "r"(at) : "rax", "memory");
}

Counts cold_walk(std::int64_t begin, std::int64_t n, std::int64_t stride) {
  const char* at = arena() + begin;
  plumbline_empty_caches();
  return measured::counts_of([&] { walk(at, n, stride); });
}

struct Expected {
  double demand_l2, ahead_l2, demand_l3, ahead_l3;  // in lines, across L1-L2 and L2-L3
};

void expect(const Counts& c, const Expected& e) {
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l1_l2_demand_read]), e.demand_l2 * line, slack);
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l1_l2_prefetch]), e.ahead_l2 * line, slack);
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l2_l3_demand_read]), e.demand_l3 * line, slack);
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l2_l3_prefetch]), e.ahead_l3 * line, slack);
  // Nothing is fetched twice, and the L3 sees what the L2 asks for.
  EXPECT_EQ(c[PLUMBLINE_EVENT_l3_mem_demand_read], c[PLUMBLINE_EVENT_l2_l3_demand_read]);
  EXPECT_EQ(c[PLUMBLINE_EVENT_l3_mem_prefetch], c[PLUMBLINE_EVENT_l2_l3_prefetch]);
}

bool is(const char* name) { return std::strcmp(prefetcher, name) == 0; }

TEST(Prefetch, fetches_ahead_of_a_sweep) {
  const Counts c = cold_walk(0, lines, line);
  // The stream prefetcher needs three misses in a page to see a direction kept: the rest of the page comes ahead.
  if (is("none")) expect(c, {lines, 0, lines, 0});
  if (is("l1-next")) expect(c, {lines / 2., lines / 2., lines / 2., lines / 2.});
  if (is("l2-adjacent")) expect(c, {lines, 0, lines / 2., lines / 2.});
  if (is("l2-stream")) expect(c, {lines, 0, 3. * pages, lines - 3. * pages});
}

TEST(Prefetch, only_streams_are_followed_downwards) {
  const Counts c = cold_walk(pages * page - line, lines, -line);
  if (is("l1-next")) expect(c, {lines, 0, lines, 0});  // the next line is always there already, the page's last one has none
  if (is("l2-stream")) expect(c, {lines, 0, 3. * pages, lines - 3. * pages});
}

TEST(Prefetch, stays_within_the_page_and_off_single_lines) {
  const Counts c = cold_walk(page - line, pages - 1, page);  // the last line of each page
  if (is("none") || is("l1-next") || is("l2-stream")) expect(c, {pages - 1., 0, pages - 1., 0});
  if (is("l2-adjacent")) expect(c, {pages - 1., 0, pages - 1., pages - 1.});
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  prefetcher = argv[1];
  return RUN_ALL_TESTS();
}
