// SPDX-License-Identifier: GPL-2.0-or-later
//
// Distances of reuse (harness/emulator/reuse.c below the filter of caches.c, compiled here as they are) beside fully associative caches of
// many sizes that are simulated one by one as lists in order of use: at the edges of buckets every fetch and every write-back must agree.
#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

#include "valgrind_core.hpp"
extern "C" {
#include "caches.h"
#include "client_requests.h"
}

namespace {

constexpr UInt line_bytes = 64;

/// A fully associative cache with least-recently-used replacement, and what crossed the boundary below it, lines.
class Simulated {
 public:
  explicit Simulated(std::size_t lines) : lines_(lines) {}

  void use(ULong line, bool write) {
    const auto found = where_.find(line);
    if (found != where_.end()) {
      found->second->written |= write;
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    (write ? writes : reads)++;
    if (order_.size() == lines_) {
      written_back += order_.back().written;
      where_.erase(order_.back().line);
      order_.pop_back();
    }
    order_.push_front({line, write});
    where_[line] = order_.begin();
  }
  void bypass(ULong line) {
    const auto found = where_.find(line);
    if (found == where_.end()) return;
    written_back += found->second->written;
    order_.erase(found->second);
    where_.erase(found);
  }
  void write_back() {
    for (Held& one : order_) written_back += std::exchange(one.written, false);
  }
  void empty() {
    order_.clear();
    where_.clear();
  }
  std::size_t lines() const { return lines_; }

  ULong reads = 0, writes = 0, written_back = 0;

 private:
  struct Held {
    ULong line;
    bool written;
  };
  std::size_t lines_;
  std::list<Held> order_;
  std::unordered_map<ULong, std::list<Held>::iterator> where_;
};

struct Traffic {
  ULong reads = 0, writes = 0;
  std::int64_t written_back = 0;
};
/// The traffic of a cache of so many lines, the least distance of a bucket.
Traffic traffic_at(const ReuseCounts& counts, std::size_t lines) {
  Traffic all;
  for (UInt b = 0; b <= kReuseBuckets; ++b) {
    const bool misses = b == kReuseNever || reuse_bucket_begins(b) >= lines;
    if (misses) all.reads += counts.read[b], all.writes += counts.write[b];
    if (!misses) all.written_back += static_cast<std::int64_t>(counts.written_from[b]) - static_cast<std::int64_t>(counts.written_to[b]);
  }
  return all;
}

/// A piece of code by its counts; what it fetches is told apart where it has a number.
struct Code {
  std::vector<ULong> counts = std::vector<ULong>(PLUMBLINE_EVENT_COUNT);
  ReuseCode number = 0;
};
std::map<const ULong*, ReuseCode> codes;
ReuseCode code_of(const ULong* counts) { return codes.at(counts); }

/// A memory operand that the program uses again and again, at other addresses.
class Operand {
 public:
  explicit Operand(unsigned flags, ULong* code = nullptr)
      : site_{8, static_cast<UChar>(flags)}, memory_(footprint_bytes(1) + 16), code_(code) {
    footprint_make(&footprint_, memory_.data(), &site_, 1);
  }
  void use(PrivateCaches* caches, std::vector<Simulated>& simulated, ULong line) {
    const ULong addresses[2] = {line * line_bytes, 0};  // they are read two at a time
    caches_begin_replay(caches);
    caches_replay(caches, Ledger{counts_.data(), code_}, &footprint_, addresses);
    for (Simulated& one : simulated)
      if (site_.flags & kSiteNonTemporal)
        one.bypass(line);
      else
        one.use(line, site_.flags & kSiteWrite);
  }

 private:
  Site site_;
  std::vector<char> memory_;
  ULong* code_;
  Footprint footprint_{};
  std::vector<ULong> counts_ = std::vector<ULong>(PLUMBLINE_EVENT_COUNT);
};

class Reuse : public testing::Test {
 protected:
  Reuse() {
    caches_configure_reuse(line_bytes, code_of);
    caches_ = caches_new_private();
    for (const std::size_t lines : {64, 96, 128, 512, 704, 1024, 4096, 12288, 65536}) simulated_.emplace_back(lines);
  }
  void read(ULong line) { load_.use(caches_, simulated_, line); }
  void write(ULong line) { store_.use(caches_, simulated_, line); }
  void bypass(ULong line) { non_temporal_.use(caches_, simulated_, line); }

  /// Looks at all lines, so that those that have sunk out of a cache are counted as written back. A line that was taken out leaves a hole
  /// in a cache, so that the next one drives no other out, and none in the order of use: some are a fetch and a write-back of difference.
  void expect_agreement(ULong holes = 0) {
    caches_settle(caches_);
    const ReuseCounts* counts = caches_reuse(caches_);
    for (const Simulated& one : simulated_) {
      SCOPED_TRACE(std::to_string(one.lines()) + " lines");
      const Traffic told = traffic_at(*counts, one.lines());
      const double within = static_cast<double>(holes);
      EXPECT_NEAR(static_cast<double>(told.reads), static_cast<double>(one.reads), within);
      EXPECT_NEAR(static_cast<double>(told.writes), static_cast<double>(one.writes), within);
      EXPECT_NEAR(static_cast<double>(told.written_back), static_cast<double>(one.written_back), within);
    }
  }

  void use(Operand& operand, ULong line) { operand.use(caches_, simulated_, line); }

  PrivateCaches* caches_;
  std::vector<Simulated> simulated_;

