#include "store/journal_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "store/journal.hpp"
#include "store/other_counts.hpp"
#include "store/session_list.hpp"
#include "store/work_key.hpp"

namespace plumbline {
namespace {

using Files = std::vector<std::filesystem::path>;

/// Hands on what outlives a record that another one takes the place of: wrong results, and counts by backends that the other does not count
/// with.
void bequeath(Finished& loser, Finished& winner, std::vector<OutcomeRow>& wrong) {
  if (const auto others = take_other_counts(loser.outcome, winner.outcome); !others.empty())
    for (auto& row : loser.counts)
      if (others.contains(row.backend)) winner.counts.push_back(std::move(row));
  if (loser.outcome.status == Status::wrong_result && !(loser.outcome == winner.outcome)) wrong.push_back(std::move(loser.outcome));
  for (auto& row : loser.ceilings)
    if (row.status == Status::wrong_result && std::none_of(winner.ceilings.begin(), winner.ceilings.end(), [&](const CeilingRow& other) {
          return other.status == Status::wrong_result && same_sample(row, other);
        }))
      winner.ceilings.push_back(std::move(row));
}

/// Whether of two failures the first lies before the other: a watchdog's are in a file of its own, which is read after the node's.
bool was_before(const OutcomeRow& one, const OutcomeRow& other) {
  return one.status != Status::ok && one.started_unix_ns < other.started_unix_ns;
}

/// Keeps one record a unit of work, in the order of their first appearance; wrong results of the others go to `wrong`.
void keep_winners(std::vector<Finished>& records, std::vector<OutcomeRow>& wrong) {
  std::unordered_map<std::string, std::size_t> place;
  place.reserve(records.size());
  std::size_t kept = 0;
  for (auto& record : records) {
    const auto [found, is_new] = place.try_emplace(work_key(record.outcome), kept);
    Finished& slot = records[found->second];
    if (is_new) ++kept;
    if (&slot == &record) continue;
    if (is_new) {
      slot = std::move(record);
      continue;
    }
    if (supersedes(record.outcome, slot.outcome) && !was_before(record.outcome, slot.outcome)) std::swap(slot, record);
    bequeath(record, slot, wrong);
  }
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(kept), records.end());
}

Files journal_files(const std::filesystem::path& directory) {
  std::error_code error;
  Files files;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown) && !entry->path().filename().string().starts_with('.')) files.push_back(entry->path());
  }
  if (error)
    throw user_error(fmt::format("journal folder '{}' cannot be read: {}; give the NAME.journal that lies beside the result file",
                                 directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

/// The files of each node: HOST, and beside it what its watchdog wrote (HOST.deadlines).
std::map<std::string, Files> by_node(const Files& files) {
  std::map<std::string, Files> nodes;
  for (const auto& file : files) {
    std::string name = file.filename().string();
    if (name.ends_with(watchdog_suffix)) name.resize(name.size() - watchdog_suffix.size());
    nodes[name].push_back(file);
  }
  return nodes;
}

std::vector<Finished> winners(const Files& files, std::vector<OutcomeRow>& wrong) {
  std::vector<Finished> records;
  for (const auto& file : files) {
    JournalContents contents = read_journal(file);
    records.insert(records.end(), std::make_move_iterator(contents.records.begin()), std::make_move_iterator(contents.records.end()));
  }
  keep_winners(records, wrong);
  return records;
}

/// The headers of all journals. Campaign and provenance, which each of them repeats, are kept of the youngest, and of the oldest of a
/// session, which says what the session was.
class Headers {
 public:
  void take(JournalHeader header) {
    if (headers_.empty() || header.started_unix_ns >= youngest_.started_unix_ns)
      youngest_ = {.campaign = header.campaign,
                   .provenance = header.provenance,
                   .session = {},
                   .started_unix_ns = header.started_unix_ns,
                   .machines = {}};
    const auto [oldest, is_new] = oldest_.try_emplace(header.session, header.started_unix_ns, header.provenance);
    if (!is_new && header.started_unix_ns < oldest->second.first) oldest->second = {header.started_unix_ns, header.provenance};
    header.campaign.clear();
    header.provenance.clear();
    headers_.push_back(std::move(header));
  }
  bool empty() const { return headers_.empty(); }

  void describe(Results& frame) && {
    std::stable_sort(headers_.begin(), headers_.end(),
                     [](const auto& left, const auto& right) { return left.started_unix_ns < right.started_unix_ns; });
    for (auto& header : headers_) header.provenance = std::exchange(oldest_.at(header.session).second, {});
    frame.campaign = std::move(youngest_.campaign);
    frame.provenance = with_sessions(youngest_.provenance, headers_);
    for (auto header = headers_.rbegin(); header != headers_.rend(); ++header)
      if (!header->provenance.empty())  // the first of its session
        frame.provenance = with_events_of(frame.provenance, header->provenance);
    std::unordered_set<std::string> seen;
    for (auto header = headers_.rbegin(); header != headers_.rend(); ++header)  // a node's youngest description
      for (auto& machine : header->machines)
        if (seen.insert(machine.node).second) frame.machines.push_back(std::move(machine));
    std::sort(frame.machines.begin(), frame.machines.end(), [](const auto& left, const auto& right) { return left.node < right.node; });
  }

 private:
  std::vector<JournalHeader> headers_;
  JournalHeader youngest_;
  std::unordered_map<std::string, std::pair<std::int64_t, std::string>> oldest_;  // by session: start and provenance
};

}  // namespace

JournalFolder::JournalFolder(const std::filesystem::path& directory, std::vector<std::string>* notes) {
  Files files;  // that are journals
  Headers headers;
  std::unordered_map<std::string, std::size_t> home;  // of a node's units
  bool scattered = false;
  std::size_t records = 0;
  for (const auto& [name, candidates] : by_node(journal_files(directory))) {
    Files own;
    for (const auto& file : candidates) {
      auto read = read_if_journal(file);
      if (!read) {
        if (notes != nullptr) notes->push_back(fmt::format("'{}' is no journal and was left out", file.string()));
        continue;
      }
      own.push_back(file);
      files.push_back(file);
      JournalContents& contents = *read;
      for (auto& header : contents.headers) headers.take(std::move(header));
      records += contents.records.size();
      if (contents.headers.empty() && !contents.records.empty() && notes != nullptr)
        notes->push_back(fmt::format(
            "journal '{}': the record that describes its node is damaged: what that node is stays unknown ({} of its records are whole)",
            file.string(), contents.records.size()));
      for (auto& record : contents.records) {
        scattered = scattered || home.try_emplace(record.outcome.node, nodes_.size()).first->second != nodes_.size();
        Finished described;
        described.case_row = std::move(record.case_row);
        described.model = std::move(record.model);
        append(frame_, std::move(described));
      }
      frame_.outcomes.clear();
      if (contents.torn_bytes > 0 && notes != nullptr)
        notes->push_back(fmt::format("journal '{}': {} bytes are no whole record and were dropped", file.string(), contents.torn_bytes));
    }
    if (!own.empty()) nodes_.push_back(std::move(own));
  }
  if (scattered) nodes_ = {files};  // somebody copied a journal under another name: only all together say which record wins
  empty_ = headers.empty();
  if (empty_ && records > 0)
    throw user_error(fmt::format(
        "journal folder '{}': the record that says what was run is damaged, and without it the {} whole records after it are of "
        "nothing that is known; move the folder away and measure anew",
        directory.string(), records));
  std::move(headers).describe(frame_);
}

void JournalFolder::for_each_node(const std::function<void(Results& part)>& visit) const {
  for (const auto& files : nodes_) {
    Results part;
    std::vector<OutcomeRow> wrong;
    for (auto& record : winners(files, wrong)) {
      record.case_row = {};
      record.model.clear();
      append(part, std::move(record));
    }
    part.provenance = with_wrong_results({}, wrong);
    visit(part);
  }
}

}  // namespace plumbline
