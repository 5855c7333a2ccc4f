#include "app/session/consolidation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "app/results/intensity.hpp"
#include "app/results/stored_results.hpp"
#include "core/error.hpp"
#include "store/journal.hpp"
#include "store/journal_folder.hpp"
#include "store/merge.hpp"
#include "store/session_list.hpp"
#include "store/store_writer.hpp"
#include "store/work_key.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Calls back with what was measured, part by part; the same at every call.
using Parts = std::function<void(const std::function<void(Results& part)>&)>;

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

/// Marks cases of an earlier version of the campaign, which are kept and named in the provenance. Gives how many there are.
std::size_t mark_vanished(Results& results, const std::vector<std::string>& ids) {
  const std::set<std::string> asked(ids.begin(), ids.end());
  json vanished = json::array();
  for (const auto& row : results.cases)
    if (!asked.contains(row.id)) vanished.push_back(row.id);
  json provenance = json::parse(results.provenance, nullptr, false);
  if (vanished.empty() || !provenance.is_object()) return vanished.size();
  provenance["not_in_campaign"] = vanished;
  results.provenance = provenance.dump();
  return vanished.size();
}

/// Whether a unit of work is for the journal only: for a round of ceilings the rows in /ceilings name node and round, and stops and last
/// caches are provenance. For a GPU's round the outcome alone says which GPU it was, and how it fared.
bool is_the_journals_own(const OutcomeRow& outcome) {
  const bool of_ceilings = outcome.case_id.starts_with("ceilings/") && !outcome.case_id.starts_with("ceilings/gpu");
  return of_ceilings || outcome.case_id.starts_with(stop_prefix) || outcome.case_id == last_cache_unit;
}

/// Adds the wrong results that stand, and those that a later attempt took the place of.
void add_wrong_results(const Results& part, const std::vector<OutcomeRow>& listed, Consolidated& made) {
  for (const auto* rows : {&part.outcomes, &listed})
    for (const auto& row : *rows)
      if (row.status == Status::wrong_result)
        made.wrong[row.session].push_back(fmt::format("{} on {}: {}", row.case_id, row.node, row.reason));
  for (const auto& row : part.ceilings)
    if (row.status == Status::wrong_result)
      made.wrong[row.session].push_back(fmt::format("{} on {}: {}", row.name, row.node, how_and_why(row)));
}

/// The most nodes and samples of which a result is judged as a whole: more are too much for the memory of one rank, and for the time that a
/// run's end may take.
constexpr std::size_t most_nodes = 64, most_samples = 4'000'000;

/// All parts together, for as long as they are few.
class Gathered {
 public:
  explicit Gathered(const Results& frame) : fits_(frame.machines.size() <= most_nodes) {
    if (!fits_) return;
    all_.cases = frame.cases;
    all_.model = frame.model;
    all_.machines = frame.machines;
  }

  void add(const Results& part) {
    fits_ = fits_ && all_.times.size() + all_.counts.size() + part.times.size() + part.counts.size() <= most_samples;
    if (!fits_) return;
    const auto copy = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
    copy(part.outcomes, all_.outcomes);
    copy(part.times, all_.times);
    copy(part.counts, all_.counts);
    copy(part.ceilings, all_.ceilings);
  }

  Intensities derive(const std::string& provenance) {
    all_.provenance = provenance;
    make_phases_cases(all_);
    if (fits_) return derived_intensities(all_);
    return {.derived_by = derived_by(),
            .reason = fmt::format("of more than {} nodes or {} samples it is not written; 'plumbline show' computes it", most_nodes,
                                  most_samples)};
  }

 private:
  Results all_;
  bool fits_;
};

