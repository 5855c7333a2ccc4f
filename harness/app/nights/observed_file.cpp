#include "app/nights/observed_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <tuple>

#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "machine/node_differences.hpp"
#include "store/session_list.hpp"

namespace plumbline::app {
namespace {

/// Nodes whose words are equal are like each other.
std::string machine_kind(const MachineRow& row) {
  const Json machine = Json::parse(row.json, nullptr, false);
  if (!machine.is_object()) return {};
  const Json cpu = machine.value("cpu", Json::object());
  std::string kind = cpu.value("name", "");
  kind.erase(kind.find_last_not_of(' ') + 1);
  if (kind.empty()) kind = fmt::format("{} family {} model {}", cpu.value("vendor", "CPU"), cpu.value("family", 0), cpu.value("model", 0));
  if (machine.contains("usable_cores")) kind += fmt::format(", {} of", machine.value("usable_cores", 0));  // a quota makes no other kind
  kind += fmt::format("{} {} cores", machine.contains("usable_cores") ? "" : ",", machine.value("cores", 0));
  for (const auto& cache : machine.value("caches", Json::array()))
    kind += fmt::format(", L{} {}", cache.value("level", 0), size_in_bytes(cache.value("bytes", 0.0)));
  for (const auto& gpu : machine.value("gpus", Json::array())) kind += ", " + gpu.value("name", "GPU");
  return kind;
}

std::int64_t written_at(const Json& provenance) {
  std::tm parts{};
  const std::string text = provenance.value("time_utc", "");
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return 0;
  return static_cast<std::int64_t>(timegm(&parts)) * 1'000'000'000;
}

std::int64_t start_of(const Results& results, const Json& provenance) {
  std::int64_t first = 0;
  for (const auto& row : results.outcomes)
    if (row.started_unix_ns > 0 && (first == 0 || row.started_unix_ns < first)) first = row.started_unix_ns;
  return first > 0 ? first : written_at(provenance);
}

/// Files of before the name was kept by itself have it among Slurm's variables.
std::string cluster_of(const Json& provenance) {
  for (const char* place : {"/cluster", "/slurm/SLURM_CLUSTER_NAME"})
    if (const Json name = provenance.value(Json::json_pointer(place), Json()); name.is_string()) return name;
  return {};
}

struct Circumstance {
  const char* pointer;  // into the provenance
  const char* words;
};
constexpr std::array<Circumstance, 10> of_program{{{"/git/commit", "binary: built from commit"},
                                                   {"/git/state", "binary: sources"},
                                                   {"/build/compiler", "binary: compiler"},
                                                   {"/build/flags", "binary: flags"},
                                                   {"/build/flavors", "binary: flavors"},
                                                   {"/threads_environment", "thread variables"},
                                                   {"/gpu_environment", "GPU variables"},
                                                   {"/library_environment", "variables of MPI and the allocator"},
                                                   {"/mpi", "MPI"},
                                                   {"/mpi_device", "MPI device"}}};
// The circumstances of rank 0's node: for files that say nothing more.
constexpr std::array<Circumstance, 9> of_first_node{{{"/kernel/release", "kernel"},
                                                     {"/kernel/options", "kernel options"},
                                                     {"/microcode", "microcode"},
                                                     {"/mitigations", "mitigations"},
                                                     {"/smt", "SMT"},
                                                     {"/thp", "transparent huge pages"},
                                                     {"/numa_balancing", "NUMA balancing"},
                                                     {"/gpu_driver", "GPU driver"},
                                                     {"/affinity", "allowed CPUs"}}};

/// The elements of a list, the members of an object, or the words of a long text.
std::multiset<std::string> parts_of(const Json& value) {
  std::multiset<std::string> parts;
  const auto text = [](const Json& one) { return one.is_string() ? one.get<std::string>() : one.dump(); };
  if (value.is_structured()) {
    for (const auto& [name, inner] : value.items()) parts.insert((value.is_object() ? name + "=" : "") + text(inner));
    return parts;
  }
  std::istringstream words(text(value));
  for (std::string word; words >> word;) parts.insert(word);
  return parts;
}

std::string less(const std::multiset<std::string>& all, const std::multiset<std::string>& known) {
  std::vector<std::string> others;
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(), std::back_inserter(others));
  return fmt::format("{}", fmt::join(others, ", "));
}

/// The change in words: "gcc 12 -> gcc 13"; for what is long only "-libold.so +libnew.so".
std::string change_in_words(const Json& before, const Json& after) {
  constexpr std::size_t most = 60;
  const auto text = [](const Json& value) {
    return value.is_null() ? "not told" : value.is_string() ? value.get<std::string>() : value.dump();
  };
  const std::string from = text(before), to = text(after);
  const bool together = !before.is_null() && !after.is_null();
  if (from.size() <= most && to.size() <= most && !(together && before.is_structured())) return printable(from + " -> " + to);
  if (!together) return printable(before.is_null() ? "not told before" : "not told after");
  const auto old_parts = parts_of(before), new_parts = parts_of(after);
  const std::string gone = less(old_parts, new_parts), come = less(new_parts, old_parts);
  if (gone.empty() && come.empty()) return "the same in another order";
  return printable(fmt::format("{}{}{}{}{}", gone.empty() ? "" : "without ", gone, gone.empty() || come.empty() ? "" : "; ",
                               come.empty() ? "" : "with ", come));
}

void add_differences(std::vector<std::string>& notes, std::span<const Circumstance> list, const Json& before, const Json& after) {
  for (const auto& [pointer, words] : list) {
    const Json::json_pointer place(pointer);
    const Json a = before.value(place, Json()), b = after.value(place, Json());
    const bool nothing = a.empty() && b.empty();  // not told by an older file, and nothing to tell
    if (a != b && !nothing) notes.push_back(fmt::format("other {}: {}", words, change_in_words(a, b)));
  }
}

/// The value of a text: JSON, as differing_facts has a list.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_structured() ? value : Json(text);
}

