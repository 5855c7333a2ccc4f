#include "app/results/result_file.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "app/results/stored_results.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/counter_set_file.hpp"
#include "core/error.hpp"
#include "store/journal.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {
namespace {

bool matches(const std::string& glob, const std::string& text) { return fnmatch(glob.c_str(), text.c_str(), 0) == 0; }

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

template <class Row, class Keep>
void keep_only(std::vector<Row>& rows, Keep keep) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const Row& row) { return !keep(row); }), rows.end());
}

void select_kernels(Results& results, const std::string& glob) {
  std::set<std::string> kernels, kept;
  for (const auto& row : results.cases) kernels.insert(row.kernel);
  keep_only(results.cases, [&](const CaseRow& row) { return matches(glob, row.kernel) || matches(glob, row.id); });
  for (const auto& row : results.cases) kept.insert(row.id);
  if (kept.empty()) throw user_error(fmt::format("no case matches --kernel '{}'; the file has: {}", glob, listed(kernels)));
  const auto of_kept = [&](const auto& row) { return kept.count(row.case_id) > 0; };
  keep_only(results.outcomes, of_kept);
  keep_only(results.times, of_kept);
  keep_only(results.counts, of_kept);
  keep_only(results.remeasured, of_kept);
  keep_only(results.profile, of_kept);
  keep_only(results.model, of_kept);
}

void select_node(Results& results, const std::string& node) {
  std::set<std::string> nodes;
  for (const auto& row : results.outcomes) nodes.insert(row.node);
  for (const auto& row : results.ceilings) nodes.insert(row.node);
  if (nodes.count(node) == 0) throw user_error(fmt::format("no node is called '{}'; the file has: {}", node, listed(nodes)));
  const auto there = [&](const auto& row) { return row.node == node; };
  keep_only(results.outcomes, there);
  keep_only(results.times, there);
  keep_only(results.counts, there);
  keep_only(results.remeasured, there);
  keep_only(results.ceilings, there);
}

NodeFacts facts_of(const MachineRow& row) {
  const auto machine = nlohmann::json::parse(row.json);
  NodeFacts facts{.node = row.node};
  for (const auto& cache : machine.at("caches"))
    facts.caches.push_back({cache.at("level").get<int>(), cache.at("bytes").get<std::uint64_t>(),
                            cache.at("shared_by_cpus").get<std::int64_t>(), cache.value("ways", std::int64_t{0})});
  const auto cores = machine.value("cores", std::int64_t{0}), cpus = machine.value("pus", std::int64_t{0});
  if (cores > 0 && cpus >= cores) facts.cpus_per_core = cpus / cores;
  facts.numa_domains = std::max<std::int64_t>(1, machine.value("numa_nodes", std::int64_t{1}));
  facts.part = machine.value("part_of_node", "");
  if (const auto cpu = machine.find("cpu"); cpu != machine.end())
    facts.core = {cpu->value("vendor", ""), cpu->value("family", 0), cpu->value("model", 0), cpu->value("name", ""),
                  cpu->value("stepping", 0)};
  std::sort(facts.caches.begin(), facts.caches.end(), [](const CacheSize& a, const CacheSize& b) { return a.level < b.level; });
  return facts;
}

}  // namespace

std::string unfinished_note(const std::string& file) {
  const auto journal = journal_directory(file);
  if (!tells_of_unfinished_run(journal)) return {};
  return fmt::format(
      "{} is not whole: {} beside it tells of a run that is at work, or that stopped: 'plumbline run CAMPAIGN -o {} --resume' "
      "finishes it",
      file, journal.filename().string(), file);
}

Results load_selected(const Selection& selection) {
  Results results = load_cases(selection.file);
  if (const std::string note = unfinished_note(selection.file); !note.empty()) say(fmt::format("note: {}\n", note));
  if (!selection.kernel.empty()) select_kernels(results, selection.kernel);
  if (!selection.node.empty()) select_node(results, selection.node);
  return results;
}

std::vector<NodeFacts> node_facts(const Results& results, std::vector<std::string>& notes) {
  std::vector<NodeFacts> nodes;
  for (const auto& row : results.machines) try {
      const NodeFacts& node = nodes.emplace_back(facts_of(row));
      if (!node.part.empty()) notes.push_back(fmt::format("{} was measured on {}: no ceiling is of the whole node", node.node, node.part));
    } catch (const nlohmann::json::exception&) {
      notes.push_back(fmt::format("the machine description of node {} cannot be read: its cache sizes are unknown", row.node));
    }
  return nodes;
}

std::optional<CounterSet> chosen_counters(const Results& results, const std::string& set_file) {
  if (!set_file.empty()) return read_counter_set(set_file);
  const auto provenance = nlohmann::json::parse(results.provenance, nullptr, false);
  if (!provenance.is_object() || !provenance.contains("counter_set")) return std::nullopt;
  return parse_counter_set(provenance["counter_set"].get<std::string>(), "the result file's counter set");
}

std::string note_lines(const std::vector<std::string>& notes) {
  std::string text;
  std::set<std::string> seen;
  for (const auto& note : notes)
    if (seen.insert(note).second) text += "  *" + wrapped(note, 118, "    ").substr(3) + "\n";
  return text.empty() ? "" : "\n" + text;
}

}  // namespace plumbline::app
