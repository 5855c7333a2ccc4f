// Each case's measurements on each node are put together from the tables of a result file.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The count of one event in one group: the same event may be in several groups, alone and beside others.
struct GroupCount {
  std::int32_t group = 0;
  std::vector<double> repetitions = {};            // the team's total in each, in order
  std::vector<std::vector<double>> of_ranks = {};  // of each repetition what every rank counted, where there are several
};

/// A number, or why there is none.
struct Reported {
  double value = absent;  // `negative`: less than in the empty region, kept because a zero test may allow for it; never a ratio
  Status status = Status::unavailable;
  std::string reason = {};
  std::vector<GroupCount> groups = {};  // of a count; by number, the first one's median is the value
  bool ok() const { return status == Status::ok; }
};

/// The lower and upper bound of a quantity for the whole team: the model of one rank times the ranks, each of which sweeps a copy of its
/// own.
struct Bounds {
  double lo = absent, hi = absent;
};

/// A case on one node. Everything is per sweep, of the whole team.
struct Measured {
  const CaseRow* of = nullptr;  // borrowed from the Results
  std::string node = {};
  Reported seconds = {};                       // median of the team's time over the repetitions that are believed (believed_times.hpp)
  Bounds timed = {};                           // the shortest and the longest of those
  double clock_hz = absent;                    // median of the clock right after them
  std::size_t repetitions = 0, disturbed = 0;  // how many there are, and how many of them were disturbed
  Status counting = Status::unavailable;       // of the counting pass
  std::string counting_reason = {};
  std::map<std::string, std::map<std::string, Reported>> counts = {};  // backend -> event -> sum over ranks, median over repetitions
  const std::map<std::string, Bounds>* model = nullptr;                // quantity -> bounds; borrowed from the Measurements
  bool oversubscribed = false;
  std::vector<int> gpus = {};  // of the node's that it ran on, by rank, as ceilings count them (core/gpu_device.hpp); none of CPUs' cases

  /// The bounds of a quantity by the model; absent when it does not speak of the quantity.
  Bounds expected(const std::string& quantity) const;
};

/// Owns the models that the cases point to; the Results must outlive it.
struct Measurements {
  Measurements() = default;
  Measurements(Measurements&&) = default;
  Measurements& operator=(Measurements&&) = default;
  std::vector<Measured> cases = {};                                  // by id (n=8 before n=64), then by node
  std::map<std::string, std::map<std::string, Bounds>> models = {};  // case id -> quantity -> bounds
};

Measurements measurements_of(const Results& results);

/// The median of a later group over that of the first: 1 where counting beside other events changes nothing.
double group_over_first(const Reported& count, std::size_t group);

/// The events that a backend counted on any case.
std::set<std::string> events_counted(const Measurements& measurements, const std::string& backend);

}  // namespace plumbline
