#include "app/results/node_links_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

constexpr std::size_t nodes_shown_whole = 16;
constexpr std::size_t most_suspicious = 8;

std::string in_its_unit(const std::string& unit, double value) {
  if (!std::isfinite(value)) return "-";
  return unit == "seconds" ? duration(value) : plain(value, 4) + " " + unit;
}

/// Indices of nodes, in the order of their names.
std::vector<std::size_t> nodes_by_name(const LinkMap& map) {
  std::vector<std::size_t> order(map.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return map.nodes[a] < map.nodes[b]; });
  return order;
}

/// A link's value in a map, where the heading says the unit of rates.
std::string in_map(const LinkMap& map, double value) { return map.unit == "seconds" ? in_its_unit(map.unit, value) : plain(value, 4); }

/// A node's links in the map, by the node at their other end.
struct MapRow {
  std::string node;
  std::map<std::size_t, double> values;
};

std::string whole_map(const LinkMap& map) {
  std::vector<MapRow> rows(map.nodes.size());
  for (const auto& link : map.links) rows[link.node].values[link.peer] = rows[link.peer].values[link.node] = link.value;
  std::vector<MapRow> sorted;
  Columns<MapRow> columns{{Heading{"", Align::left}, &MapRow::node}};
  for (const std::size_t peer : nodes_by_name(map)) {
    rows[peer].node = map.nodes[peer];
    sorted.push_back(rows[peer]);
    columns.push_back({Heading{map.nodes[peer]}, [&map, peer](const MapRow& row) {
                         const auto found = row.values.find(peer);
                         return found == row.values.end() ? "" : in_map(map, found->second);
                       }});
  }
  return aligned(columns, sorted);
}

/// The median of a node's links.
struct NodeMedian {
  std::string node;
  std::size_t links;
  double median;
};

/// The medians of nodes, where the whole map is too wide: of the nodes whose median is worst, these first.
std::string node_medians(const LinkMap& map) {
  std::vector<std::vector<double>> values(map.nodes.size());
  for (const auto& link : map.links)
    if (link.n > 0)
      for (const std::size_t end : {link.node, link.peer}) values[end].push_back(link.value);
  std::vector<NodeMedian> medians;
  for (const std::size_t node : nodes_by_name(map))
    if (!values[node].empty()) medians.push_back({map.nodes[node], values[node].size(), median_of(values[node])});
  std::stable_sort(medians.begin(), medians.end(), [&](const NodeMedian& a, const NodeMedian& b) {
    return map.unit == "seconds" ? a.median > b.median : a.median < b.median;
  });
  if (medians.size() > nodes_shown_whole) medians.resize(nodes_shown_whole);
  const Columns<NodeMedian> columns{{Heading{"slowest nodes", Align::left}, &NodeMedian::node},
                                    {Heading{"links"}, [](const NodeMedian& one) { return std::to_string(one.links); }},
                                    {Heading{"median"}, [&](const NodeMedian& one) { return in_its_unit(map.unit, one.median); }}};
  return aligned(columns, medians);
}

/// A node or a link that is worse, with names instead of indices.
struct Named {
  std::string kind, node, peer = {};  // kind: node, link, or suspicious, which is a link too; peer: of links
  double times_worse = 1, value = absent;
  std::string unit, why;
  std::size_t links = 0, links_worse = 0;  // of a node
  bool wrong_result = false;               // of a link
};

Columns<Named> named_columns() {
  using Row = Named;
  return {{Heading{"worse", Align::left}, &Row::kind},
          {Heading{"", Align::left},
           [](const Row& one) {
             return one.peer.empty() ? one.node : fmt::format("{} - {}", std::min(one.node, one.peer), std::max(one.node, one.peer));
           }},
          {"node", "name of the node, or of that at one end of the link", &Row::node},
          {"peer", "name of the node at the other end", &Row::peer},
          Column<Row>("times_worse", "how many times worse than its like", &Row::times_worse)
              .in_row("times", Align::right, [](const Row& one) { return plain(one.times_worse, 3); }),
          Column<Row>("value", "rate or time that it reaches", &Row::value)
              .in_row("reached", Align::right, [](const Row& one) { return in_its_unit(one.unit, one.value); }),
          {Heading{"why", Align::left}, &Row::why},
          {"links", "number of links of the node", &Row::links},
          {"links_worse", "number of worse ones among these", &Row::links_worse},
          {"wrong_result", "whether a message did not arrive as it was sent", &Row::wrong_result}};
}

std::vector<Named> named_nodes(const LinkMap& map) {
  std::vector<Named> all;
  for (const auto& bad : map.nodes_bad)
    all.push_back({.kind = "node",
                   .node = map.nodes[bad.node],
                   .times_worse = bad.times_worse,
                   .value = bad.value,
                   .unit = map.unit,
                   .why = fmt::format("{} of its {} links are worse, its better ones too", bad.worse, bad.links),
                   .links = bad.links,
                   .links_worse = bad.worse});
  return all;
}

Named named_link(const LinkMap& map, const std::string& kind, const WorseLink& bad, const std::string& why) {
  const NodeLink& link = map.links[bad.link];
  return {.kind = kind,
          .node = map.nodes[link.node],
          .peer = map.nodes[link.peer],
          .times_worse = bad.times_worse,
          .value = link.value,
          .unit = map.unit,
          .why = why,
          .wrong_result = bad.wrong_result};
}

