// The map of links between nodes shows which links are worse than others, and which nodes are because all of theirs are.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// A link says what a pair of nodes reached with one kind of message.
struct NodeLink {
  std::size_t node = 0, peer = 0;  // among LinkMap::nodes
  double value = absent;           // the best round; NaN where none succeeded
  double unsteadiness = 0;         // how far the median round is from the best, as a logarithm
  std::size_t n = 0;               // good samples
  std::string reason = {};         // why there is none
};

struct WorseLink {
  std::size_t link = 0;       // among LinkMap::links
  double times_worse = 1;     // than the others, after what a worse node at its end explains
  bool wrong_result = false;  // a message did not arrive as it was sent
};

struct WorseNode {
  std::size_t node = 0;
  double times_worse = 1;  // its better links than other nodes'
  double value = absent;   // what the better of its links reach
  std::size_t links = 0, worse = 0;
};

/// The map of one kind of message: its links, and the worse ones among them.
struct LinkMap {
  std::string name = {}, unit = {};  // "MPI link latency" in seconds (less is better), "MPI link bandwidth" in GB/s
  double message_bytes = absent;
  std::vector<std::string> nodes = {};
  std::vector<NodeLink> links = {};
  double typical = absent;                 // the median link, those of worse nodes apart
  double allowed = absent;                 // so many times worse than typical a link may be; absent where too few were measured
  double node_typical = absent;            // what the better links of the median node reach
  double node_allowed = absent;            // so many times worse a node's may be; absent where nodes are not judged
  std::string unjudged = {};               // why none is named: then `bad` has wrong results only, and `nodes_bad` is empty
  std::vector<WorseLink> bad = {};         // worst first
  std::vector<WorseNode> nodes_bad = {};   // worst first
  std::vector<WorseLink> suspicious = {};  // worse each time, but not surely more than chance: worst first
  std::vector<std::string> notes = {};
};

/// One map for each kind and message size in the samples between nodes; all others are left alone. O(links log links).
///
/// A link counts by its best round. A node is worse where even the better of its links (their tenth part, of ten or fewer the best) are
/// beyond the limit; a link, where it is although no worse node at its ends explains that. Either must be so in nine of ten rounds too (of
/// fewer than ten in each), held against what was usual in that round: what happens to be slow while one program disturbs another is not
/// slow each time. Where other links are beyond it so often that one of them all is in each round by chance (more than 0.01 of them
/// expected), it is suspicious only. The limit: 1.25 times, or five times the scatter of what is compared or the usual difference between
/// rounds, if that is more; wider where few are compared, as Student's t is wider than the normal distribution. Beyond 4 times, or where
/// fewer than three can be compared, nothing is judged and `unjudged` says why. Of many links beyond the limit (a tenth of all, at least
/// eight) none is called bad for that: they are another part of the network, are judged among themselves, and a note says so.
std::vector<LinkMap> judge_links(std::span<const CeilingRow> samples);

}  // namespace plumbline
