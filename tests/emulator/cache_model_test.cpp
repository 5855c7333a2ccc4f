// SPDX-License-Identifier: GPL-2.0-or-later
//
// The simulated caches (harness/emulator/caches.c, compiled here as it is) beside a plain model that keeps every set as a list in
// order of use: footprints that repeat, walk, cross lines, write, bypass and vanish, on two threads, must cause the same traffic at
// every boundary to the last byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

#include "valgrind_core.hpp"
extern "C" {
#include "caches.h"
#include "client_requests.h"
}

namespace {

using Counts = std::array<ULong, PLUMBLINE_EVENT_COUNT>;

struct Line {
  ULong number;
  bool dirty;
};

class ListCache {
 public:
  ListCache() = default;
  explicit ListCache(const CacheGeometry& g) : ways_(g.ways), sets_(g.size_bytes / g.line_bytes / g.ways) {}

  /// Moves the line to the front if it is there.
  bool use(ULong line, bool dirty) {
    auto& set = sets_[line % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.number == line; });
    if (found == set.end()) return false;
    const Line moved{line, found->dirty || dirty};
    set.erase(found);
    set.push_front(moved);
    return true;
  }
  bool holds(ULong line) const {
    const auto& set = sets_[line % sets_.size()];
    return std::any_of(set.begin(), set.end(), [&](const Line& l) { return l.number == line; });
  }
  /// Makes room for the line; the victim, if one had to go, is dirty or clean.
  bool evict(ULong line, Line& victim) {
    auto& set = sets_[line % sets_.size()];
    if (set.size() < ways_) return false;
    victim = set.back();
    set.pop_back();
    return true;
  }
  void install(ULong line, bool dirty) { sets_[line % sets_.size()].push_front({line, dirty}); }
  bool drop(ULong line) {
    auto& set = sets_[line % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.number == line; });
    if (found == set.end()) return false;
    const bool dirty = found->dirty;
    set.erase(found);
    return dirty;
  }
  std::vector<ULong> clean() {
    std::vector<ULong> written;
    for (auto& set : sets_)
      for (auto line = set.rbegin(); line != set.rend(); ++line)
        if (std::exchange(line->dirty, false)) written.push_back(line->number);
    return written;
  }
  void empty() {
    for (auto& set : sets_) set.clear();
  }

 private:
  std::size_t ways_ = 0;
  std::vector<std::deque<Line>> sets_;
};

enum Flow { demand_read, rfo, write_back, nt_store };
constexpr int event[3][4] = {
    {PLUMBLINE_EVENT_l1_l2_demand_read, PLUMBLINE_EVENT_l1_l2_rfo, PLUMBLINE_EVENT_l1_l2_write_back, PLUMBLINE_EVENT_l1_l2_nt_store},
    {PLUMBLINE_EVENT_l2_l3_demand_read, PLUMBLINE_EVENT_l2_l3_rfo, PLUMBLINE_EVENT_l2_l3_write_back, PLUMBLINE_EVENT_l2_l3_nt_store},
    {PLUMBLINE_EVENT_l3_mem_demand_read, PLUMBLINE_EVENT_l3_mem_rfo, PLUMBLINE_EVENT_l3_mem_write_back, PLUMBLINE_EVENT_l3_mem_nt_store}};

/// The plain model: two threads' L1 and L2 over one L3.
class ListModel {
 public:
  explicit ListModel(const CacheGeometry (&g)[3]) : line_bytes_(g[0].line_bytes), l3_(g[2]) {
    for (auto& p : private_) p = {ListCache(g[0]), ListCache(g[1])};
  }

