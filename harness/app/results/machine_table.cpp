#include "app/results/machine_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "app/terminal/streams.hpp"
#include "machine/node_differences.hpp"

namespace plumbline::app {
namespace {

constexpr std::size_t machine_width = 116;

// Names in the provenance that are told elsewhere: what the nodes' documents say of each node, and lists that commands of their own show.
constexpr std::array<std::string_view, 14> told_elsewhere{
    "cpu", "kernel",    "microcode",  "mitigations", "os",     "smt",        "numa_nodes_online", "numa_balancing",
    "thp", "libraries", "gpu_driver", "sessions",    "events", "counter_set"};

std::string in_words(const Json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::vector<std::string> words;
  for (const auto& one : value) words.push_back(in_words(one));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

std::string line_of(const std::string& text) { return wrapped(printable(text), machine_width, "    ").substr(2) + "\n"; }

bool lists_objects(const Json& value) {
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_object(); });
}

/// The lines of a document: what is known, a fact a line, and what is not, with why.
struct FactLines {
  std::string known, unknown;

  void add(const Json& object, const std::string& prefix) {
    const Json reasons = object.value("absent", Json::object());
    for (const auto& [name, value] : object.items()) {
      if (name == "absent" || name == "node" || name == "kind") continue;
      if (value.is_object() && !value.empty())
        add(value, prefix + name + " ");
      else if (lists_objects(value))
        add_list(value, prefix + name);
      else if (value.is_null() || value.is_object())
        unknown += line_of(fmt::format("{}{}: {}", prefix, name,
                                       in_words(reasons.is_object() && reasons.contains(name) ? reasons[name] : Json("no reason"))));
      else
        known += line_of(fmt::format("{}{}: {}", prefix, name, in_words(value)));
    }
  }
  /// Adds a list: for each entry on one line what is no object, and the facts of the objects inside it.
  void add_list(const Json& list, const std::string& name) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string here = fmt::format("{} {}", name, i);
      std::string plain;
      Json rest = Json::object();
      for (const auto& [key, value] : list[i].items())
        if (value.is_structured() || value.is_null())
          rest[key] = value;
        else
          plain += fmt::format("{}{} {}", plain.empty() ? "" : ", ", key, in_words(value));
      if (!plain.empty()) known += line_of(here + ": " + plain);
      add(rest, here + " ");
    }
  }
  std::string text() const { return unknown.empty() ? known : known + "  not known:\n" + unknown; }
};

}  // namespace

std::vector<std::string> difference_notes(std::span<const MachineRow> machines, std::size_t most) {
  const auto differences = differing_facts(machines);
  std::vector<std::string> notes;
  for (const auto& one : differences) {
    if (notes.size() == most) {
      notes.push_back(fmt::format("like nodes differ in {} more facts: plumbline show FILE --machine", differences.size() - most));
      break;
    }
    notes.push_back("like nodes differ in " + printable(to_string(one)));
  }
  return notes;
}

Json machine_rows(std::span<const MachineRow> machines) {
  Json rows = Json::array();
  for (const auto& row : machines) {
    Json machine = Json::parse(row.json, nullptr, false);
    if (!machine.is_object()) machine = {{"status", "failed"}, {"reason", "its machine document is missing or unreadable"}};
    machine["node"] = row.node;
    rows.push_back(std::move(machine));
  }
  return rows;
}

Json machine_schema() {
  return {{"type", "object"},
          {"properties", {{"node", {{"type", "string"}, {"description", "name of the node"}}}}},
          {"required", {"node"}},
          {"additionalProperties", true}};
}

Columns<ShownMachines> beside_machines_columns() {
  const Columns<NodesWithValue> values{
      {"value", "what these nodes say, as JSON has it; 'absent: ...' where they do not know", &NodesWithValue::value},
      {"nodes", "names of the nodes", &NodesWithValue::nodes}};
  const Columns<NodeDifference> differences{
      {"fact", "fact in which they differ, as system microcode", &NodeDifference::fact},
      list_column<NodeDifference>("values", "what is said of it, by most nodes first", values, &NodeDifference::values)};
  return {list_column<ShownMachines>("differences", "in what like nodes differ", differences,
                                     [](const ShownMachines& shown) { return differing_facts(shown.machines); }),
          {"provenance", "program, build, command and job, as rank 0 found them; null where the file has none that is readable",
           nullable(Json{{"type", "object"}}),
           [](const ShownMachines& shown) { return shown.provenance.is_object() ? shown.provenance : Json(); }}};
}

std::string machine_text(std::span<const MachineRow> machines) {
  std::map<std::string, std::vector<Json>> kinds;
  for (Json& machine : machine_rows(machines)) kinds[machine.value("kind", Json()).dump()].push_back(std::move(machine));
  std::string text;
  for (auto& [kind, nodes] : kinds) {
    const std::string others = nodes.size() > 1 ? fmt::format(", and {} like it", nodes.size() - 1) : "";
    FactLines facts;
    facts.add(nodes.front(), "");
    text += fmt::format("{}{}\n{}", printable(nodes.front()["node"].get<std::string>()), others, facts.text());
  }
  for (const auto& difference : differing_facts(machines))
    text += wrapped("like nodes differ in " + printable(to_string(difference)), 118, "  ").substr(2) + "\n";
  return text;
}

std::string provenance_text(const Json& provenance) {
  if (!provenance.is_object()) return "provenance: the file has none that is readable\n";
  Json facts = Json::object();
  for (const auto& [name, value] : provenance.items())
    if (std::find(told_elsewhere.begin(), told_elsewhere.end(), name) == told_elsewhere.end()) facts[name] = value;
  FactLines lines;
  lines.add(facts, "");
  return "program and job, as rank 0 found them\n" + lines.text();
}

}  // namespace plumbline::app
