// A result file says something of each thing that may become slower: a case, or a ceiling, on a node; a link between two.
#pragma once
#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/ceilings/ceilings.hpp"
#include "model/statistics/median_ratio.hpp"
#include "model/statistics/row_class.hpp"

namespace plumbline {

/// The key of a series, stable from file to file: a case id, or "ceiling/NAME/PRECISION/TEAM", and the host name; of a link "nodeA with
/// nodeB", in the order of their names.
struct SeriesKey {
  std::string what, node;
  bool is_ceiling() const { return what.starts_with("ceiling/"); }
  auto operator<=>(const SeriesKey&) const = default;
};

/// The samples of one thing in one file, with the clock and what disturbed them.
struct Observation {
  SeriesKey key = {};
  std::string row_class = {};  // compute, L1, L2, L3, mem, latency, MPI latency, MPI bandwidth, link latency, link bandwidth, numa; of a
                               // case what bounds it, or "case"
  std::string unit = {};       // seconds, GFLOP/s, GB/s
  std::string flavor = {};     // of a ceiling the one that it was measured with
  std::string form = {};       // of a ceiling which of several loops it is of: "bumped v4"; empty where none was chosen among
  std::string point = {};      // of a ceiling of CPUs or a GPU: point_name of these samples; empty of messages and pairs of domains
  std::string like = {};       // of a ceiling that like GPUs share, whichever of a node's it is: its name without the device, and the GPU's
  Sessions sessions = {};      // samples in `unit`, by session
  double clock_hz = absent;    // median observed beside them
  bool disturbed = false;      // every sample was, by what was recorded beside it
  double unshared = absent;    // where disturbed the median, in `unit`, without what others took of the CPU
  double excuse = 1;           // where disturbed: times as long as others may have made it, what they do to caches and clocks included
  Status status = Status::ok;
  std::string reason = {};

  bool is_link() const { return row_kind_of(row_class) == RowKind::link; }
};

/// Whether less is better: seconds grow when something gets slower, rates fall.
inline bool less_is_better(std::string_view unit) { return unit == "seconds"; }

/// Observes every timed case, every link between nodes, and every ceiling with samples of its own (not the points of a vector sweep), in a
/// settled order.
std::vector<Observation> observe(const Results& results, std::span<const NodeFacts> nodes);

/// The name of a sample's series, "ceiling/NAME/PRECISION/TEAM": its ceiling is called so too, where that comes from one name's samples.
std::string series_name(const CeilingRow& row);
/// The name of a sample's point, as "ceiling/triad/r1t1/bytes=134217728": what is measured to take that sample, the working set of the
/// whole team included.
std::string point_name(const CeilingRow& row);

/// A case whose check of its result failed on a node, or messages between it and another one.
struct WrongResult {
  SeriesKey key = {};
  std::string reason = {};
  std::string other_node = {};  // of messages between nodes
};
std::vector<WrongResult> wrong_results(const Results& results);

}  // namespace plumbline
