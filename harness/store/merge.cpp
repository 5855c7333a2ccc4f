#include "store/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/error.hpp"
#include "store/journal.hpp"
#include "store/result_store.hpp"

namespace plumbline {
namespace {

/// Fields that name something, joined by a byte that no name holds.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string key;
  ((key += parts, key += '\x1f'), ...);
  return key;
}

std::string work_key(const OutcomeRow& outcome) { return joined(outcome.case_id, outcome.node, outcome.pass); }

/// True where `later` takes the place of `earlier`.
bool supersedes(const OutcomeRow& later, const OutcomeRow& earlier) { return later.status == Status::ok || earlier.status != Status::ok; }

/// Keeps one item a unit of work, in the order of their first appearance.
template <class Item, class OutcomeOf>
void keep_winners(std::vector<Item>& items, OutcomeOf outcome_of) {
  std::unordered_map<std::string, std::size_t> place;
  place.reserve(items.size());
  std::size_t kept = 0;
  for (auto& item : items) {
    const auto [found, is_new] = place.try_emplace(work_key(outcome_of(item)), kept);
    Item& slot = items[found->second];
    if (is_new) ++kept;
    if (&slot != &item && (is_new || supersedes(outcome_of(item), outcome_of(slot)))) slot = std::move(item);
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
}

std::vector<std::filesystem::path> journal_files(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file() && !entry->path().filename().string().starts_with('.')) files.push_back(entry->path());
  if (error)
    throw user_error(fmt::format("journal folder '{}' cannot be read: {}; give the NAME.journal that lies beside the result file",
                                 directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

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

/// Drops the outcomes and samples of the units in `lost`.
void drop(Results& results, const Keys& lost) {
  std::erase_if(results.outcomes, [&](const OutcomeRow& row) { return lost.contains(work_key(row)); });
  std::erase_if(results.times, [&](const TimeRow& row) { return lost.contains(joined(row.case_id, row.node, "time")); });
  std::erase_if(results.counts, [&](const CountRow& row) { return lost.contains(joined(row.case_id, row.node, "count")); });
}

std::string ceiling_key(const CeilingRow& row) {
  return joined(row.name, row.precision, row.level, row.pattern, std::to_string(row.ranks), std::to_string(row.threads), row.node,
                std::to_string(row.round));
}

/// Of a round of a ceiling that both have, the newer samples stay if any is ok or no older one is.
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
  std::erase_if(older, [&](const CeilingRow& row) { return newer_wins(ceiling_key(row)); });
  std::erase_if(newer, [&](const CeilingRow& row) { return !newer_wins(ceiling_key(row)); });
  move_rows(newer, older);
}

template <class Row, class Key>
void add_unseen(std::vector<Row>& from, std::vector<Row>& to, Key key) {
  std::unordered_set<std::string> seen;
  for (const auto& row : to) seen.insert(key(row));
  for (auto& row : from)
    if (seen.insert(key(row)).second) to.push_back(std::move(row));
}

}  // namespace

std::set<WorkKey> finished(const Results& results) {
  std::set<WorkKey> keys;
  for (const auto& outcome : results.outcomes) keys.emplace(outcome.case_id, outcome.node, outcome.pass);
  return keys;
}

Results merge_journals(const std::filesystem::path& directory, std::vector<std::string>* notes) {
  std::vector<Finished> records;
  std::vector<JournalHeader> headers;
  for (const auto& file : journal_files(directory)) {
    JournalContents contents = read_journal(file);
    move_rows(contents.records, records);
    move_rows(contents.headers, headers);
    if (contents.torn_bytes > 0 && notes != nullptr)
      notes->push_back(fmt::format("journal '{}': {} bytes are no whole record and were dropped", file.string(), contents.torn_bytes));
  }
  if (headers.empty())
    throw user_error(
        fmt::format("journal folder '{}' holds no journal; give the NAME.journal that lies beside the result file", directory.string()));
  std::stable_sort(headers.begin(), headers.end(),
                   [](const auto& left, const auto& right) { return left.started_unix_ns < right.started_unix_ns; });
  Results results;
  results.campaign = headers.back().campaign;
  results.provenance = headers.back().provenance;
  std::reverse(headers.begin(), headers.end());  // a node's youngest description first
  for (auto& header : headers) add_unseen(header.machines, results.machines, [](const MachineRow& row) { return row.node; });
  std::sort(results.machines.begin(), results.machines.end(), [](const auto& left, const auto& right) { return left.node < right.node; });
  keep_winners(records, [](const Finished& record) -> const OutcomeRow& { return record.outcome; });
  for (auto& record : records) append(results, std::move(record));
  return results;
}

Results merge(Results older, Results newer) {
  Results merged = std::move(older);
  if (!newer.campaign.empty()) merged.campaign = newer.campaign;
  if (!newer.provenance.empty()) merged.provenance = newer.provenance;
  add_unseen(newer.cases, merged.cases, [](const CaseRow& row) { return row.id; });
  add_unseen(newer.model, merged.model, [](const ModelRow& row) { return joined(row.case_id, row.quantity); });
  add_unseen(merged.machines, newer.machines, [](const MachineRow& row) { return row.node; });
  merged.machines = std::move(newer.machines);
  merge_ceilings(merged.ceilings, newer.ceilings);
  const Losers losers = losers_of(merged.outcomes, newer.outcomes);
  drop(merged, losers.older);
  drop(newer, losers.newer);
  move_rows(newer.outcomes, merged.outcomes);
  move_rows(newer.times, merged.times);
  move_rows(newer.counts, merged.counts);
  return merged;
}

std::optional<Results> load_finished(const std::filesystem::path& store, std::vector<std::string>* notes) {
  const std::filesystem::path journal = journal_directory(store);
  const bool have_store = std::filesystem::exists(store), have_journal = std::filesystem::exists(journal);
  if (have_store && have_journal) return merge(load_store(store), merge_journals(journal, notes));
  if (have_store) return load_store(store);
  if (have_journal) return merge_journals(journal, notes);
  return std::nullopt;
}

}  // namespace plumbline