  void access(int thread, ULong address, ULong bytes, unsigned flags) {
    for (ULong line = address / line_bytes_; line <= (address + bytes - 1) / line_bytes_; ++line)
      if (flags & kSiteNonTemporal)
        bypass(thread, line);
      else
        reference(thread, 0, line, flags & kSiteWrite ? rfo : demand_read, flags & kSiteWrite);
    for (int b = 0; flags & kSiteNonTemporal && b < 3; ++b) counts[thread][event[b][nt_store]] += bytes;
  }
  void empty() {
    for (auto& p : private_) p[0].empty(), p[1].empty();
    l3_.empty();
  }
  void flush(int caller) {
    for (int thread = 0; thread < 2; ++thread)
      for (int level = 0; level < 2; ++level)
        for (const ULong line : cache(thread, level).clean()) {
          count(thread, level, write_back);
          reference(thread, level + 1, line, write_back, true);
        }
    for ([[maybe_unused]] const ULong line : l3_.clean()) count(caller, 2, write_back);
  }

  std::array<Counts, 2> counts{};

 private:
  ListCache& cache(int thread, int level) { return level == 2 ? l3_ : private_[thread][level]; }
  void count(int thread, int boundary, Flow flow) { counts[thread][event[boundary][flow]] += line_bytes_; }
  void reference(int thread, int level, ULong line, Flow cause, bool dirty) {
    ListCache& c = cache(thread, level);
    if (c.use(line, dirty)) return;
    Line victim{};
    if (c.evict(line, victim) && victim.dirty) {
      count(thread, level, write_back);
      if (level < 2) reference(thread, level + 1, victim.number, write_back, true);
    }
    if (cause != write_back) {
      count(thread, level, cause);
      if (level < 2) reference(thread, level + 1, line, cause, false);
    }
    c.install(line, dirty);
  }
  void bypass(int thread, ULong line) {
    bool dirty = false;
    for (int level = 0; level < 3; ++level) {
      dirty |= cache(thread, level).drop(line);
      if (dirty) count(thread, level, write_back);
    }
  }

  ULong line_bytes_;
  ListCache l3_;
  std::array<std::array<ListCache, 2>, 2> private_;
};

/// The addresses at which memory is mapped: a walker's sites lie at the same offsets from several bases.
using Bases = std::vector<ULong>;

/// A footprint with a life of its own: each site stays, walks or jumps from execution to execution.
struct Walker {
  std::vector<Site> sites;
  std::vector<ULong> base, address, stride;
  std::vector<char> memory;
  Footprint footprint{};

  Walker(std::mt19937& random, ULong span, const Bases& bases) {
    const auto below = [&](ULong n) { return random() % n; };
    const std::size_t n = 1 + below(7);
    for (std::size_t k = 0; k < n; ++k) {
      const UShort bytes = static_cast<UShort>(below(20) ? 1u << below(7) : 200);  // now and then one that spans several lines
      unsigned flags = below(3) == 0 ? kSiteWrite : 0;
      if (flags && below(6) == 0) flags |= kSiteNonTemporal;
      if (below(8) == 0) flags |= kSiteGuarded;
      sites.push_back({bytes, static_cast<UChar>(flags)});
      base.push_back(bases.size() == 1 ? bases[0] : bases[below(bases.size())]);
      address.push_back(0x10000 + below(span));
      stride.push_back(below(2) ? 0 : below(3) ? 8 * below(9) : below(span));
    }
    memory.resize(footprint_bytes(static_cast<UInt>(n)) + 16);
    footprint_make(&footprint, memory.data(), sites.data(), static_cast<UInt>(n));
  }
  std::vector<ULong> step(std::mt19937& random, ULong span) {
    std::vector<ULong> now = address;
    for (std::size_t k = 0; k < now.size(); ++k) {
      now[k] += base[k];
      if (sites[k].flags & kSiteGuarded && random() % 3 == 0) now[k] = 0;
      address[k] = 0x10000 + (address[k] - 0x10000 + stride[k]) % span;
    }
    return now;
  }
};