std::vector<Named> named_links(const LinkMap& map) {
  std::vector<Named> all;
  for (const auto& bad : map.bad)
    all.push_back(named_link(map, "link", bad, bad.wrong_result ? map.links[bad.link].reason : "other links of both nodes are better"));
  return all;
}

std::vector<Named> suspicious_links(const LinkMap& map) {
  std::vector<Named> all;
  for (const auto& one : map.suspicious)
    all.push_back(named_link(map, "suspicious", one, "worse each time, which may be chance: not judged"));
  return all;
}

std::string findings(const LinkMap& map) {
  std::vector<Named> rows = named_nodes(map);
  const auto links = named_links(map), suspicious = suspicious_links(map);
  const std::size_t shown = std::min(most_suspicious, suspicious.size());
  rows.insert(rows.end(), links.begin(), links.end());
  rows.insert(rows.end(), suspicious.begin(), suspicious.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string hidden = shown == suspicious.size() ? "" : fmt::format("and {} more suspicious links\n", suspicious.size() - shown);
  return aligned(named_columns(), rows) + hidden;
}

/// The heading says what is usual, and by which limits links and nodes are judged.
std::string heading(const LinkMap& map) {
  std::string text = fmt::format("\n{}: {} links of {} nodes, messages of {}; usually {}", map.name, map.links.size(), map.nodes.size(),
                                 size_in_bytes(map.message_bytes), in_its_unit(map.unit, map.typical));
  if (!map.unjudged.empty()) return text + "\n";
  text += fmt::format(", worse from {} times that", plain(map.allowed, 3));
  if (std::isfinite(map.node_allowed))
    text += fmt::format("; a node's better links usually {}, worse from {} times that", in_its_unit(map.unit, map.node_typical),
                        plain(map.node_allowed, 3));
  return text + "\n";
}

std::string links_verdict(const LinkMap& map) {
  const std::string found = findings(map);
  if (!map.unjudged.empty()) return (found.empty() ? "\n" : "\n" + found) + map.unjudged + "\n";
  return found.empty() ? "\nno link and no node is worse than its like\n" : "\n" + found;
}

std::size_t unmeasured(const LinkMap& map) {
  return static_cast<std::size_t>(std::count_if(map.links.begin(), map.links.end(), [](const NodeLink& link) { return link.n == 0; }));
}

Columns<NodeLink> link_columns() {
  using Row = NodeLink;
  const auto is_there = [](const Row& link) { return link.n > 0; };
  return {
      {"node", "index, in nodes, of the node at one end", &Row::node},
      {"peer", "index, in nodes, of the node at the other end", &Row::peer},
      {"value", "rate or time of the best round", &Row::value},
      {"n", "number of good samples", &Row::n},
      {"status", "ok, or unavailable: no good sample", [=](const Row& link) { return is_there(link) ? Status::ok : Status::unavailable; }},
      {"reason", "why it has no number", [=](const Row& link) { return OrNull{is_there(link) ? "" : link.reason}; }}};
}

}  // namespace

std::string node_links_text(std::span<const LinkMap> maps) {
  std::string text;
  for (const auto& map : maps) {
    text += heading(map) + "\n" + (map.nodes.size() <= nodes_shown_whole ? whole_map(map) : node_medians(map)) + links_verdict(map);
    if (const std::size_t none = unmeasured(map); none > 0) text += fmt::format("{} links have no good sample\n", none);
    for (const auto& note : map.notes) text += note + "\n";
  }
  return text;
}

Columns<LinkMap> link_map_columns() {
  using Row = LinkMap;
  const auto named = named_columns();
  return {{"name", "kind of message", &Row::name},
          {"unit", "unit of all values", &Row::unit},
          {"message_bytes", "size of a message", &Row::message_bytes},
          {"typical", "the median link, those of worse nodes apart", &Row::typical},
          {"allowed_times", "so many times worse than typical a link may be", &Row::allowed},
          {"node_typical", "what the better links of the median node reach", &Row::node_typical},
          {"node_allowed_times", "so many times worse than that a node's may be", &Row::node_allowed},
          {"judged", "whether links and nodes are named at all", [](const Row& map) { return map.unjudged.empty(); }},
          {"unjudged_reason", "why links and nodes are not named", [](const Row& map) { return OrNull{map.unjudged}; }},
          {"nodes", "names of the nodes", &Row::nodes},
          list_column<Row>("links", "every link", link_columns(), &Row::links),
          list_column<Row>("worse_nodes", "nodes that are worse than their like, the worst first",
                           chosen(named, {{"node"}, {"times_worse"}, {"value"}, {"links"}, {"links_worse"}}), named_nodes),
          list_column<Row>("worse_links", "links that are worse than their like, the worst first",
                           chosen(named, {{"node"}, {"peer"}, {"times_worse"}, {"value"}, {"wrong_result"}}), named_links),
          list_column<Row>("suspicious_links", "links that were worse each time, but not surely more than by chance, the worst first",
                           chosen(named, {{"node"}, {"peer"}, {"times_worse"}, {"value"}}), suspicious_links),
          {"notes", "what should be known besides, in sentences", &Row::notes}};
}

}  // namespace plumbline::app
