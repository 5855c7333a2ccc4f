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
std::vector<std::size_t> by_name(const LinkMap& map) {
  std::vector<std::size_t> order(map.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return map.nodes[a] < map.nodes[b]; });
  return order;
}

std::string whole_map(const LinkMap& map) {
  const auto order = by_name(map);
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
  for (const std::size_t node : by_name(map))
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

std::string verdict(const LinkMap& map) {
  const std::string found = findings(map);
  if (!map.unjudged.empty()) return (found.empty() ? "\n" : "\n" + found) + map.unjudged + "\n";
  return found.empty() ? "\nno link and no node is worse than its like\n" : "\n" + found;
}

std::size_t unmeasured(const LinkMap& map) {
  return static_cast<std::size_t>(std::count_if(map.links.begin(), map.links.end(), [](const NodeLink& link) { return link.n == 0; }));
}

Json json_of(const LinkMap& map) {
  Json one{{"name", map.name},
           {"unit", map.unit},
           {"message_bytes", number(map.message_bytes)},
           {"typical", number(map.typical)},
           {"allowed_times", number(map.allowed)},
           {"node_typical", number(map.node_typical)},
           {"node_allowed_times", number(map.node_allowed)},
           {"judged", map.unjudged.empty()},
           {"unjudged_reason", text_or_null(map.unjudged)},
           {"nodes", map.nodes},
           {"links", Json::array()},
           {"worse_nodes", Json::array()},
           {"worse_links", Json::array()},
           {"suspicious_links", Json::array()},
           {"notes", map.notes}};
  for (const auto& link : map.links)
    one["links"].push_back({{"node", link.node},
                            {"peer", link.peer},
                            {"value", number(link.value)},
                            {"n", link.n},
                            {"status", link.n > 0 ? "ok" : "unavailable"},
                            {"reason", text_or_null(link.n > 0 ? "" : link.reason)}});
  for (const auto& bad : map.nodes_bad)
    one["worse_nodes"].push_back({{"node", map.nodes[bad.node]},
                                  {"times_worse", number(bad.times_worse)},
                                  {"value", number(bad.value)},
                                  {"links", bad.links},
                                  {"links_worse", bad.worse}});
  for (const auto& bad : map.bad) {
    const NodeLink& link = map.links[bad.link];
    one["worse_links"].push_back({{"node", map.nodes[link.node]},
                                  {"peer", map.nodes[link.peer]},
                                  {"times_worse", number(bad.times_worse)},
                                  {"value", number(link.value)},
                                  {"wrong_result", bad.wrong_result}});
  }
  for (const auto& suspicious : map.suspicious) {
    const NodeLink& link = map.links[suspicious.link];
    one["suspicious_links"].push_back({{"node", map.nodes[link.node]},
                                       {"peer", map.nodes[link.peer]},
                                       {"times_worse", number(suspicious.times_worse)},
                                       {"value", number(link.value)}});
  }
  return one;
}

}  // namespace

std::string node_links_text(std::span<const LinkMap> maps) {
  std::string text;
  for (const auto& map : maps) {
    text += heading(map) + "\n" + (map.nodes.size() <= nodes_shown_whole ? whole_map(map) : node_medians(map)) + verdict(map);
    if (const std::size_t none = unmeasured(map); none > 0) text += fmt::format("{} links have no good sample\n", none);
    for (const auto& note : map.notes) text += note + "\n";
  }
  return text;
}

Json node_links_json(std::span<const LinkMap> maps) {
  Json all = Json::array();
  for (const auto& map : maps) all.push_back(json_of(map));
  return all;
}

}  // namespace plumbline::app