void compare(const CacheGeometry (&geometry)[3], ULong span, unsigned seed, const Bases& bases = {0}) {
  SCOPED_TRACE("span " + std::to_string(span) + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  ListModel model(geometry);
  caches_configure(geometry, 0);
  std::array<PrivateCaches*, 2> caches{caches_new_private(), caches_new_private()};
  std::array<Counts, 2> counts{};
  std::deque<Walker> walkers;
  for (int k = 0; k < 12; ++k) walkers.emplace_back(random, span, bases);
  int thread = 0;
  for (int round = 0; round < 400; ++round) {
    if (random() % 10 == 0) {  // as segments.c changes threads
      caches_settle(caches[thread]);
      caches_epoch++;
      thread = 1 - thread;
    }
    if (random() % 150 == 0) caches_empty_private(caches[0]), caches_empty_private(caches[1]), caches_empty_shared(), model.empty();
    if (random() % 60 == 0) {
      caches_settle(caches[thread]);
      for (int t = 0; t < 2; ++t) caches_write_back_private(caches[t], counts[t].data());
      caches_write_back_shared(counts[thread].data());
      model.flush(thread);
    }
    caches_begin_replay(caches[thread]);
    const std::size_t first = random() % walkers.size(), n = 1 + random() % 3;  // a loop of one to three segments
    for (int repetition = static_cast<int>(random() % 40); repetition >= 0; --repetition)
      for (std::size_t k = 0; k < n; ++k) {
        Walker& w = walkers[(first + k) % walkers.size()];
        const auto addresses = w.step(random, span);
        caches_replay(caches[thread], Ledger{counts[thread].data(), nullptr}, &w.footprint, addresses.data());
        for (std::size_t s = 0; s < addresses.size(); ++s)
          if (!(w.sites[s].flags & kSiteGuarded) || addresses[s] != 0)
            model.access(thread, addresses[s], w.sites[s].bytes, w.sites[s].flags);
      }
    for (int t = 0; t < 2; ++t)
      for (int e = 0; e < PLUMBLINE_EVENT_COUNT; ++e)
        ASSERT_EQ(counts[t][e], model.counts[t][e]) << "event " << e << ", thread " << t << ", round " << round;
  }
  ULong traffic = 0;
  for (const auto& row : event) traffic += counts[0][row[demand_read]] + counts[1][row[demand_read]];
  EXPECT_GT(traffic, 0u);
}

constexpr CacheGeometry geometries[][3] = {{{2048, 8, 64}, {8192, 8, 64}, {65536, 16, 64}},                       // powers of two
                                           {{16384, 4, 64}, {1 << 21, 16, 64}, {16 << 20, 64, 64}},               // AMD Interlagos
                                           {{3 * 5 * 64, 3, 64}, {7 * 12 * 64, 12, 64}, {11 * 20 * 64, 20, 64}},  // nothing a power of two
                                           {{4 * 32, 1, 32}, {16 * 32, 2, 32}, {64 * 32, 64, 32}},  // direct mapped over fully associative
                                           {{48 << 10, 12, 64}, {2 << 20, 16, 64}, {1536 << 10, 12, 64}}};  // an L3 smaller than the L2

TEST(CacheModel, equals_lists_in_order_of_use_on_many_geometries) {
  unsigned seed = 1;
  for (const auto& geometry : geometries)
    for (const ULong span : {1000ULL, 6000ULL, 50000ULL, 1000000ULL})
      for (int repetition = 0; repetition < 3; ++repetition) compare(geometry, span, seed++);
}

/// Bases whose lines fall into the same sets of a level with tags that agree in their lower 32 bits, in `bits` bits of address; and the
/// highest page.
Bases bases_that_alias(const CacheGeometry (&geometry)[3], int bits) {
  Bases bases{0};
  for (const auto& g : geometry)
    for (const ULong multiple : {1, 2, 7})
      if (const ULong base = multiple * (g.size_bytes / g.ways << 32); base < 1ULL << bits) bases.push_back(base);
  bases.push_back((1ULL << bits) - (1 << 21));
  return bases;
}

TEST(CacheModel, tells_lines_apart_that_differ_only_in_the_upper_bits_of_their_addresses) {
  unsigned seed = 1000;
  for (const auto& geometry : geometries)
    for (const int bits : {47, 57})  // what Linux gives user space with four levels of page tables and, if asked, with five
      for (const ULong span : {1000ULL, 50000ULL}) compare(geometry, span, seed++, bases_that_alias(geometry, bits));
}

}  // namespace
