#include "app/session/run_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/results/stored_results.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "campaign/changes.hpp"
#include "core/gpu_device.hpp"
#include "machine/program_id.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"
#include "store/session_list.hpp"
#include "store/session_mark.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Whether something lies in the folder of journals that a session left.
bool holds_journals(const fs::path& folder) {
  std::error_code none;
  const fs::directory_iterator entries(folder, none);
  return std::any_of(begin(entries), end(entries), [](const auto& entry) { return !is_hold(entry.path()); });
}

void refuse_to_overwrite(const fs::path& store) {
  if (holds_journals(journal_directory(store)))
    throw user_error(
        fmt::format("{} holds an unfinished run: go on with --resume, throw it away with --overwrite, or choose another file with -o",
                    journal_directory(store).string()));
  if (fs::exists(store))
    throw user_error(
        fmt::format("{} exists: add to it with --resume, replace it with --overwrite, or choose another file with -o", store.string()));
}

void remove_earlier(const fs::path& store) {
  for (const auto& entry : fs::directory_iterator(journal_directory(store)))
    if (!is_hold(entry.path())) fs::remove_all(entry.path());
  fs::remove(behind_links(store));
}

/// --overwrite takes away an earlier result, and nothing else that somebody named by mistake.
void refuse_to_remove(const fs::path& store) {
  if (fs::is_regular_file(store) && fs::file_size(store) > 0 && !begins_as_store(store))
    throw user_error(fmt::format("{} is no result file: --overwrite leaves it alone; choose another file with -o", store.string()));
}

void prepare_folder(const fs::path& store) {
  std::error_code failed;
  if (store.has_parent_path()) fs::create_directories(store.parent_path(), failed);
  if (failed)
    throw io_error(fmt::format("cannot create {}: {}; choose another file with -o", store.parent_path().string(), failed.message()));
}

bool is_ours(const fs::path& entry) {
  std::error_code unknown;
  const std::string name = entry.filename().string();
  return fs::is_regular_file(entry, unknown) && (name.starts_with('.') ? is_mark(entry) : begins_as_journal(entry));
}

/// Removes the journals. What somebody else put among them is not ours to remove: it comes to lie beside their folder.
void remove_journals(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> ours, others;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (!is_hold(entry->path())) (is_ours(entry->path()) ? ours : others).push_back(entry->path());
  if (failed) return;
  for (const auto& other : others) {
    fs::path beside = folder.string() + "." + other.filename().string();
    while (fs::exists(beside, failed)) beside += "~";
    fs::rename(other, beside, failed);
    if (failed) return;  // then the folder stays
  }
  for (const auto& one : ours) fs::remove(one, failed);
  fs::remove(folder, failed);
}

