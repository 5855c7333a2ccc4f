// plumbline score FILE: counters held against arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/command.hpp"
#include "app/result_file.hpp"
#include "model/accuracy.hpp"
#include "model/derived_intensity.hpp"
#include "model/score_groups.hpp"

namespace plumbline::app {
namespace {

Json row_of(const CaseScore& row) {
  return {{"case", row.case_id},
          {"node", row.node},
          {"counter", row.counter},
          {"quantity", row.quantity},
          {"convention", std::string(to_string(row.convention))},
          {"measured", number(row.measured)},
          {"exact_lo", number(row.exact_lo)},
          {"exact_hi", number(row.exact_hi)},
          {"ratio", number(row.ratio)},
          {"status", std::string(to_string(row.status))},
          {"reason", text_or_null(row.reason)}};
}

/// Without a grade, or without a ratio to form the numbers of, a counter's score is not whole.
bool is_whole(const CounterScore& score) {
  return score.grade != '-' && std::isfinite(score.bias) && std::isfinite(score.min) && std::isfinite(score.max) && std::isfinite(score.cv);
}

Json counter_json(const CounterScore& score) {
  return {{"counter", score.counter},
          {"quantity", score.quantity},
          {"convention", std::string(to_string(score.convention))},
          {"n", score.n},
          {"bias", number(score.bias)},
          {"min", number(score.min)},
          {"max", number(score.max)},
          {"cv", number(score.cv)},
          {"zero_tests", score.zero_tests},
          {"zero_failures", score.zero_failures},
          {"grade", score.grade == '-' ? Json() : Json(std::string(1, score.grade))},
          {"status", std::string(to_string(is_whole(score) ? Status::ok : Status::unavailable))},
          {"reason", text_or_null(score.reason)}};
}

Json group_json(const GroupScore& score) {
  Json group = Json::object();
  for (const auto& [key, value] : score.group) group[key] = value;
  return {{"group", group},
          {"node", score.node},
          {"counter", score.counter},
          {"quantity", score.quantity},
          {"convention", std::string(to_string(score.convention))},
          {"n", score.ratio.n},
          {"mean", number(score.mean)},
          {"geometric_mean", number(score.geometric_mean)},
          {"min", number(score.ratio.min)},
          {"max", number(score.ratio.max)},
          {"cv", number(score.ratio.cv)},
          {"measured_min", number(score.measured.min)},
          {"measured_max", number(score.measured.max)}};
}

Json intensity_json(const IntensityScore& score) {
  return {{"case", score.case_id},        {"node", score.node},
          {"counter", score.counter},     {"flops_per_byte", number(score.flops_per_byte)},
          {"exact", number(score.exact)}, {"ratio", number(score.ratio)}};
}

Json intensity_json(const IntensitySummary& summary) {
  return {{"counter", summary.counter}, {"n", summary.n},
          {"min", number(summary.min)}, {"geometric_mean", number(summary.geometric_mean)},
          {"max", number(summary.max)}, {"max_over_min", number(summary.max / summary.min)}};
}

template <class Items>
Json all_of(const Items& items, Json (*one)(const typename Items::value_type&)) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(one(item));
  return all;
}

// ---------------------------------------------------------------------------------------------------------------------- text

std::string claim_of(const CounterScore& score) {
  return score.counter.ends_with(score.quantity) ? "" : score.quantity;  // named after what it claims: not said twice
}

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.2f} %", 100 * part) : "-"; }

std::string table_text(const std::vector<CounterScore>& counters, Convention convention) {
  Table table(
      {{"counter", Align::left}, {"held against", Align::left}, {"cases"}, {"geo. mean"}, {"min"}, {"max"}, {"CV"}, {"zeros"}, {"grade"}});
  for (const auto& score : counters) {
    if (score.convention != convention) continue;
    const std::string zeros = score.zero_tests == 0 ? "" : fmt::format("{}/{}", score.zero_tests - score.zero_failures, score.zero_tests);
    table.add({score.counter, claim_of(score), std::to_string(score.n), plain(score.bias, 4), plain(score.min, 4), plain(score.max, 4),
               percent(score.cv), zeros, std::string(1, score.grade)});
    if (score.grade != 'A') table.add_line(wrapped(score.reason, 118, "    "));
  }
  return table.empty() ? "" : table.text();
}

std::string intensity_text(const std::vector<IntensitySummary>& summaries) {
  Table table({{"intensity by", Align::left}, {"cases"}, {"geo. mean"}, {"min"}, {"max"}, {"max/min"}});
  for (const auto& one : summaries)
    table.add({one.counter, std::to_string(one.n), plain(one.geometric_mean, 4), plain(one.min, 4), plain(one.max, 4),
               plain(one.max / one.min, 4)});
  return table.empty() ? "" : "\nFLOPs over these bytes, to the intensity that the papers call exact:\n\n" + table.text();
}

constexpr std::size_t shown_failures = 10;

