// An application on so many nodes: the time of a sweep, and what of it is computing, exchanging, summing and waiting.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/projecting/node_side.hpp"
#include "model/projecting/projection_record.hpp"
#include "model/projecting/work_part.hpp"
#include "model/scaling/decomposition.hpp"
#include "model/scaling/message_costs.hpp"
#include "model/scaling/waiting.hpp"

namespace plumbline {

/// A phase as it was timed on one node.
struct ScaledPhase {
  std::string name = {};
  double entries = 1;                 // in a sweep
  double messages = 0, bytes = 0;     // that one rank sends in an entry
  double least_seconds = 0;           // of an exchange or a sum: what an entry took the rank that waited least
  std::vector<double> seconds = {};   // of computing: all entries of a sweep on one rank, sample by sample
  bool is_cut = true;                 // its work is less where a rank has fewer layers
  std::optional<WorkPart> part = {};  // its work by all ranks of the node; nothing where it has no place under the node's roofs

  bool computes() const { return messages == 0; }
  bool sums() const { return !computes() && name.starts_with("sum"); }
};

/// An application as it was timed on one node, its home.
struct ScaledApplication {
  std::string name = {}, kernel = {};
  std::uint64_t ranks_of_node = 1;
  double seconds = absent;  // of a sweep, measured
  Decomposition decomposition = {};
  std::vector<ScaledPhase> phases = {};
  std::vector<std::size_t> order = {};  // of phases, entry after entry
  NodeSide side = {};                   // the node with as many ranks
};

enum class Spent { computing, exchanging, summing, waiting };
constexpr std::string_view to_string(Spent spent) { return enumerator_name(spent); }
inline constexpr std::size_t ways_to_spend = 4;

struct ScaledTime {
  Allocation allocation = {};
  double seconds = absent, lo = absent, hi = absent;
  double efficiency = absent;                         // over the ranks at home
  std::array<double, ways_to_spend> spent_seconds{};  // on a rank in the mean; what is not computing, exchanging or summing is waiting
  Spent bound = Spent::computing;                     // what takes most
  std::string phase = {};                             // that takes most of that
  std::string ceiling = {};                           // of computing: what bounds that phase; empty where nobody knows
  std::string learned_from = {};                      // class of the record that the interval is of; empty: of none
  std::size_t learned_pairs = 0;                      // in it

  double share(Spent spent) const { return spent_seconds[static_cast<std::size_t>(spent)] / seconds; }
  /// The part of the time in which a rank does not compute.
  double communication() const { return 1 - share(Spent::computing); }
};

/// The node with another number of ranks than at home, and how projections onto other numbers of cores erred where their truth is known.
/// Without a side they compute as at home.
struct OtherRanks {
  const NodeSide* side = nullptr;
  std::span<const RecordRow> record = {};
};

/// The links at best, in the middle and at worst.
using LinkEnds = std::array<MessageLinks, 3>;

class ScalingModel {
 public:
  ScalingModel(ScaledApplication application, LinkEnds links, std::uint64_t seed);

  /// The time on so many nodes, which may have other ranks than at home. Throws Error (user) where links between nodes are not known.
  ScaledTime at(const Allocation& allocation, Scaling scaling, const OtherRanks& other = {}) const;
  /// The most nodes that the problem can be cut for; nullopt where there is no such end. Zero: not at all.
  std::optional<std::uint64_t> most_nodes(Scaling scaling) const;
  /// The measured time that the model does not make messages, over what its simulation says that computing and waiting take at home. All
  /// computing is told times this; 1: the model is right at home.
  double calibration() const { return calibration_; }
  const ScaledApplication& application() const { return application_; }

  /// The least number of nodes in (from, to] of which a rank computes less than half of the time, by halving the interval; `to` is one.
  std::uint64_t first_half(std::uint64_t from, std::uint64_t to, Scaling scaling) const;

 private:
  struct Communication {
    double exchanging = 0, summing = 0;
    double longest_exchange = 0, longest_sum = 0;
    std::string exchange = {}, sum = {};  // the phases that take longest
  };
  /// The seconds of a phase over those at home: as the terms overlap, and as far as the ways of telling them are apart.
  struct Cut {
    double factor = 1, lo = 1, hi = 1;
    std::string ceiling = {};  // that bounds it there
  };

  Allocation home() const { return {1, application_.ranks_of_node}; }
  double share_of_layers(const Allocation& allocation, Scaling scaling) const;
  double message_seconds(const ScaledPhase& phase, const Allocation& allocation, SampleEnd end) const;
  Communication communication(const Allocation& allocation, SampleEnd end) const;
  Cut cut_of(const ScaledPhase& phase, double share, const Allocation& allocation, const OtherRanks& other) const;
  void widen_by_record(Cut& cut, const ScaledPhase& phase, double work, const OtherRanks& other) const;
  double by(double Cut::*end, const std::vector<Cut>& cuts) const;
  CutSweep sweep_with(const std::vector<Cut>& cuts) const;

  ScaledApplication application_;
  LinkEnds links_;
  std::uint64_t seed_;
  std::vector<double> overheads_;  // of an entry of each phase that does not compute, beyond what its messages take: seconds
  double calibration_ = 1;
  double home_seconds_ = absent;
};

}  // namespace plumbline