/// Tells all that was lost: where it is much, in a file that the text names.
std::string told(const std::vector<std::string>& lost) {
  constexpr std::size_t most = 5;
  if (lost.size() <= most) return fmt::format("{}", fmt::join(lost, ", "));
  std::error_code none;
  std::string list = (fs::temp_directory_path(none) / "plumbline-lost-XXXXXX").string();
  const FileDescriptor file(mkstemp(list.data()));
  if (!file || !write_all(file.number(), fmt::format("{}\n", fmt::join(lost, "\n")))) return fmt::format("{}", fmt::join(lost, ", "));
  return fmt::format("{} and {} more, which {} names", fmt::join(lost.begin(), lost.begin() + most, ", "), lost.size() - most, list);
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

using OverdueText = std::tuple<std::string, std::string, std::string, int, std::string, bool>;

json overdue_to_json(const std::map<WorkKey, Overdue>& overdue) {
  std::vector<OverdueText> all;
  for (const auto& [key, one] : overdue)
    all.emplace_back(std::get<0>(key), std::get<1>(key), std::get<2>(key), one.times, one.reason, one.given_up);
  return all;
}

json chosen_to_json(const std::vector<ChosenForm>& chosen) {
  json all = json::array();
  for (const auto& one : chosen) {
    const bool sized = std::isfinite(one.working_set_bytes);
    all.push_back(
        {one.node, one.name, one.precision, one.ranks, one.threads, sized ? json(one.working_set_bytes) : json(), one.form, one.complete});
  }
  return all;
}

std::vector<ChosenForm> chosen_from_json(const json& all) {
  std::vector<ChosenForm> chosen;
  for (const auto& one : all)
    chosen.push_back({one[0], one[1], one[2], one[3], one[4], one[5].is_null() ? absent : one[5].get<double>(), one[6], one[7]});
  return chosen;
}

std::string where_measured(const CeilingRow& row) {
  if (row.level == "mpi" || row.level == "link") return row.level;
  if (row.level == choice_level) return "form";  // of which nobody asks: what was chosen says enough
  return row.scope == gpu_scope ? gpu_rounds(gpu_of_name(row.name)) : "node";
}

/// The rounds of ceilings that were measured, named as units of work. What failed is tried again, and not forgotten.
void add_ceiling_rounds(const Results& earlier, std::set<WorkKey>& keys) {
  using Round = std::tuple<std::string, std::string, std::string, std::int32_t>;
  std::map<Round, std::vector<std::string>> rounds;
  std::set<Round> failed;
  for (const auto& row : earlier.ceilings) {
    const Round round{where_measured(row), row.node, row.session, row.round};
    if (row.status == Status::failed) failed.insert(round);
    if (row.level != "numa") rounds[round].push_back(ceiling_point(row));  // the others come with the ceilings of their node
  }
  for (auto& [which, points] : rounds) {
    const auto& [where, node, session, round] = which;
    if (!failed.contains(which)) keys.emplace(ceiling_round_id(where, std::move(points), round), node, "time");
  }
}

constexpr const char* given_up_group = "given up";

std::string counted_pass(const std::string& group_key) { return "count:" + group_key; }

void add_outcome(const OutcomeRow& outcome, std::set<WorkKey>& keys) {
  if (outcome.status != Status::ok) return;
  keys.emplace(outcome.case_id, outcome.node, outcome.pass);
  if (outcome.pass != "count") return;
  const json placement = json::parse(outcome.placement, nullptr, false);
  if (!placement.is_object() || !placement.contains("counted_with")) return;
  for (const auto& key : placement["counted_with"]) keys.emplace(outcome.case_id, outcome.node, counted_pass(key));
}

/// The findings of rank 0; the message of an Error it met, or empty, comes first so that all ranks end alike.
struct Found {
  std::string error;
  Exit code = Exit::ok;
  std::set<WorkKey> keys;
  std::map<WorkKey, Overdue> overdue;
  std::map<std::string, std::string> kinds, last_caches;
  std::vector<ChosenForm> chosen_forms;
  std::vector<FormContest> contests;
  std::int64_t youngest_start_ns = 0;
  std::vector<std::string> notes;
  std::unique_ptr<SessionHold> hold;
};

/// A case that took too long once is tried again, after the second time only under a longer deadline.
void add_overdue(const OutcomeRow& outcome, const Deadline& deadline, Found& found) {
  const json placement = json::parse(outcome.placement, nullptr, false);
  if (outcome.status == Status::ok || !placement.is_object() || !placement.contains("deadline")) return;
  const json& then = placement["deadline"];
  const int times = then.value("times", 0);
  const bool longer = deadline.factor > then.value("factor", 0.0) || deadline.floor_seconds > then.value("floor_seconds", 0.0);
  const WorkKey key{outcome.case_id, outcome.node, outcome.pass};
  const bool given_up = times >= 2 && !longer;
  found.overdue[key] = {times, outcome.reason, given_up};
  if (!given_up) return;
  found.keys.insert(key);
  if (outcome.pass == "count") found.keys.emplace(outcome.case_id, outcome.node, counted_pass(given_up_group));
}

/// Times of two programs, or taken in two ways, do not belong into one table unless the user says so.
void refuse_changes(const RunOptions& options, const Campaign& campaign, const Results& earlier, const fs::path& store, Found& found) {
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  const std::string before = provenance.is_object() ? provenance.value("program", "unknown") : "unknown", now = program_id();
  if (before != "unknown" && before != now) {
    if (!options.accept_changed_program)
      throw user_error(fmt::format(
          "{} was begun by another build of plumbline ({:.12} then, {:.12} now), whose times may differ: resume with the old one, "
          "choose another file with -o, or say --accept-changed-program",
          store.string(), before, now));
    found.notes.push_back(fmt::format("what is finished was measured by another build of plumbline ({:.12}; now {:.12})", before, now));
  }
  const auto changes = measured_otherwise(campaign, parse_campaign(earlier.campaign, "the campaign of the earlier run"));
  if (changes.empty()) return;
  const std::string list = fmt::format("{}", fmt::join(changes, ", "));
  if (!options.accept_changed_campaign)
    throw user_error(
        fmt::format("{} was begun with a campaign that measures otherwise: {}; undo that, choose another file with -o, or say "
                    "--accept-changed-campaign",
                    store.string(), list));
  found.notes.push_back("what is finished was measured otherwise: " + list);
}

/// The last caches by node: those of the result file, then those of the journals.
std::map<std::string, std::string> last_caches_of(const Results& earlier) {
  std::map<std::string, std::string> chosen;
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  if (provenance.is_object() && provenance.contains("last_caches"))
    for (const json& one : provenance["last_caches"])
      if (one.is_object() && one.contains("node") && one["node"].is_string()) chosen[one["node"]] = one.dump();
  for (const auto& outcome : earlier.outcomes)
    if (outcome.case_id == last_cache_unit && outcome.status == Status::ok) chosen[outcome.node] = outcome.placement;
  return chosen;
}

/// The contests in the order of their sessions.
std::vector<FormContest> contests_in_order(const Results& earlier) {
  std::map<std::string, std::int64_t> started;
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  if (provenance.is_object() && provenance.contains("sessions"))
    for (const json& session : provenance["sessions"])
      started.try_emplace(session["session"], session.value("started_unix_ns", std::int64_t{0}));
  auto contests = contests_of(earlier.ceilings);
  std::stable_sort(contests.begin(), contests.end(),
                   [&](const FormContest& a, const FormContest& b) { return started[a.session] < started[b.session]; });
  return contests;
}

std::int64_t youngest_start(const Results& earlier) {
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  std::int64_t youngest = 0;
  if (provenance.is_object() && provenance.contains("sessions"))
    for (const json& session : provenance["sessions"]) youngest = std::max(youngest, session.value("started_unix_ns", std::int64_t{0}));
  return youngest;
}

Found look(const RunOptions& options, const Campaign& campaign, const fs::path& store) {
  Found found;
  try {
    if (fs::is_directory(store) || !store.has_filename())
      throw user_error(fmt::format("{} is a folder; name a file with -o", store.string()));
    if (!may_be_replaced(store))
      throw user_error(fmt::format("{} is a device or a FIFO, which cannot hold results; name a file with -o", store.string()));
    if (store.string().ends_with(journal_suffix))
      throw user_error(
          fmt::format("{} ends as the folders of journals do; name the output otherwise with -o, best NAME.h5", store.string()));
    std::error_code none;
    if (fs::equivalent(store, campaign.path, none))
      throw user_error(fmt::format("{} is the campaign itself; name another file with -o", store.string()));
    const bool is_new = !options.overwrite && !options.resume && !options.dry_run;
    if (is_new && !fs::exists(journal_directory(store))) refuse_to_overwrite(store);
    if (!options.dry_run) {
      prepare_folder(store);
      found.hold = std::make_unique<SessionHold>(store);
    }
    if (is_new) refuse_to_overwrite(store);
    if (!options.dry_run) require_replaceable(store, "result file");
    if (options.overwrite) refuse_to_remove(store);
    if (options.overwrite && !options.dry_run) {
      if (const auto held = journal_in_use(journal_directory(store))) throw in_use(*held);
      remove_earlier(store);
    }
    if (!options.resume) return found;
    if (const auto earlier = load_finished(store, load_results)) {
      refuse_changes(options, campaign, *earlier, store, found);
      for (const auto& outcome : earlier->outcomes) {
        add_outcome(outcome, found.keys);
        add_overdue(outcome, campaign.deadline, found);
      }
      add_ceiling_rounds(*earlier, found.keys);
      found.chosen_forms = chosen_forms(earlier->ceilings);
      found.contests = contests_in_order(*earlier);
      found.youngest_start_ns = youngest_start(*earlier);
      found.last_caches = last_caches_of(*earlier);
      for (const auto& machine : earlier->machines)
        if (const json facts = json::parse(machine.json, nullptr, false); facts.is_object() && facts.contains("kind"))
          found.kinds[machine.node] = facts["kind"];
    }
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
  if (finished.contains({id, node, counted_pass(given_up_group)})) return true;
  return finished.contains({id, node, "count"}) && std::all_of(group_keys.begin(), group_keys.end(), [&](const std::string& key) {
           return finished.contains({id, node, counted_pass(key)});
         });
}

RunRecord::RunRecord(const RunOptions& options, const Campaign& campaign, const fs::path& store, Communicator& ranks)
    : store_(store), sync_seconds_(campaign.journal.sync_seconds) {
  Found found;
  if (ranks.rank() == 0) found = look(options, campaign, store);
  const json told = json::parse(ranks.world().broadcast(json{
      {"error", found.error},
      {"code", static_cast<int>(found.code)},
      {"keys", keys_to_text(found.keys)},
      {"overdue", overdue_to_json(found.overdue)},
      {"kinds", found.kinds},
      {"last_caches", found.last_caches},
      {"chosen_forms", chosen_to_json(found.chosen_forms)},
      {"youngest_start_ns", found.youngest_start_ns}}.dump()));
  if (!told["error"].get<std::string>().empty()) throw Error(static_cast<Exit>(told["code"].get<int>()), told["error"]);
  finished_ = keys_from_text(told["keys"]);
  for (const auto& [id, node, pass, times, reason, given_up] : told["overdue"].get<std::vector<OverdueText>>())
    overdue_[{id, node, pass}] = {times, reason, given_up};
  kinds_ = told["kinds"].get<std::map<std::string, std::string>>();
  last_caches_ = told["last_caches"].get<std::map<std::string, std::string>>();
  youngest_start_ns_ = told["youngest_start_ns"];
  chosen_forms_ = chosen_from_json(told["chosen_forms"]);
  contests_ = std::move(found.contests);
  notes_ = std::move(found.notes);
  hold_ = std::move(found.hold);
}

void RunRecord::require_one_folder(const std::string& session, Communicator& ranks) const {
  if (ranks.nodes() == 1) return;
  const fs::path folder = journal_directory(store_);
  json refused = json::array({"", 0});
  if (ranks.rank() == 0) try {
      lay_mark(folder, session);
    } catch (const Error& error) {
      refused = {error.what(), static_cast<int>(error.code())};
    }
  refused = json::parse(ranks.world().broadcast(refused.dump()));
  if (const std::string why = refused[0]; !why.empty()) throw Error(static_cast<Exit>(refused[1].get<int>()), why);
  const bool looks = ranks.local().rank() == 0 && ranks.rank() != 0;
  const std::string without = looks ? why_without_mark(folder, session) : "";
  const auto all = ranks.world().gather(without.empty() ? "" : fmt::format("{} has {}", ranks.host(), without));
  if (ranks.rank() == 0) remove_mark(folder, session);
  std::vector<std::string> others;
  std::copy_if(all.begin(), all.end(), std::back_inserter(others), [](const std::string& text) { return !text.empty(); });
  const std::size_t named = std::min<std::size_t>(others.size(), 4);
  const std::string told = ranks.world().broadcast(
      others.empty()
          ? ""
          : fmt::format("the nodes do not share the folder {}: {} wrote into it, {}{}; give -o on a file system that all nodes share",
                        folder.string(), ranks.host(), fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                        named < others.size() ? fmt::format(" and {} nodes more", others.size() - named) : ""));
  if (told.empty()) return;
  std::error_code has_more;
  if (ranks.rank() == 0) fs::remove(folder, has_more);
  throw user_error(told);
}

std::string RunRecord::written() const {
  return journal_ ? json{journal_->path().filename().string(), journal_->bytes()}.dump() : std::string();
}

void RunRecord::require_all(const std::vector<std::string>& written) const {
  for (const auto& text : written) {
    if (text.empty()) continue;
    const json one = json::parse(text);
    const fs::path journal = journal_directory(store_) / one[0].get<std::string>();
    const FileDescriptor file = open_file(journal, O_RDONLY);  // for this a client of NFS asks its server; for a stat it need not
    const off_t bytes = file ? ::lseek(file.number(), 0, SEEK_END) : -1;
    if (bytes >= 0 && static_cast<std::uint64_t>(bytes) >= one[1].get<std::uint64_t>()) continue;
    throw io_error(
        fmt::format("journal '{}' is {} here and {} bytes long where it was written, so nothing is put together yet; "
                    "go on with --resume, on a file system that all nodes share",
                    journal.string(), bytes < 0 ? "missing" : fmt::format("{} bytes long", bytes), one[1].get<std::uint64_t>()));
  }
}

std::optional<std::string> RunRecord::last_cache(const std::string& node) const {
  const auto chosen = last_caches_.find(node);
  return chosen == last_caches_.end() ? std::nullopt : std::optional(chosen->second);
}

std::vector<CeilingRow> RunRecord::sweeps(const std::string& node) const {
  std::vector<CeilingRow> rows;
  const auto take = [&](const std::vector<CeilingRow>& from) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(rows),
                 [&](const CeilingRow& row) { return row.level == "sweep" && row.node == node; });
  };
  if (const fs::path journal = journal_ ? journal_->path() : journal_directory(store_) / node; fs::exists(journal))
    for (const auto& record : read_journal(journal).records) take(record.ceilings);
  if (rows.empty() && fs::exists(store_)) take(load_results(store_).ceilings);
  return rows;
}

