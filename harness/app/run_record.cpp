#include "app/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "app/ceilings_stage.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void refuse_to_overwrite(const fs::path& store) {
  if (fs::exists(journal_directory(store)))
    throw user_error(
        fmt::format("{} holds an unfinished run: go on with --resume, throw it away with --overwrite, or choose another file with -o",
                    journal_directory(store).string()));
  if (fs::exists(store))
    throw user_error(
        fmt::format("{} exists: add to it with --resume, replace it with --overwrite, or choose another file with -o", store.string()));
}

void remove_earlier(const fs::path& store) {
  fs::remove_all(journal_directory(store));
  fs::remove(behind_links(store));
}

void prepare_folder(const fs::path& store) {
  std::error_code failed;
  if (store.has_parent_path()) fs::create_directories(store.parent_path(), failed);
  if (failed)
    throw io_error(fmt::format("cannot create {}: {}; choose another file with -o", store.parent_path().string(), failed.message()));
}

std::string keys_to_text(const std::set<WorkKey>& keys) {
  json all = json::array();
  for (const auto& [id, node, pass] : keys) all.push_back({id, node, pass});
  return all.dump();
}

std::set<WorkKey> keys_from_text(const std::string& text) {
  std::set<WorkKey> keys;
  for (const auto& key : json::parse(text)) keys.emplace(key[0], key[1], key[2]);
  return keys;
}

void sort_cases(std::vector<CaseRow>& cases, const std::vector<std::string>& ids) {
  std::unordered_map<std::string, std::size_t> place;
  for (const auto& id : ids) place.emplace(id, place.size());
  const auto place_of = [&](const CaseRow& row) {
    const auto found = place.find(row.id);
    return found == place.end() ? place.size() : found->second;
  };
  std::stable_sort(cases.begin(), cases.end(), [&](const CaseRow& a, const CaseRow& b) { return place_of(a) < place_of(b); });
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].row = static_cast<std::int64_t>(i);
}

/// The rounds of ceilings that were measured, named as units of work.
void add_ceiling_rounds(const Results& earlier, std::set<WorkKey>& keys) {
  std::map<std::tuple<std::string, std::string, std::string, std::int32_t>, std::vector<std::string>> rounds;
  for (const auto& row : earlier.ceilings)
    if (row.level != "numa")  // which come with the other ceilings of their node
      rounds[{row.level == "mpi" ? "mpi" : "node", row.node, row.session, row.round}].push_back(ceiling_point(row));
  for (auto& [which, points] : rounds) {
    const auto& [where, node, session, round] = which;
    keys.emplace(ceiling_round_id(where, std::move(points), round), node, "time");
  }
}

std::string counted_pass(const std::string& group_key) { return "count:" + group_key; }

void add_outcome(const OutcomeRow& outcome, std::set<WorkKey>& keys) {
  if (outcome.status != Status::ok) return;
  keys.emplace(outcome.case_id, outcome.node, outcome.pass);
  if (outcome.pass != "count") return;
  const json placement = json::parse(outcome.placement, nullptr, false);
  if (!placement.is_object() || !placement.contains("counted_with")) return;
  for (const auto& key : placement["counted_with"]) keys.emplace(outcome.case_id, outcome.node, counted_pass(key));
}

/// What rank 0 finds; the message of an Error it met, or empty, comes first so that all ranks end alike.
struct Found {
  std::string error;
  Exit code = Exit::ok;
  std::set<WorkKey> keys;
};

Found look(const RunOptions& options, const fs::path& store) {
  Found found;
  try {
    if (fs::is_directory(store)) throw user_error(fmt::format("{} is a folder; name a file with -o", store.string()));
    if (!may_be_replaced(store))
      throw user_error(fmt::format("{} is a device or a FIFO, which cannot hold results; name a file with -o", store.string()));
    if (options.overwrite) {
      if (!options.dry_run) remove_earlier(store);
    } else if (!options.resume) {
      if (!options.dry_run) refuse_to_overwrite(store);
    } else if (const auto earlier = load_finished(store)) {
      for (const auto& outcome : earlier->outcomes) add_outcome(outcome, found.keys);
      add_ceiling_rounds(*earlier, found.keys);
    }
    if (!options.dry_run) prepare_folder(store);
  } catch (const Error& error) {
    found.error = error.what();
    found.code = error.code();
  } catch (const fs::filesystem_error& error) {
    found.error = fmt::format("{}; choose another file with -o", error.what());
    found.code = Exit::io_or_failed_case;
  }
  return found;
}

}  // namespace

bool counting_is_finished(const std::set<WorkKey>& finished, const std::string& id, const std::string& node,
                          const std::vector<std::string>& group_keys) {
  return finished.contains({id, node, "count"}) && std::all_of(group_keys.begin(), group_keys.end(), [&](const std::string& key) {
           return finished.contains({id, node, counted_pass(key)});
         });
}

RunRecord::RunRecord(const RunOptions& options, const fs::path& store, Communicator& ranks) : store_(store) {
  Found found;
  if (ranks.rank() == 0) found = look(options, store);
  const json told = json::parse(ranks.world().broadcast(
      json{{"error", found.error}, {"code", static_cast<int>(found.code)}, {"keys", keys_to_text(found.keys)}}.dump()));
  if (!told["error"].get<std::string>().empty()) throw Error(static_cast<Exit>(told["code"].get<int>()), told["error"]);
  finished_ = keys_from_text(told["keys"]);
}

void RunRecord::open(const JournalHeader& header, const std::string& host) {
  journal_ = std::make_unique<Journal>(journal_directory(store_), host, header);
}

void tidy(Results& results, const std::vector<std::string>& ids) {
  sort_cases(results.cases, ids);
  // A round of ceilings is a unit of work for the journal only: its rows in /ceilings name node and round.
  std::erase_if(results.outcomes, [](const OutcomeRow& outcome) { return outcome.case_id.starts_with("ceilings/"); });
}

std::map<std::string, std::size_t> RunRecord::consolidate(bool complete, const std::vector<std::string>& ids) const {
  auto all = load_finished(store_);
  if (!all) throw io_error(fmt::format("neither {} nor its journal can be found any more", store_.string()));
  tidy(*all, ids);
  write_store(store_, *all);
  std::error_code ignored;
  if (complete) fs::remove_all(journal_directory(store_), ignored);
  std::map<std::string, std::size_t> reasons;
  for (const auto& outcome : all->outcomes)
    if (outcome.status != Status::ok) ++reasons[fmt::format("{}: {}", to_string(outcome.status), outcome.reason)];
  return reasons;
}

}  // namespace plumbline::app