 private:
  Operand load_{0}, store_{kSiteWrite}, non_temporal_{kSiteWrite | kSiteNonTemporal};
};

TEST_F(Reuse, buckets_are_side_by_side_and_an_octave_has_32) {
  for (UInt b = 0; b < kReuseBuckets; ++b) {
    const ULong from = reuse_bucket_begins(b), to = reuse_bucket_begins(b + 1);
    ASSERT_LT(from, to);
    ASSERT_LE(32 * (to - from), std::max<ULong>(from, 32));
  }
  EXPECT_EQ(reuse_bucket_begins(0), 0U);
  EXPECT_EQ(reuse_bucket_begins(kReuseBuckets), ULong{1} << kReuseLongestBits);
}

TEST_F(Reuse, of_sweeps_is_the_length_of_the_array) {
  for (int sweep = 0; sweep < 3; ++sweep)
    for (ULong line = 0; line < 1000; ++line) read(line);
  expect_agreement();
  EXPECT_EQ(simulated_[5].reads, 1000U) << "1024 lines hold it";
  EXPECT_EQ(simulated_[4].reads, 3000U) << "704 do not";
}

TEST_F(Reuse, of_random_lines_agrees_with_every_cache) {
  std::mt19937 random(7);
  for (int step = 0; step < 60000; ++step) {
    const ULong line = random() % (1 + random() % (1 + random() % 20000));
    random() % 3 == 0 ? write(line) : read(line);
  }
  expect_agreement();
}

TEST_F(Reuse, survives_that_times_run_out) {
  std::mt19937 random(8);
  for (int step = 0; step < 400000; ++step) {
    const ULong line = step % 2 == 0 ? random() % 90000 : static_cast<ULong>(step / 2) % 50000;
    random() % 4 == 0 ? write(line) : read(line);
  }
  expect_agreement();
}

TEST_F(Reuse, counts_what_goes_past_is_written_back_and_is_emptied) {
  std::mt19937 random(9);
  ULong holes = 0;
  for (int round = 0; round < 6; ++round) {
    for (int step = 0; step < 4000; ++step) {
      const ULong line = random() % 3000;
      const unsigned kind = random() % 16;
      kind == 0 ? bypass(line) : kind < 6 ? write(line) : read(line);
      holes += step % 400 == 0;  // one in 25 of those that were taken out
    }
    expect_agreement(holes);
    caches_settle(caches_);
    std::vector<ULong> none(PLUMBLINE_EVENT_COUNT);
    caches_write_back_private(caches_, none.data());
    for (Simulated& one : simulated_) one.write_back();
    expect_agreement(holes);
    if (round % 2 == 0) continue;
    caches_empty_private(caches_);
    for (Simulated& one : simulated_) one.empty();
  }
}

/// Lines one after the other meet all sets alike; lines 16 apart every 16th, 16 times in a window; and random ones twice as unevenly as the
/// former.
TEST_F(Reuse, tells_how_unevenly_lines_fall_into_sets) {
  const auto crowding_of = [&](auto&& line) {
    constexpr ULong n = 1 << 16;
    const ReuseCounts before = *caches_reuse(caches_);
    for (ULong i = 0; i < n; ++i) read(line(i));
    return static_cast<double>(caches_reuse(caches_)->crowding[0] - before.crowding[0]) / n;
  };
  std::mt19937 random(10);
  EXPECT_DOUBLE_EQ(crowding_of([](ULong i) { return i; }), 1);
  EXPECT_DOUBLE_EQ(crowding_of([](ULong i) { return 16 * i; }), 16);
  EXPECT_NEAR(crowding_of([&](ULong) { return ULong{random()} << 8 | random() % 256; }), 2, 0.1);
}

/// One function reads an array again and again while another writes one, and a third, which is not told apart, reads at random.
TEST_F(Reuse, of_functions_are_what_each_fetched_and_wrote) {
  Code reading, writing;
  for (Code* code : {&reading, &writing}) codes[code->counts.data()] = code->number = reuse_new_code();
  Operand load(0, reading.counts.data()), store(kSiteWrite, writing.counts.data());
  std::mt19937 random(11);
  constexpr ULong read_lines = 1000, written_lines = 300, sweeps = 5;
  for (ULong i = 0; i < sweeps * read_lines; ++i) {
    use(load, i % read_lines);
    use(store, read_lines + i % written_lines);
    if (i % 50 == 0) read(10000 + random() % 100000);
  }
  expect_agreement();
  const ReuseCounts all = *caches_reuse(caches_);
  ReuseCounts of_reading, of_writing;
  reuse_counts_of_code(reading.number, &of_reading);
  reuse_counts_of_code(writing.number, &of_writing);
  for (const std::size_t lines : {128, 704, 4096}) {
    SCOPED_TRACE(std::to_string(lines) + " lines");
    const Traffic total = traffic_at(all, lines), read_by = traffic_at(of_reading, lines), written_by = traffic_at(of_writing, lines);
    EXPECT_EQ(read_by.writes + written_by.reads, 0U);
    EXPECT_EQ(read_by.written_back, 0);
    EXPECT_EQ(written_by.writes, total.writes);
    EXPECT_EQ(written_by.written_back, total.written_back);
    EXPECT_EQ(read_by.reads, lines > 2000 ? read_lines : sweeps * read_lines);
    EXPECT_EQ(written_by.writes, lines > 700 ? written_lines : sweeps * read_lines);
    EXPECT_GE(total.reads, read_by.reads);
  }
  EXPECT_GT(of_reading.crowding[0], 0U);
  EXPECT_LE(of_reading.crowding[0] + of_writing.crowding[0], all.crowding[0]);
  reuse_forget_codes();
  reuse_counts_of_code(reading.number, &of_reading);
  EXPECT_EQ(traffic_at(of_reading, 128).reads, 0U);
}

}  // namespace