std::vector<RemeasuredRow> RunRecord::remeasured(const std::string& node) const {
  std::map<std::string, std::vector<RemeasuredRow>> units;
  const auto is_kept = [&](const OutcomeRow& outcome) {
    return outcome.pass == "again" && outcome.node == node && outcome.status == Status::ok;
  };
  if (const fs::path journal = journal_ ? journal_->path() : journal_directory(store_) / node; fs::exists(journal))
    for (auto& record : read_journal(journal).records)
      if (is_kept(record.outcome)) units[record.outcome.case_id] = std::move(record.remeasured);
  if (units.empty() && fs::exists(store_)) {
    const Results earlier = load_results(store_);
    for (const auto& outcome : earlier.outcomes)
      if (is_kept(outcome)) units[outcome.case_id];
    for (const auto& row : earlier.remeasured)
      if (const auto unit = units.find(row.case_id); row.node == node && unit != units.end()) unit->second.push_back(row);
  }
  std::vector<RemeasuredRow> rows;
  for (auto& [id, of_unit] : units) std::move(of_unit.begin(), of_unit.end(), std::back_inserter(rows));
  return rows;
}

void RunRecord::open(const JournalHeader& header, const std::string& host) {
  journal_ = std::make_unique<Journal>(journal_directory(store_), host, header, sync_seconds_);
}

