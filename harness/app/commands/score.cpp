// The command plumbline score FILE holds counters against arithmetic.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/here/profiler_metrics.hpp"
#include "app/results/case_columns.hpp"
#include "app/results/convention_table.hpp"
#include "app/results/counter_choosing.hpp"
#include "app/results/result_file.hpp"
#include "app/results/score_columns.hpp"
#include "app/results/score_table.hpp"
#include "app/results/scored_counters.hpp"
#include "app/results/uncounted.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/counter_set_file.hpp"
#include "core/error.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/counter_conditions.hpp"
#include "model/scoring/derived_intensity.hpp"
#include "model/scoring/score_groups.hpp"
#include "model/statistics/words.hpp"

namespace plumbline::app {
namespace {

/// The reasons why rows have no count, in their order, and where: the case where it is one, the nodes where they are not all.
std::vector<std::pair<std::string, std::string>> reasons_of(const std::vector<CaseScore>& rows) {
  struct Where {
    std::string reason;
    std::set<std::string> cases, nodes;
  };
  std::vector<Where> reasons;
  std::set<std::string> nodes;
  for (const auto& row : rows) {
    nodes.insert(row.node);
    if (row.status == Status::ok || is_failure(row.status) || row.reason.empty()) continue;
    const std::string reason = fmt::format("{}: {}", to_string(row.status), row.reason);
    auto found = std::find_if(reasons.begin(), reasons.end(), [&](const Where& one) { return one.reason == reason; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {reason, {}, {}});
    found->cases.insert(row.case_id);
    found->nodes.insert(row.node);
  }
  std::vector<std::pair<std::string, std::string>> notes;
  for (const auto& one : reasons) {
    const std::string node = one.nodes.size() == nodes.size() ? "" : " on " + listed({one.nodes.begin(), one.nodes.end()}, 4);
    notes.emplace_back("not counted: " + one.reason,
                       (one.cases.size() == 1 ? " (" + *one.cases.begin() + ")" : fmt::format(" ({} cases)", one.cases.size())) + node);
  }
  return notes;
}

std::vector<std::string> score_notes(const Accuracy& accuracy, const std::optional<std::string>& uncounted) {
  if (uncounted) return {*uncounted};
  std::vector<std::string> notes;
  for (const auto& [note, where] : reasons_of(accuracy.rows)) notes.push_back(note + where);
  if (notes.size() > 5) {
    notes.resize(5);
    notes.emplace_back("... and other reasons; --json gives each row its own");
  }
  for (const auto& one : accuracy.unscored) notes.push_back(fmt::format("{} is not scored: {}", one.counter, one.reason));
  notes.emplace_back(
      "cases: those that can tell; bias: geometric mean of the ratios, +/- half of its 95 % interval; repeat: scatter between repetitions "
      "of a case, which one (once) or two (twice) do not show; moved most by: the factor that changes the ratio most where all others "
      "are equal; offset: what is counted where nothing should be; zeros: how many of the cases that have none of it counted none");
  notes.emplace_back(
      "grades: A trusted; B right once a factor or an offset is taken away, or with less evidence than A needs; C only in the regimes "
      "named; D "
      "rejected; - not graded; --counter NAME shows the evidence");
  return notes;
}

/// Notes "counted, but claimed by no counter ...", one for each backend; its end says how to have them scored.
std::vector<std::string> unclaimed_notes(const std::map<std::string, std::set<std::string>>& unclaimed) {
  constexpr std::size_t named = 12;
  std::vector<std::string> notes;
  for (const auto& [backend, events] : unclaimed) {
    const std::vector<std::string> names(events.begin(), events.end());
    const std::size_t shown = names.size() > named ? named - 1 : names.size();
    notes.push_back(fmt::format("events of {} that no scored counter uses: {}{}{}", backend,
                                fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                                shown < names.size() ? fmt::format(" and {} more (--json names all)", names.size() - shown) : "",
                                backend == "perf_event" ? "; a row of your own in PLUMBLINE_EVENTS_PATH makes one a counter" : ""));
  }
  return notes;
}

/// Notes on what seconds are held against, and what the times by counters say of each other.
std::vector<std::string> time_notes(const Accuracy& accuracy, std::span<const TimeAgreement> agreements) {
  std::vector<std::string> notes;
  if (std::any_of(accuracy.rows.begin(), accuracy.rows.end(), [](const CaseScore& row) { return row.quantity == "seconds"; }))
    notes.push_back(fmt::format("seconds are held against {}", seconds_are_held_against));
  for (const auto& one : agreements) {
    const std::string range = fmt::format("{} to {} times it, farthest in {}", plain(one.least, 6), plain(one.most, 6), one.farthest);
    const std::string pair = fmt::format("{} beside {}, in the same {}", one.counter, one.other, counted(one.repetitions, "repetition"));
    if (one.apart == 0)
      notes.push_back(pair + ": equal but for rounding");
    else if (one.must_agree)
      notes.push_back(
          fmt::format("{}: they should be equal, and {} are not ({}): the rate is of another span of time", pair, one.apart, range));
    else
      notes.push_back(fmt::format("{}: {}", pair, range));
  }
  return notes;
}

/// Leaves what belongs to counters of that name; an error names those that there are.
void keep_only(Accuracy& accuracy, const std::string& counter) {
  std::string names;
  std::set<std::string> seen;
  for (const auto& score : accuracy.counters)
    if (seen.insert(score.counter).second) names += (names.empty() ? "" : ", ") + score.counter;
  if (!seen.contains(counter)) throw user_error(fmt::format("--counter '{}' was not scored; there are: {}", counter, names));
  std::erase_if(accuracy.rows, [&](const CaseScore& row) { return row.counter != counter; });
  std::erase_if(accuracy.counters, [&](const CounterScore& score) { return score.counter != counter; });
}

struct ScoreOptions : Selection {
  std::vector<std::string> by;        // each "key,key": the groups wanted
  std::string counter;                // empty: all
  std::string convention;             // of counting, beside ours; empty: the file's
  std::optional<std::string> choose;  // where to write the chosen set
};

std::vector<std::string> keys_of(const std::string& by) {
  std::vector<std::string> keys;
  for (std::size_t begin = 0; begin <= by.size();) {
    const std::size_t end = std::min(by.find(',', begin), by.size());
    keys.push_back(by.substr(begin, end - begin));
    begin = end + 1;
  }
  return keys;
}

std::vector<GroupScore> groups_of(const ScoreOptions& options, const Accuracy& accuracy) {
  std::vector<GroupScore> groups;
  for (const auto& by : options.by) {
    const auto keys = keys_of(by);
    for (const auto& key : keys)
      if (std::none_of(accuracy.rows.begin(), accuracy.rows.end(), [&](const auto& row) { return property_of(row.case_id, key); }))
        throw user_error(
            fmt::format("--by {}: no case has '{}'; there are kernel, precision, team, flavor, compiler, level, isa, and the "
                        "parameters in the cases' ids",
                        by, key));
    for (auto& score : group_scores(accuracy.rows, keys)) groups.push_back(std::move(score));
  }
  return groups;
}

/// The things that the document has beside the cases.
struct Besides {
  const Accuracy* accuracy;
  std::vector<IntensityScore> intensities;
  const std::map<std::string, std::set<std::string>>* unclaimed;
  std::span<const TimeAgreement> agreements;
  std::span<const ConventionRow> by_convention;   // where it is another one than ours
  std::optional<std::vector<GroupScore>> groups;  // where groups are wanted
};

Columns<Besides> score_members() {
  using Row = Besides;
  return {
      list_column<Row>("counters", "each counter over all cases", counter_columns(), [](const Row& row) { return row.accuracy->counters; }),
      list_column<Row>("intensities", "arithmetic intensities of cases by counted FLOPs and bytes", intensity_columns(), &Row::intensities),
      list_column<Row>("intensity_counters", "how far the intensities are right over all cases, for each counter of bytes",
                       intensity_summary_columns(), [](const Row& row) { return summarize(row.intensities); }),
      {"unclaimed_events", "by backend the events that were counted and that no scored counter uses",
       [](const Row& row) { return *row.unclaimed; }},
      list_column<Row>("time_agreements", "times by cycles beside times that were counted", agreement_columns(), &Row::agreements)
          .when([](const Row& row) { return !row.agreements.empty(); }),
      list_column<Row>("by_convention", "what the formulas of another convention than ours make of the counts, beside the model",
                       convention_row_columns(), &Row::by_convention)
          .when([](const Row& row) { return !row.by_convention.empty(); }),
      list_column<Row>("groups", "each counter over the cases that agree in what --by names", group_columns(), [](const Row& row) {
        return *row.groups;
      }).when([](const Row& row) { return row.groups.has_value(); })};
}

/// Writes the set, and says what is in it.
std::string choose(const ScoreOptions& options, const Accuracy& accuracy, const ScoredCounters& scored, const Results& results,
                   const Measurements& measurements) {
  if (const auto uncounted = nothing_counted(results))
    throw user_error(fmt::format("{}: no counter can be chosen: {}", options.file, *uncounted));
  const CounterSet set =
      choose_from(accuracy, scored.counters, results, measurements, limits_shown_by(results, measurements, scored.limits), options.file);
  std::string missing;
  for (const auto& one : set.uncovered) missing += fmt::format("; {}: {}", one.quantity, one.reason);
  if (set.counters.empty()) throw user_error(fmt::format("{}: no counter can be chosen{}", options.file, missing));
  write_output(*options.choose, counter_set_toml(set));
  std::string names;
  for (const auto& one : set.counters) names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", one.counter.name, one.grade);
  return fmt::format("chosen, in {} pass{}: {}{}; written to {}", set.groups.size(), set.groups.size() == 1 ? "" : "es", names, missing,
                     *options.choose);
}

/// Makes sure, before anything is scored, that the target is no other file than a set: no result file, no campaign.
void require_target(const std::string& target) {
  if (target.empty()) throw user_error("--choose takes the name of the file to write, e.g. counters.toml");
  require_set_or_nothing(target);
  require_writable(target);
}

Exit score_file(const ScoreOptions& options) {
  if (options.choose) require_target(*options.choose);
  const Results results = load_selected(options);
  const Measurements measurements = measurements_of(results);
  const ScoredCounters scored = scored_counters(results, measurements);
  Accuracy accuracy = score(measurements, scored.counters);
  const Exit code = accuracy.failed_exactness == 0 ? Exit::ok : Exit::wrong_result;
  std::vector<std::string> notes;
  if (options.choose) notes.push_back(choose(options, accuracy, scored, results, measurements));
  if (!options.counter.empty()) keep_only(accuracy, options.counter);
  for (const auto& change : scored.changes) notes.push_back(change);
  for (auto& note : notes_on_empty_regions(results)) notes.push_back(std::move(note));
  const auto agreements = time_agreements(results, scored.counters);
  for (auto& note : time_notes(accuracy, agreements)) notes.push_back(std::move(note));
  const auto uncounted = nothing_counted(results);
  const auto unclaimed = unclaimed_events(measurements, scored.counters);
  if (options.counter.empty())
    for (auto& note : unclaimed_notes(unclaimed)) notes.push_back(std::move(note));
  for (auto& note : score_notes(accuracy, uncounted)) notes.push_back(std::move(note));
  const std::string convention = convention_for(results, options.convention);
  std::vector<ConventionRow> theirs;
  if (const auto note = convention_note(convention)) {
    notes.push_back(*note);
    theirs = by_convention(measurements, profiler_metrics_for(results, convention));
  }
  const auto rows = [&] { return rows_json(case_columns(), accuracy.rows); };
  if (options.format == Format::json) {
    Besides besides{&accuracy, derived_intensities(accuracy.rows), &unclaimed, agreements, theirs, {}};
    if (!options.by.empty()) besides.groups = groups_of(options, accuracy);
    print(document("score", options.file, rows(), notes, row_json(score_members(), besides)));
  }
  if (options.format == Format::csv) print(csv(rows()));
  if (options.format == Format::markdown) print(markdown(rows()) + markdown_notes(notes));
  if (options.format == Format::text && uncounted) print(wrapped(*uncounted, 118, "") + "\n");
  if (options.format == Format::text && !uncounted)
    print((options.counter.empty() ? score_text(accuracy) : evidence_text(accuracy)) + convention_text(theirs) + note_lines(notes));
  return code;
}

}  // namespace

Json score_schema() {
  return document_schema("score", "Counters held against arithmetic", row_schema(case_columns()), row_schema(score_members()));
}

void add_score(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("score", "counters held against arithmetic: measured / exact for each counter and case, and a grade");
  auto options = std::make_shared<ScoreOptions>();
  add_selection(*command, *options);
  command->add_option("--counter", options->counter, "all evidence of this counter alone");
  command
      ->add_option("--by", options->by,
                   "with --json: also each counter over the cases that agree in these, e.g. level,precision (may be repeated)")
      ->needs("--json");
  add_convention(*command, options->convention);
  command->add_option("--choose", options->choose,
                      "writes the smallest set of trusted counters that sees every quantity, for a campaign's counters = \"SET.toml\"");
  command->callback([&chosen, options] { chosen = [options] { return score_file(*options); }; });
}

}  // namespace plumbline::app
