// Nodes that are alike are held beside each other: which of them is worse than its peers, and whether it was so again when it was measured
// again.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/comparing/comparison.hpp"
#include "model/comparing/night_check.hpp"

namespace plumbline {

struct NodeOptions {
  double false_alarms = 0.05;  // nodes wrongly named that are expected in a job, over all nodes and rows together
  double suspicions = 1;       // rows wrongly suspected, and so measured again
  double threshold = 0.05;     // a part: what is less does not matter (10 % for MPI latency)
};

/// The fewest turns in which a thing must be measured again: fewer are no evidence, neither for a node nor against it.
inline constexpr std::size_t least_turns = 5;

/// A thing on one node, among the like nodes that have it; or the node as a whole, which is the median over all its things.
struct NodeRow {
  SeriesKey key = {};
  bool whole_node = false;                                                  // `key` names the node only
  std::string row_class = {}, unit = {}, point = {}, like = {}, form = {};  // as of its Observation
  double value = absent, peers_value = absent;                              // medians, in `unit`; absent in the row of the whole node
  std::size_t peers = 0;
  CheckedNight judged = {};  // `slower`: suspicious
  double clock_hz = absent, peers_clock_hz = absent;
  Status status = Status::ok;  // not ok: there is nothing to compare, for `reason`
  std::string reason = {};
};

/// A case, or a point of a ceiling, that a suspect node and some of its peers measured again, in turns; or all of them together, by their
/// median.
struct RemeasuredCase {
  std::string what = {};
  bool all_together = false;  // `what` names nothing
  std::size_t turns = 0;
  double seconds = absent, peers_seconds = absent;  // medians over the turns
  Judged judged = {};                               // by pairs of one turn; the interval is simultaneous over all that was measured again
  bool has_interval = false;
  bool confirmed = false;
  double clock_hz = absent, peers_clock_hz = absent;
};

/// The finding on one node beside its peers.
enum class NodeFinding {
  alone,        // no like node, or no row that it has in common with one
  alike,        // nothing suspicious
  suspect,      // suspicious, but not measured again
  unconfirmed,  // suspicious, and not so when it was measured again
  differs,      // confirmed, but no more like nodes are beyond suspicion than were confirmed: nobody can say which of them are right
  slower,       // confirmed
};
std::string_view to_string(NodeFinding finding);

/// A node as it was judged, with what speaks for that.
struct JudgedNode {
  std::string node = {}, kind = {};
  std::size_t peers = 0, rows = 0;            // like nodes; things that were compared
  std::vector<std::size_t> suspicious = {};   // indices into NodeComparison::rows, the worst first
  NodeRow all_rows = {};                      // the whole node
  std::vector<RemeasuredCase> again = {};     // what is suspicious of it, and all together where there are several
  std::vector<std::string> again_peers = {};  // that measured them beside it
  NodeFinding finding = NodeFinding::alone;
  std::string reason = {};  // why it is held against nobody: not empty only where it is alone
};

struct NodeComparison {
  std::vector<NodeRow> rows = {};
  std::vector<JudgedNode> nodes = {};  // in the order of their names
  CheckSummary summary = {};           // of the first measurement
  double again_probability = absent;   // of each thing measured again: false_alarms over their number
  double again_smallest = absent;      // a part that is confirmed in 8 of 10 jobs; absent where nothing was measured again
};

/// Whether the node is suspicious by its median over many rows, which is enough: a wrong suspicion costs a second measurement and no more.
bool is_suspicious_as_a_whole(const JudgedNode& node);

/// Compares nodes: first every row against the median of its peers, as `check_night` holds a night against others; then what was measured
/// again. A node is named (`slower`) only by the latter.
NodeComparison compare_nodes(const Side& side, std::span<const RemeasuredRow> remeasured, const NodeOptions& options);

}  // namespace plumbline