std::vector<std::string> RunRecord::lost_units(const std::string& newest) const {
  std::vector<std::string> lost;
  if (!newest.empty()) lost.push_back(newest);
  const std::size_t earlier = journal_->is_there() ? std::min(journal_->in_doubt(), appended_.size()) : appended_.size();
  lost.insert(lost.end(), appended_.rbegin(), appended_.rbegin() + static_cast<std::ptrdiff_t>(earlier));  // latest first
  return lost;
}

void RunRecord::append(const Finished& unit) {
  const std::string name = fmt::format("{} ({})", unit.outcome.case_id, unit.outcome.pass);
  try {
    journal_->append(unit);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; measured, but not on disk: {}", error.what(), told(lost_units(name))));
  }
  appended_.push_back(name);
}

void RunRecord::sync() {
  if (!journal_) return;
  try {
    journal_->sync();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; measured, but perhaps not on disk: {}", error.what(), told(lost_units(""))));
  }
}

Consolidated RunRecord::consolidate(bool complete, const std::vector<std::string>& ids) {
  Consolidated made = consolidate_into(store_, ids);
  if (!complete) return made;
  journal_.reset();  // NFS only renames what is open, and the folder would stay
  remove_journals(journal_directory(store_));
  hold_.reset();  // the last: whoever waits for it begins anew
  return made;
}

}  // namespace plumbline::app