Consolidated write_parts(const fs::path& store, Results frame, const Parts& parts) {
  Consolidated made{.cases = frame.cases.size(), .outcomes = 0};
  add_wrong_results({}, listed_wrong_results(frame.provenance), made);
  std::vector<OutcomeRow> told, overruled;  // `told`: stops and last caches
  StoreShape shape;
  shape.add(frame);
  Gathered gathered(frame);
  parts([&](Results& part) {
    std::copy_if(part.outcomes.begin(), part.outcomes.end(), std::back_inserter(told),
                 [](const OutcomeRow& outcome) { return outcome.case_id.starts_with(stop_prefix) || outcome.case_id == last_cache_unit; });
    std::erase_if(part.outcomes, is_the_journals_own);
    made.outcomes += part.outcomes.size();
    for (const auto& outcome : part.outcomes)
      if (outcome.status != Status::ok) ++made.reasons[fmt::format("{}: {}", to_string(outcome.status), outcome.reason)];
    shape.add(part);
    gathered.add(part);
    auto listed = listed_wrong_results(part.provenance);
    add_wrong_results(part, listed, made);
    overruled.insert(overruled.end(), std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
  });
  StoreWriter writer(store, shape);
  writer.append(frame);
  parts([&](Results& part) {
    std::erase_if(part.outcomes, is_the_journals_own);
    writer.append(part);
  });
  const std::string provenance = with_wrong_results(with_last_caches(with_stops(frame.provenance, told), told), overruled);
  writer.add(gathered.derive(provenance));
  writer.finish(provenance, frame.campaign);
  return made;
}

/// The frame of a result: cases, models and nodes of `all`; what was measured stays.
Results frame_of(Results& all) {
  Results frame;
  frame.provenance = std::move(all.provenance);
  frame.campaign = std::move(all.campaign);
  frame.cases = std::exchange(all.cases, {});
  frame.model = std::exchange(all.model, {});
  frame.machines = std::exchange(all.machines, {});
  return frame;
}

Consolidated write_in_order(const fs::path& store, Results frame, const Parts& parts, const std::vector<std::string>& ids, bool asked) {
  sort_cases(frame.cases, ids);
  const std::size_t vanished = asked ? mark_vanished(frame, ids) : 0;
  Consolidated made = write_parts(store, std::move(frame), parts);
  if (vanished > 0) made.reasons["kept, but no longer in the campaign"] = vanished;
  return made;
}

Consolidated write_folder(const JournalFolder& folder, const fs::path& store, const std::vector<std::string>& ids, bool asked) {
  return write_in_order(
      store, folder.frame(), [&](const auto& visit) { folder.for_each_node(visit); }, ids, asked);
}

Consolidated write_whole(Results& all, const fs::path& store, const std::vector<std::string>& ids, bool asked) {
  Results frame = frame_of(all);
  return write_in_order(
      store, std::move(frame), [&](const auto& visit) { visit(all); }, ids, asked);
}

Consolidated put_together(const RunFiles& files, const std::vector<std::string>& ids, std::vector<std::string>& notes) {
  if (!fs::exists(files.store) && fs::exists(files.journals))
    if (const JournalFolder folder(files.journals, &notes); !folder.empty()) return write_folder(folder, files.store, ids, true);
  auto all = load_finished(files.store, load_results, &notes);
  if (!all) throw io_error(fmt::format("neither {} nor its journal can be found any more", files.store.string()));
  return write_whole(*all, files.store, ids, true);
}

}  // namespace

Consolidated consolidate_into(const RunFiles& files, const std::vector<std::string>& ids) {
  std::vector<std::string> notes;
  Consolidated made = put_together(files, ids, notes);
  for (const auto& note : notes) ++made.reasons[note];
  return made;
}

Consolidated consolidate_journals(const fs::path& journals, std::optional<Results> earlier, const fs::path& store,
                                  std::vector<std::string>& notes) {
  if (earlier) {
    Results all = merge(std::move(*earlier), merge_journals(journals, &notes));
    return write_whole(all, store, {}, false);
  }
  const JournalFolder folder(journals, &notes);
  if (folder.empty())
    throw user_error(
        fmt::format("journal folder '{}' holds no journal; give the NAME.journal that lies beside the result file", journals.string()));
  return write_folder(folder, store, {}, false);
}

}  // namespace plumbline::app
