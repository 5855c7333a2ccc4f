// A trial is one seed: right counters and wrong ones in one campaign, scored.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "faults.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::test {

struct Tried {
  std::string fault;  // "right" for a right counter
  double magnitude = 0;
  CounterScore score;
  bool caught = false;     // not trusted
  bool explained = false;  // and the reason tells one of the fault's findings
};

/// Every right claim once, then every fault of `faults` once at a random magnitude from its limit up.
std::vector<MadeCounter> right_and_wrong(const std::vector<Fault>& faults, const std::vector<TrueCase>& cases, Random& random);

/// Judges what came of a counter.
Tried judged(const MadeCounter& made, CounterScore score);

/// Scores such counters in the made-up campaign.
std::vector<Tried> trial(std::uint64_t seed, const std::vector<Fault>& faults);

/// The rate at which a fault is caught at one magnitude.
struct Rate {
  double caught = 0, explained = 0;
};
Rate detection_rate(const Fault& fault, double magnitude, std::uint64_t first_seed, int seeds);

}  // namespace plumbline::test
