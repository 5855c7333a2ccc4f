#include "store/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/error.hpp"
#include "store/journal.hpp"
#include "store/journal_folder.hpp"
#include "store/other_counts.hpp"
#include "store/session_list.hpp"
#include "store/work_key.hpp"

namespace plumbline {
namespace {

template <class Row>
void move_rows(std::vector<Row>& from, std::vector<Row>& to) {
  if (to.empty()) to.swap(from);
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

using Keys = std::unordered_set<std::string>;

/// Units that both have: the keys whose older attempt gives way, and those whose newer attempt does.
struct Losers {
  Keys older, newer;
};

Losers losers_of(const std::vector<OutcomeRow>& older, const std::vector<OutcomeRow>& newer) {
  std::unordered_map<std::string, const OutcomeRow*> known;
  for (const auto& outcome : older) known[work_key(outcome)] = &outcome;
  Losers losers;
  for (const auto& outcome : newer)
    if (const auto found = known.find(work_key(outcome)); found != known.end())
      (supersedes(outcome, *found->second) ? losers.older : losers.newer).insert(found->first);
  return losers;
}

/// Counts of units in `lost` that stay beside the newer attempt's, which is told so: [unit] backends.
std::unordered_map<std::string, std::set<std::string>> other_counts(const std::vector<OutcomeRow>& older, std::vector<OutcomeRow>& newer,
                                                                    const Keys& lost) {
  std::unordered_map<std::string, const OutcomeRow*> before;
  for (const auto& row : older)
    if (row.pass == "count" && lost.contains(work_key(row))) before[work_key(row)] = &row;
  std::unordered_map<std::string, std::set<std::string>> kept;
  for (auto& row : newer)
    if (const auto found = before.find(work_key(row)); found != before.end())
      if (auto others = take_other_counts(*found->second, row); !others.empty()) kept[found->first] = std::move(others);
  return kept;
}

/// Drops the outcomes and samples of the units in `lost`, but for wrong results, which go to `wrong`.
void drop(Results& results, const Keys& lost, std::vector<OutcomeRow>& wrong) {
  for (const auto& row : results.outcomes)
    if (row.status == Status::wrong_result && lost.contains(work_key(row))) wrong.push_back(row);
  std::erase_if(results.outcomes, [&](const OutcomeRow& row) { return lost.contains(work_key(row)); });
  std::erase_if(results.times, [&](const TimeRow& row) { return lost.contains(joined(row.case_id, row.node, "time")); });
  std::erase_if(results.counts, [&](const CountRow& row) { return lost.contains(joined(row.case_id, row.node, "count")); });
  std::erase_if(results.remeasured, [&](const RemeasuredRow& row) { return lost.contains(joined(row.case_id, row.node, "again")); });
}

std::string ceiling_key(const CeilingRow& row) {
  return joined(row.name, row.precision, row.level.word(), row.pattern, std::to_string(row.ranks), std::to_string(row.threads), row.node,
                std::to_string(row.round));
}

/// Merges the rounds of ceilings: where both have one, the newer samples stay if any is ok or no older one is; wrong results stay, each
/// once.
void merge_ceilings(std::vector<CeilingRow>& older, std::vector<CeilingRow>& newer) {
  const auto keys_of = [](const std::vector<CeilingRow>& rows, bool only_ok) {
    Keys keys;
    for (const auto& row : rows)
      if (!only_ok || row.status == Status::ok) keys.insert(ceiling_key(row));
    return keys;
  };
  const Keys in_newer = keys_of(newer, false), ok_in_newer = keys_of(newer, true), ok_in_older = keys_of(older, true);
  const auto newer_wins = [&](const std::string& key) {
    return in_newer.contains(key) && (ok_in_newer.contains(key) || !ok_in_older.contains(key));
  };
  std::vector<CeilingRow> wrong;
  std::copy_if(newer.begin(), newer.end(), std::back_inserter(wrong),
               [](const CeilingRow& row) { return row.status == Status::wrong_result; });
  const auto is_known = [&](const CeilingRow& row) {
    return std::any_of(wrong.begin(), wrong.end(), [&](const CeilingRow& other) { return same_sample(row, other); });
  };
  std::erase_if(older,
                [&](const CeilingRow& row) { return row.status == Status::wrong_result ? is_known(row) : newer_wins(ceiling_key(row)); });
  std::erase_if(newer, [&](const CeilingRow& row) { return row.status != Status::wrong_result && !newer_wins(ceiling_key(row)); });
  move_rows(newer, older);
}

template <class Row, class Key>
void add_unseen(std::vector<Row>& from, std::vector<Row>& to, Key key) {
  std::unordered_set<std::string> seen;
  for (const auto& row : to) seen.insert(key(row));
  for (auto& row : from)
    if (seen.insert(key(row)).second) to.push_back(std::move(row));
}

/// The results in a folder of journals; nullopt where it holds no session yet: a run that was killed before its first record.
std::optional<Results> results_of_journals(const std::filesystem::path& directory, std::vector<std::string>* notes) {
  const JournalFolder folder(directory, notes);
  if (folder.empty()) return std::nullopt;
  Results results = folder.frame();
  std::vector<OutcomeRow> wrong;
  folder.for_each_node([&](Results& part) {
    move_rows(part.outcomes, results.outcomes);
    move_rows(part.times, results.times);
    move_rows(part.counts, results.counts);
    move_rows(part.ceilings, results.ceilings);
    move_rows(part.remeasured, results.remeasured);
    for (auto& one : listed_wrong_results(part.provenance)) wrong.push_back(std::move(one));
  });
  results.provenance = with_wrong_results(results.provenance, wrong);
  return results;
}

}  // namespace

std::set<WorkKey> finished(const Results& results) {
  std::set<WorkKey> keys;
  for (const auto& outcome : results.outcomes) keys.emplace(outcome.case_id, outcome.node, outcome.pass);
  return keys;
}

Results merge_journals(const std::filesystem::path& directory, std::vector<std::string>* notes) {
  if (auto results = results_of_journals(directory, notes)) return std::move(*results);
  throw user_error(
      fmt::format("journal folder '{}' holds no journal; give the NAME.journal that lies beside the result file", directory.string()));
}

Results merge(Results older, Results newer) {
  Results merged = std::move(older);
  if (!newer.campaign.empty()) merged.campaign = newer.campaign;
  if (!newer.provenance.empty()) merged.provenance = with_events_of(with_lists_of(newer.provenance, merged.provenance), merged.provenance);
  add_unseen(newer.cases, merged.cases, [](const CaseRow& row) { return row.id; });
  add_unseen(newer.model, merged.model, [](const ModelRow& row) { return joined(row.case_id, row.phase, row.quantity); });
  add_unseen(merged.machines, newer.machines, [](const MachineRow& row) { return row.node; });
  merged.machines = std::move(newer.machines);
  merge_ceilings(merged.ceilings, newer.ceilings);
  const Losers losers = losers_of(merged.outcomes, newer.outcomes);
  const auto kept = other_counts(merged.outcomes, newer.outcomes, losers.older);
  std::vector<CountRow> beside;
  for (const auto& row : merged.counts)
    if (const auto unit = kept.find(joined(row.case_id, row.node, "count")); unit != kept.end() && unit->second.contains(row.backend))
      beside.push_back(row);
  std::vector<OutcomeRow> wrong;
  drop(merged, losers.older, wrong);
  drop(newer, losers.newer, wrong);
  std::erase_if(wrong, [&](const OutcomeRow& row) {  // the very record that stays
    const auto is_same = [&](const OutcomeRow& other) { return other == row; };
    return std::any_of(newer.outcomes.begin(), newer.outcomes.end(), is_same) ||
           std::any_of(merged.outcomes.begin(), merged.outcomes.end(), is_same);
  });
  merged.provenance = with_wrong_results(merged.provenance, wrong);
  move_rows(newer.outcomes, merged.outcomes);
  move_rows(newer.times, merged.times);
  move_rows(beside, merged.counts);
  move_rows(newer.counts, merged.counts);
  move_rows(newer.remeasured, merged.remeasured);
  return merged;
}

std::optional<Results> load_finished(const std::filesystem::path& store, LoadResults load, std::vector<std::string>* notes) {
  const std::filesystem::path directory = journal_directory(store);
  std::optional<Results> journals;
  if (std::filesystem::exists(directory)) journals = results_of_journals(directory, notes);
  if (!std::filesystem::exists(store)) return journals;
  return journals ? merge(load(store), std::move(*journals)) : load(store);
}

}  // namespace plumbline