/// The nodes by fact, value before and value after; nullopt where the files have no node in common that says how its system is set up.
using NodeChanges = std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>>;

std::optional<NodeChanges> node_changes(const ObservedFile& before, const ObservedFile& after) {
  std::optional<NodeChanges> changes;
  std::map<std::string, const MachineRow*> earlier;
  const auto says_system = [](const MachineRow& row) { return row.json.find("\"system\"") != std::string::npos; };
  for (const auto& row : before.machines)
    if (says_system(row)) earlier[row.node] = &row;
  for (const auto& row : after.machines) {
    const auto known = earlier.find(row.node);
    if (known == earlier.end() || !says_system(row)) continue;
    if (!changes) changes.emplace();
    for (const auto& one : differing_facts(std::vector<MachineRow>{{"before", known->second->json}, {"after", row.json}})) {
      const bool in_order = one.values[0].nodes.front() == "before";
      (*changes)[{one.fact, one.values[in_order ? 0 : 1].value, one.values[in_order ? 1 : 0].value}].push_back(row.node);
    }
  }
  return changes;
}

void add_node_changes(std::vector<std::string>& notes, const NodeChanges& changes) {
  constexpr std::size_t most = 16, most_nodes = 4;
  std::size_t told = 0;
  for (const auto& [change, nodes] : changes) {
    if (told++ == most) {
      notes.push_back(fmt::format("{} more facts about nodes differ: plumbline show --machine of both", changes.size() - most));
      return;
    }
    const auto& [fact, from, to] = change;
    const auto named = std::min(nodes.size(), most_nodes);
    notes.push_back(fmt::format("other {}: {} on {}{}", fact, change_in_words(value_of(from), value_of(to)),
                                fmt::join(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                                named < nodes.size() ? fmt::format(" and {} more", nodes.size() - named) : ""));
  }
}

}  // namespace

ObservedFile observe_file(const std::string& path) { return observe_file(path, load_cases(path)); }

ObservedFile observe_file(const std::string& path, const Results& results) {
  ObservedFile file = observe_results(results);
  if (std::string note = unfinished_note(path); !note.empty()) file.notes.push_back(std::move(note));
  return file;
}

ObservedFile observe_results(const Results& results) {
  ObservedFile file;
  file.machines = results.machines;
  file.side.observations = observe(results, node_facts(results, file.notes));
  for (const auto& machine : results.machines) file.side.machines[machine.node] = machine_kind(machine);
  file.wrong = wrong_results(results);
  for (const auto& one : listed_wrong_results(results.provenance))
    file.wrong.push_back(
        {{one.case_id, one.node}, fmt::format("{}; begun {}, and tried again since", one.reason, utc_text(one.started_unix_ns)), {}});
  file.provenance = Json::parse(results.provenance, nullptr, false);
  if (!file.provenance.is_object()) file.provenance = Json::object();
  file.started_unix_ns = start_of(results, file.provenance);
  file.cluster = cluster_of(file.provenance);
  for (const auto& row : results.outcomes) file.sessions.insert(row.session);
  for (const auto& row : results.ceilings) file.sessions.insert(row.session);
  file.campaign = results.campaign;
  return file;
}

std::vector<std::string> differing_circumstances(const ObservedFile& before, const ObservedFile& after) {
  std::vector<std::string> notes;
  for (const auto& [file, name] : {std::pair(&before, "before"), std::pair(&after, "after")})
    if (file->provenance.empty())
      notes.push_back(fmt::format("the file {} has no readable provenance: program, build, MPI and environment are not compared", name));
  const bool told = !before.provenance.empty() && !after.provenance.empty();
  if (told) add_differences(notes, of_program, before.provenance, after.provenance);
  if (const auto changes = node_changes(before, after))
    add_node_changes(notes, *changes);
  else if (told)
    add_differences(notes, of_first_node, before.provenance, after.provenance);
  if (before.campaign != after.campaign) notes.emplace_back("other campaign: the two files' campaign texts differ");
  return notes;
}

std::string utc_text(std::int64_t unix_ns) {
  if (unix_ns == 0) return "unknown time";
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

std::string unit_suffix(const std::string& unit) { return unit == "GFLOP/s" ? "gflops" : unit == "GB/s" ? "gbs" : unit; }

std::string with_unit(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  return unit == "seconds" ? duration(value) : plain(value, 4) + " " + unit;
}

std::string change_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:+.1f} %", 100 * (ratio - 1)) : "-"; }

}  // namespace plumbline::app
