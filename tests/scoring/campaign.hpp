// A campaign that was never run: real kernels and parameters with the real model's values, and counters made up from these.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/counter.hpp"
#include "core/flows.hpp"
#include "core/records.hpp"
#include "random.hpp"

namespace plumbline::test {

/// A case, and what really happens in it: every flow somewhere inside the model's interval.
struct TrueCase {
  CaseRow row;
  std::map<std::string, double> truth;                     // quantity -> amount a sweep, of one rank
  std::map<std::string, std::pair<double, double>> model;  // quantity -> lo, hi

  std::string level() const;     // O0, O3
  std::string compiler() const;  // gcc12
  double of(const std::vector<std::string>& quantities) const;
};

TrueCase true_case(const Case& measured, std::span<const CacheLevel> caches, Random& random);

/// Gives the case what its code executes between registers and L1 (core/twin.hpp: executed_counts), which is then the truth of those bytes.
void set_executed(TrueCase& one, const Counts& executed);

/// Series (2 forms, 5 orders, 3 sizes), stencils and triad and dot (3 sizes or 4) x 2 precisions x 3 compilers x O0 and O3; triad and dot
/// by two ranks too.
std::vector<TrueCase> realistic_campaign(std::uint64_t seed);

/// The disturbances of even a right counter.
struct Noise {
  double relative = 0;        // standard deviation of a repetition
  double background = 0;      // at most so much is added to each repetition
  double interrupted = 0.02;  // share of repetitions in which an interrupt adds up to:
  double interrupt = 0;
};
Noise noise_of(Kind kind, Random& random);

struct Fault;

inline constexpr int repetitions = 5;

/// A counter and its counts; group 0, and group 1 where `joint` is set.
struct MadeCounter {
  Counter counter;
  std::string kind;  // "right", or what is wrong with it
  const Fault* fault = nullptr;
  double magnitude = 0;  // how wrong, in the fault's own measure
  Noise noise = {};
  std::function<double(const TrueCase&, Random&)> count = {};  // one repetition of one rank, without noise
  std::function<double(const TrueCase&, Random&)> joint = {};
  bool noise_free = false;
  int times = repetitions;  // that each case is counted
};

/// A count with the counter's noise.
double disturbed(double count, const MadeCounter& made, Random& random);

/// Cases, models and counts, as a result file would hold them. Counters' events are named as the counters.
Results results_of(const std::vector<TrueCase>& cases, std::span<const MadeCounter> counters, std::uint64_t seed);

/// A counter that claims these quantities.
Counter claiming(const std::string& name, std::vector<std::string> quantities);

}  // namespace plumbline::test
