#include "app/results/node_links_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

constexpr std::size_t nodes_shown_whole = 16;
constexpr std::size_t most_suspicious = 8;

std::string in_its_unit(const LinkMap& map, double value) {
  if (!std::isfinite(value)) return "-";
  return map.unit == "seconds" ? duration(value) : plain(value, 4) + " " + map.unit;
}

/// Indices of nodes, in the order of their names.
std::vector<std::size_t> nodes_by_name(const LinkMap& map) {
  std::vector<std::size_t> order(map.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return map.nodes[a] < map.nodes[b]; });
  return order;
}

std::string whole_map(const LinkMap& map) {
  const auto order = nodes_by_name(map);
  std::vector<Heading> columns{{"", Align::left}};
  std::vector<std::vector<std::string>> cells(order.size(), std::vector<std::string>(order.size() + 1));
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    columns.push_back({map.nodes[order[i]]});
    cells[i][0] = map.nodes[order[i]];
    place[order[i]] = i;
  }
  for (const auto& link : map.links)
    cells[place[link.node]][place[link.peer] + 1] = cells[place[link.peer]][place[link.node] + 1] =
        map.unit == "seconds" ? in_its_unit(map, link.value) : plain(link.value, 4);
  Table table(columns);
  for (auto& row : cells) table.add(std::move(row));
  return table.text();
}

/// The medians of nodes, where the whole map is too wide: the median link of the nodes whose median is worst.
std::string node_medians(const LinkMap& map) {
  std::vector<std::vector<double>> values(map.nodes.size());
  for (const auto& link : map.links)
    if (link.n > 0)
      for (const std::size_t end : {link.node, link.peer}) values[end].push_back(link.value);
  std::vector<std::pair<double, std::size_t>> medians;  // and nodes, worst first
  for (const std::size_t node : nodes_by_name(map))
    if (!values[node].empty()) medians.emplace_back((map.unit == "seconds" ? -1 : 1) * median_of(values[node]), node);
  std::stable_sort(medians.begin(), medians.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (medians.size() > nodes_shown_whole) medians.resize(nodes_shown_whole);
  Table table({{"slowest nodes", Align::left}, {"links"}, {"median"}});
  for (const auto& [median, node] : medians)
    table.add({map.nodes[node], std::to_string(values[node].size()), in_its_unit(map, std::abs(median))});
  return table.text();
}

std::string ends_of(const LinkMap& map, const NodeLink& link) {
  return fmt::format("{} - {}", std::min(map.nodes[link.node], map.nodes[link.peer]), std::max(map.nodes[link.node], map.nodes[link.peer]));
}

std::string findings(const LinkMap& map) {
  Table table({{"worse", Align::left}, {"", Align::left}, {"times"}, {"reached"}, {"why", Align::left}});
  for (const auto& bad : map.nodes_bad)
    table.add({"node", map.nodes[bad.node], plain(bad.times_worse, 3), in_its_unit(map, bad.value),
               fmt::format("{} of its {} links are worse, its better ones too", bad.worse, bad.links)});
  for (const auto& bad : map.bad) {
    const NodeLink& link = map.links[bad.link];
    table.add({"link", ends_of(map, link), plain(bad.times_worse, 3), in_its_unit(map, link.value),
               bad.wrong_result ? link.reason : "other links of both nodes are better"});
  }
  for (std::size_t i = 0; i < std::min(most_suspicious, map.suspicious.size()); ++i) {
    const NodeLink& link = map.links[map.suspicious[i].link];
    table.add({"suspicious", ends_of(map, link), plain(map.suspicious[i].times_worse, 3), in_its_unit(map, link.value),
               "worse each time, which may be chance: not judged"});
  }
  if (table.empty()) return "";
  const std::size_t hidden = map.suspicious.size() - std::min(most_suspicious, map.suspicious.size());
  return table.text() + (hidden == 0 ? "" : fmt::format("and {} more suspicious links\n", hidden));
}

/// The heading says what is usual, and by which limits links and nodes are judged.
std::string heading(const LinkMap& map) {
  std::string text = fmt::format("\n{}: {} links of {} nodes, messages of {}; usually {}", map.name, map.links.size(), map.nodes.size(),
                                 size_in_bytes(map.message_bytes), in_its_unit(map, map.typical));
  if (!map.unjudged.empty()) return text + "\n";
  text += fmt::format(", worse from {} times that", plain(map.allowed, 3));
  if (std::isfinite(map.node_allowed))
    text += fmt::format("; a node's better links usually {}, worse from {} times that", in_its_unit(map, map.node_typical),
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

/// A node or a link that is worse, with names instead of indices.
struct Named {
  std::string node = {}, peer = {};  // peer: of a link
  double times_worse = 1, value = absent;
  std::size_t links = 0, links_worse = 0;  // of a node
  bool wrong_result = false;               // of a link
};

Columns<Named> named_columns() {
  return {{"node", "name of the node, or of that at one end of the link", &Named::node},
          {"peer", "name of the node at the other end", &Named::peer},
          {"times_worse", "how many times worse than its like", &Named::times_worse},
          {"value", "rate or time that it reaches", &Named::value},
          {"links", "number of links of the node", &Named::links},
          {"links_worse", "number of worse ones among these", &Named::links_worse},
          {"wrong_result", "whether a message did not arrive as it was sent", &Named::wrong_result}};
}

std::vector<Named> named_nodes(const LinkMap& map) {
  std::vector<Named> all;
  for (const auto& bad : map.nodes_bad)
    all.push_back(
        {.node = map.nodes[bad.node], .times_worse = bad.times_worse, .value = bad.value, .links = bad.links, .links_worse = bad.worse});
  return all;
}

auto named_links(std::vector<WorseLink> LinkMap::*links) {
  return [links](const LinkMap& map) {
    std::vector<Named> all;
    for (const auto& bad : map.*links) {
      const NodeLink& link = map.links[bad.link];
      all.push_back({map.nodes[link.node], map.nodes[link.peer], bad.times_worse, link.value, 0, 0, bad.wrong_result});
    }
    return all;
  };
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
                           chosen(named, {{"node"}, {"peer"}, {"times_worse"}, {"value"}, {"wrong_result"}}), named_links(&Row::bad)),
          list_column<Row>("suspicious_links", "links that were worse each time, but not surely more than by chance, the worst first",
                           chosen(named, {{"node"}, {"peer"}, {"times_worse"}, {"value"}}), named_links(&Row::suspicious)),
          {"notes", "what should be known besides, in sentences", &Row::notes}};
}

}  // namespace plumbline::app
