#include "machine/node_differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

namespace plumbline {
namespace {

using nlohmann::ordered_json;

// Values that differ between any two nodes, or between any two minutes of one.
constexpr std::array<std::string_view, 9> by_nature{"node",   "memory_available_bytes", "allowed_cpus", "rank_cpus", "kind",
                                                    "absent", "memory_bytes",           "uuid",         "now"};

// Values by fact, in the order of the first node's document.
struct Values {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> nodes;  // fact, value -> nodes

  void add(const std::string& fact, const std::string& value, const std::string& node) {
    const auto [known, fresh] = nodes.try_emplace(fact);
    if (fresh) order.push_back(fact);
    known->second[value].push_back(node);
  }
};

std::string in_words(const ordered_json& value) {
  if (value.is_array() && value.empty()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool lists_objects(const ordered_json& value) {
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), [](const auto& one) { return one.is_object(); });
}

void add_object(Values& values, const ordered_json& object, const std::string& prefix, const std::string& node);

/// Adds how many objects a list has, and each one's values: "gpus", "gpus 0 driver ecc_mode".
void add_list(Values& values, const ordered_json& list, const std::string& name, const std::string& node) {
  values.add(name, std::to_string(list.size()), node);
  for (std::size_t i = 0; i < list.size(); ++i) add_object(values, list[i], fmt::format("{} {} ", name, i), node);
}

void add_object(Values& values, const ordered_json& object, const std::string& prefix, const std::string& node) {
  const auto absent = object.find("absent");
  for (const auto& [name, value] : object.items()) {
    if (std::find(by_nature.begin(), by_nature.end(), name) != by_nature.end()) continue;
    if (value.is_object())
      add_object(values, value, prefix + name + " ", node);
    else if (lists_objects(value))
      add_list(values, value, prefix + name, node);
    else if (value.is_null())
      values.add(prefix + name, "absent: " + (absent != object.end() && absent->contains(name) ? in_words((*absent)[name]) : "no reason"),
                 node);
    else
      values.add(prefix + name, in_words(value), node);
  }
}

// The kind of a machine: whatever a foreign document holds there, as text.
std::string kind_of(const ordered_json& machine) {
  if (machine.contains("kind")) return machine["kind"].dump();
  const ordered_json cpu = machine.value("cpu", ordered_json());
  return (cpu.is_object() ? cpu.value("name", ordered_json()) : cpu).dump() + machine.value("cores", ordered_json()).dump();
}

std::string some_of(const std::vector<std::string>& nodes) {
  constexpr std::size_t most = 4;
  const auto named = std::min(nodes.size(), nodes.size() == most + 1 ? most + 1 : most);
  std::string text = fmt::format("{}", fmt::join(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (named < nodes.size()) text += fmt::format(" and {} more", nodes.size() - named);
  return text;
}

}  // namespace

std::vector<NodeDifference> differing_facts(std::span<const MachineRow> machines) {
  std::map<std::string, Values> kinds;
  for (const auto& row : machines) {
    const auto machine = ordered_json::parse(row.json, nullptr, false);
    if (machine.is_object()) add_object(kinds[kind_of(machine)], machine, "", row.node);
  }
  std::vector<NodeDifference> differences;
  for (const auto& [kind, values] : kinds)
    for (const auto& fact : values.order) {
      const auto& nodes = values.nodes.at(fact);
      if (nodes.size() < 2) continue;
      NodeDifference difference{fact, {}};
      for (const auto& [value, who] : nodes) difference.values.push_back({value, who});
      std::stable_sort(difference.values.begin(), difference.values.end(),
                       [](const auto& left, const auto& right) { return left.nodes.size() > right.nodes.size(); });
      differences.push_back(std::move(difference));
    }
  return differences;
}

std::string to_string(const NodeDifference& difference) {
  const auto& values = difference.values;
  const std::size_t most = values.front().nodes.size();
  const bool majority = most > 1 && std::all_of(values.begin() + 1, values.end(), [&](const auto& one) { return one.nodes.size() < most; });
  std::string text = difference.fact + ":";
  for (std::size_t i = majority ? 1 : 0; i < values.size(); ++i)
    text += fmt::format("{} {} on {}", text.back() == ':' ? "" : ";", values[i].value, some_of(values[i].nodes));
  if (majority) text += fmt::format("; {} on the {} others", values.front().value, most);
  return text;
}

}  // namespace plumbline
