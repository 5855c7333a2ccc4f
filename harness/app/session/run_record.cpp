#include "app/session/run_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/results/stored_results.hpp"
#include "campaign/changes.hpp"
#include "comm/told.hpp"
#include "machine/program_id.hpp"
#include "store/file_bytes.hpp"
#include "store/merge.hpp"
#include "store/session_mark.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

/// Times of two programs, or taken in two ways, do not belong into one table unless the user says so.
void refuse_changes(const RunOptions& options, const Campaign& campaign, const Results& earlier, const fs::path& store,
                    std::vector<std::string>& notes) {
  const json provenance = json::parse(earlier.provenance, nullptr, false);
  const std::string before = provenance.is_object() ? provenance.value("program", "unknown") : "unknown", now = program_id();
  if (before != "unknown" && before != now) {
    if (!options.accept_changed_program)
      throw user_error(fmt::format(
          "{} was begun by another build of plumbline ({:.12} then, {:.12} now), whose times may differ: resume with the old one, "
          "choose another file with -o, or say --accept-changed-program",
          store.string(), before, now));
    notes.push_back(fmt::format("what is finished was measured by another build of plumbline ({:.12}; now {:.12})", before, now));
  }
  const auto changes = measured_otherwise(campaign, parse_campaign(earlier.campaign, "the campaign of the earlier run"));
  if (changes.empty()) return;
  const std::string list = fmt::format("{}", fmt::join(changes, ", "));
  if (!options.accept_changed_campaign)
    throw user_error(
        fmt::format("{} was begun with a campaign that measures otherwise: {}; undo that, choose another file with -o, or say "
                    "--accept-changed-campaign",
                    store.string(), list));
  notes.push_back("what is finished was measured otherwise: " + list);
}

/// The things that rank 0 found, for all.
struct Found {
  ClaimedOutput output;
  EarlierSessions earlier;
  std::vector<std::string> notes;
};

Found look(const RunOptions& options, const Campaign& campaign, const fs::path& store) {
  Found found{.output = claim_output(options, campaign, store), .earlier = {}, .notes = {}};
  if (!options.resume) return found;
  if (const auto earlier = load_finished(store, load_results)) {
    refuse_changes(options, campaign, *earlier, store, found.notes);
    found.earlier = sessions_in(*earlier, campaign.deadline);
  }
  return found;
}

}  // namespace

RunRecord::RunRecord(const RunOptions& options, const Campaign& campaign, const fs::path& store, Communicator& ranks)
    : files_(files_of(store)), sync_seconds_(campaign.journal.sync_seconds) {
  Found found;
  std::optional<Error> met;
  if (ranks.rank() == 0) try {
      found = look(options, campaign, store);
    } catch (const Error& error) {
      met = error;
    } catch (const fs::filesystem_error& error) {
      met = io_error(fmt::format("{}; choose another file with -o", error.what()));
    }
  throw_together(ranks.world(), met);
  if (ranks.rank() == 0) files_ = found.output.files;
  earlier_ = broadcast(ranks.world(), found.earlier);
  earlier_.contests = std::move(found.earlier.contests);
  notes_ = std::move(found.notes);
  hold_ = std::move(found.output.hold);
}

void RunRecord::require_one_folder(const std::string& session, Communicator& ranks) const {
  if (ranks.nodes() == 1) return;
  const fs::path& folder = files_.journals;
  std::optional<Error> refused;
  if (ranks.rank() == 0) try {
      lay_mark(folder, session);
    } catch (const Error& error) {
      refused = error;
    }
  throw_together(ranks.world(), refused);
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
    const fs::path journal = files_.journal_of(one[0].get<std::string>());
    const FileDescriptor file = open_file(journal, O_RDONLY);  // for this a client of NFS asks its server; for a stat it need not
    const off_t bytes = file ? ::lseek(file.number(), 0, SEEK_END) : -1;
    if (bytes >= 0 && static_cast<std::uint64_t>(bytes) >= one[1].get<std::uint64_t>()) continue;
    throw io_error(
        fmt::format("journal '{}' is {} here and {} bytes long where it was written, so nothing is put together yet; "
                    "go on with --resume, on a file system that all nodes share",
                    journal.string(), bytes < 0 ? "missing" : fmt::format("{} bytes long", bytes), one[1].get<std::uint64_t>()));
  }
}

std::vector<CeilingRow> RunRecord::sweeps(const std::string& node) const {
  std::vector<CeilingRow> rows;
  const auto take = [&](const std::vector<CeilingRow>& from) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(rows),
                 [&](const CeilingRow& row) { return row.level == CeilingKind::sweep && row.node == node; });
  };
  if (const fs::path journal = files_.journal_of(node); fs::exists(journal))
    for (const auto& record : read_journal(journal).records) take(record.ceilings);
  if (rows.empty() && fs::exists(files_.store)) take(load_results(files_.store).ceilings);
  return rows;
}

std::vector<RemeasuredRow> RunRecord::remeasured(const std::string& node) const {
  std::map<std::string, std::vector<RemeasuredRow>> units;
  const auto is_kept = [&](const OutcomeRow& outcome) {
    return outcome.pass == "again" && outcome.node == node && outcome.status == Status::ok;
  };
  if (const fs::path journal = files_.journal_of(node); fs::exists(journal))
    for (auto& record : read_journal(journal).records)
      if (is_kept(record.outcome)) units[record.outcome.case_id] = std::move(record.remeasured);
  if (units.empty() && fs::exists(files_.store)) {
    const Results earlier = load_results(files_.store);
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
  journal_ = std::make_unique<Journal>(files_.journals, host, header, sync_seconds_);
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
  Consolidated made = consolidate_into(files_, ids);
  if (!complete) return made;
  journal_.reset();  // NFS only renames what is open, and the folder would stay
  remove_journals(files_.journals);
  hold_.reset();  // the last: whoever waits for it begins anew
  return made;
}

}  // namespace plumbline::app