std::string failures_text(const Accuracy& accuracy) {
  Table table({{"case", Align::left}, {"counter", Align::left}, {"counted"}, {"exact"}, {"ratio"}});
  std::size_t shown = 0;
  for (const auto& row : accuracy.rows) {
    if (!row.fails_exactness() || ++shown > shown_failures) continue;
    const std::string exact =
        row.exact_lo == row.exact_hi ? plain(row.exact_lo, 10) : plain(row.exact_lo, 10) + " to " + plain(row.exact_hi, 10);
    table.add({row.case_id, row.counter, plain(row.measured, 10), exact, plain(row.ratio, 6)});
  }
  return table.text() + (shown > shown_failures ? fmt::format("... and {} more; --json lists all\n", shown - shown_failures) : "");
}

std::string verdict(const Accuracy& accuracy) {
  const auto exact = static_cast<std::size_t>(
      std::count_if(accuracy.rows.begin(), accuracy.rows.end(), [](const CaseScore& row) { return row.tests_exactness(); }));
  if (exact == 0) return "exactness: not tested, nothing was counted by a witness that must be exact\n";
  if (accuracy.failed_exactness == 0) return fmt::format("exactness: all {} FLOP totals equal the arithmetic\n", exact);
  return fmt::format("exactness: FAILED, {} of {} FLOP totals differ from the arithmetic\n\n{}", accuracy.failed_exactness, exact,
                     failures_text(accuracy));
}

std::string as_text(const Accuracy& accuracy) {
  std::string text = "Measured / exact; inside the model's interval it is 1.\n\n" + table_text(accuracy.counters, Convention::flow);
  const std::string papers = table_text(accuracy.counters, Convention::paper);
  if (!papers.empty())
    text += "\nBy the convention of the papers that the kernels come from:\n\n" + papers +
            intensity_text(summarize(derived_intensities(accuracy.rows)));
  return text + "\n" + verdict(accuracy);
}

std::vector<std::string> notes_of(const Accuracy& accuracy) {
  std::vector<std::string> notes;
  for (const auto& row : accuracy.rows)
    if (row.status != Status::ok && row.status != Status::failed && !row.reason.empty())
      if (const std::string note = fmt::format("{}: {}", to_string(row.status), row.reason);
          std::find(notes.begin(), notes.end(), note) == notes.end())
        notes.push_back(note);
  if (notes.size() > 5) {
    notes.resize(5);
    notes.emplace_back("... and other reasons; --json gives each row its own");
  }
  notes.emplace_back("grades: A trusted, B steady by a factor, C only in the regimes named, D rejected");
  return notes;
}

struct ScoreOptions : Selection {
  std::vector<std::string> by;  // each "key,key": the groups wanted
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

Json groups_of(const ScoreOptions& options, const Accuracy& accuracy) {
  Json groups = Json::array();
  for (const auto& by : options.by) {
    const auto keys = keys_of(by);
    for (const auto& key : keys)
      if (std::none_of(accuracy.rows.begin(), accuracy.rows.end(), [&](const auto& row) { return property_of(row.case_id, key); }))
        throw user_error(
            fmt::format("--by {}: no case has '{}'; there are kernel, precision, team, flavor, compiler, level, isa, and the "
                        "parameters in the cases' ids",
                        by, key));
    for (const auto& score : group_scores(accuracy.rows, keys)) groups.push_back(group_json(score));
  }
  return groups;
}

Json as_json(const ScoreOptions& options, const Accuracy& accuracy, const std::vector<std::string>& notes) {
  const auto intensities = derived_intensities(accuracy.rows);
  Json more{{"counters", all_of(accuracy.counters, counter_json)},
            {"intensities", all_of(intensities, intensity_json)},
            {"intensity_counters", all_of(summarize(intensities), intensity_json)}};
  if (!options.by.empty()) more["groups"] = groups_of(options, accuracy);
  return document("score", options.file, all_of(accuracy.rows, row_of), notes, more);
}

Exit score_file(const ScoreOptions& selection) {
  const Results results = load_selected(selection);
  const Accuracy accuracy = score(measurements_of(results), known_counters());
  const auto notes = notes_of(accuracy);
  if (selection.format == Format::json) print(as_json(selection, accuracy, notes));
  if (selection.format == Format::csv) print(csv(all_of(accuracy.rows, row_of)));
  if (selection.format == Format::text) print(as_text(accuracy) + note_lines(notes));
  return accuracy.failed_exactness == 0 ? Exit::ok : Exit::wrong_result;
}

}  // namespace

void add_score(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("score", "counters held against arithmetic: measured / exact for each counter and case, and a grade");
  auto selection = std::make_shared<ScoreOptions>();
  add_selection(*command, *selection);
  command
      ->add_option("--by", selection->by,
                   "with --json: also each counter over the cases that agree in these, e.g. level,precision (may be repeated)")
      ->needs("--json");
  command->callback([&chosen, selection] { chosen = [selection] { return score_file(*selection); }; });
}

}  // namespace plumbline::app
