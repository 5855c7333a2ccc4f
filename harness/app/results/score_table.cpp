#include "app/results/score_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/here/event_rows.hpp"
#include "app/results/case_columns.hpp"
#include "app/results/evidence_columns.hpp"
#include "app/results/score_columns.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/diagnosis.hpp"

namespace plumbline::app {
namespace {

constexpr std::size_t width = 118;

std::string claim_of(const CounterScore& score) {
  if (score.quantity == "seconds") return "the case's own times";
  return score.counter.ends_with(score.quantity) ? "" : score.quantity;  // named after what it claims: not said twice
}

/// Words for who counts it, where the counter's own name does not say: "by emulated (16 x loads + 16 x stores)".
std::string whose(const CounterScore& score) {
  for (const auto& counter : known_counters())
    if (counter.name == score.counter && !score.counter.starts_with(counter.backend))
      return fmt::format("by {} ({}), ", counter.backend, terms_text(counter));
  return {};
}

/// The reason, and what the counter is held against where its name does not say; nothing of a trusted one that is named after its quantity.
std::vector<std::string> remarks(const CounterScore& score) {
  const std::string claim = claim_of(score);
  if (!score.of_code && score.grade == 'A' && claim.empty()) return {};
  return {wrapped((claim.empty() ? "" : whose(score) + "held against " + claim + ": ") + score.reason, width, "    ")};
}

std::string table_text(const std::vector<CounterScore>& counters, Convention convention) {
  std::vector<CounterScore> rows;
  std::copy_if(counters.begin(), counters.end(), std::back_inserter(rows), [&](const auto& one) { return one.convention == convention; });
  return aligned<CounterScore>(counter_columns(), rows, remarks);
}

std::string intensity_text(const std::vector<IntensitySummary>& summaries) {
  const std::string table = aligned(intensity_summary_columns(), summaries);
  return table.empty() ? "" : "\nArithmetic intensity with these bytes, over the one that the papers call exact (1 is right):\n\n" + table;
}

constexpr std::size_t shown_failures = 10;

/// Prints what the model allows: one number, or "0 to 9216".
std::string exact_text(const CaseScore& row, int digits) {
  return row.exact_lo == row.exact_hi ? plain(row.exact_lo, digits) : plain(row.exact_lo, digits) + " to " + plain(row.exact_hi, digits);
}

std::string failures_text(const Accuracy& accuracy) {
  Table table({{"case", Align::left}, {"counter", Align::left}, {"counted"}, {"exact"}, {"ratio"}});
  std::size_t shown = 0;
  for (const auto& row : accuracy.rows) {
    if (!row.fails_exactness() || ++shown > shown_failures) continue;
    table.add({row.case_id, row.counter, plain(row.measured, 10), exact_text(row, 10), plain(row.ratio, 6)});
  }
  return table.text() + (shown > shown_failures ? fmt::format("... and {} more; --json lists all\n", shown - shown_failures) : "");
}

std::string exactness_verdict(const Accuracy& accuracy) {
  const auto exact = static_cast<std::size_t>(
      std::count_if(accuracy.rows.begin(), accuracy.rows.end(), [](const CaseScore& row) { return row.tests_exactness(); }));
  if (exact == 0) return "exactness: not tested, nothing was counted by a witness that must be exact\n";
  if (accuracy.failed_exactness == 0) return fmt::format("exactness: all {} FLOP totals equal the arithmetic\n", exact);
  return fmt::format("exactness: FAILED, {} of {} FLOP totals differ from the arithmetic\n\n{}", accuracy.failed_exactness, exact,
                     failures_text(accuracy));
}

// ------------------------------------------------------------------------------------------------------------- one counter

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string section(const std::string& heading, const std::string& body) { return body.empty() ? "" : "\n" + heading + "\n" + body; }

std::string interval_text(const CounterScore& score) {
  const Interval& interval = score.bias_interval;
  if (!std::isfinite(interval.lo))
    return score.sharp < rules::fewest_cases ? "no interval: too few cases whose exact amount is known" : "no interval: one kernel alone";
  return fmt::format("{} to {} by the kernels, 95 %", plain(interval.lo, 5), plain(interval.hi, 5));
}

std::string numbers_text(const CounterScore& score) {
  std::string text = fmt::format("cases that can tell: {}, of them {} whose exact amount is known to 5 %{}\n", score.n, score.narrow,
                                 score.unsteady == 0 ? "" : fmt::format(" ({} of these unsteady)", score.unsteady));
  text += fmt::format("bias {} ({}), from {} to {}, CV {}\n", plain(score.bias, 5), interval_text(score), plain(score.min, 4),
                      plain(score.max, 4), std::isfinite(score.cv) ? in_percent(score.cv) : "-");
  if (score.repeatability.cases > 0)
    text += fmt::format("repetitions scatter by {} (half of {} cases), {} (nine tenths); {} of {} lost; {} off\n",
                        in_percent(score.repeatability.median), score.repeatability.cases, in_percent(score.repeatability.worst_tenth),
                        score.repeatability.lost, score.repeatability.repetitions,
                        score.repeatability.off == 0 ? "none" : in_percent(score.repeatability.off_share()));
  else if (score.repeatability.most > 0)
    text += fmt::format("each case counted {}: nothing shows how far its counts repeat\n",
                        score.repeatability.most == 1 ? "once" : "twice at most");
  if (const auto& by = score.calibration)
    text += fmt::format("calibrated: (counted - {}{}) x {} is {} to {} of the exact amount\n", plain(by->offset, 4), whose_offset(by->per),
                        plain(by->factor, 5), plain(by->ratio_lo, 4), plain(by->ratio_hi, 4));
  if (score.zero_tests > 0) text += fmt::format("zero tests passed: {}\n", zeros_of(score));
  if (const Joint& joint = score.joint; joint.cases > 0)
    text += fmt::format("beside other events / in its first group: {} (median of {} cases), far off in {}\n", plain(joint.median, 5),
                        joint.cases, joint.disturbed);
  return text;
}

std::string linearity_text(const CounterScore& score) {
  constexpr double no_line = 0.25;  // of what lies so far off a slope means nothing
  std::vector<Linearity> lines;
  std::copy_if(score.linearity.begin(), score.linearity.end(), std::back_inserter(lines),
               [](const Linearity& line) { return std::isfinite(line.slope) && line.residual <= no_line; });
  return aligned(line_columns(), lines);
}

std::string flows_text(const CrossTalk& talk) {
  const std::string table = aligned(flow_columns(), talk.flows);
  if (table.empty()) return "";
  return table + fmt::format("  {} cases, {} of the traffic left over{}\n", talk.cases, in_percent(talk.residual),
                             talk.nearer.empty() ? "" : "; " + talk.nearer + " explains it far better");
}

std::string coverage_text(const Coverage& coverage) {
  std::string text;
  for (std::size_t f = 0; f < factor_count; ++f)
    if (!coverage.tried[f].empty())
      text += wrapped(fmt::format("{}: {}", in_words(static_cast<Factor>(f)), joined(coverage.tried[f])), width, "  ") + "\n";
  if (!coverage.open.empty()) text += wrapped("left open by the model: " + joined(coverage.open), width, "  ") + "\n";
  return text + (coverage.missing.empty() ? "" : wrapped("not tried: " + joined(coverage.missing), width, "  ") + "\n");
}

std::string stability_text(const CounterScore& score) {
  std::string text = score.hangs_on.empty() ? "  the grade stands without any one compiler or kernel\n" : "";
  for (const auto& one : score.hangs_on) text += fmt::format("  without {} {}: {}\n", to_string(one.factor), one.value, one.grade_without);
  if (score.confirmation.tried)
    text += fmt::format("  {} on one half of the works, {} on the held-out half ({} cases)\n", score.confirmation.selected,
                        score.confirmation.confirmed, score.confirmation.cases);
  return text;
}

std::string extremes_text(const Accuracy& accuracy, const CounterScore& score) {
  std::vector<const CaseScore*> rows;
  for (const auto& row : accuracy.rows)
    if (row.counter == score.counter && row.quantity == score.quantity && std::isfinite(row.ratio) && row.ratio != 1) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CaseScore* a, const CaseScore* b) { return std::abs(std::log(a->ratio)) > std::abs(std::log(b->ratio)); });
  constexpr std::size_t shown = 8;
  Table table({{"  case", Align::left}, {"counted"}, {"exact"}, {"ratio"}});
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
    const CaseScore& row = *rows[i];
    table.add({"  " + row.case_id, plain(row.measured, 4), exact_text(row, 4), plain(row.ratio, 4)});
  }
  return table.empty() ? "" : table.text();
}

}  // namespace

std::string score_text(const Accuracy& accuracy) {
  std::string text =
      "Counted / exact amount, by counter: 1 is right. Where arithmetic gives only a range, any count inside it scores 1.\n\n" +
      table_text(accuracy.counters, Convention::flow);
  const std::string papers = table_text(accuracy.counters, Convention::paper);
  if (!papers.empty())
    text +=
        "\nBy the convention of the papers that the kernels come from, whose bytes are those of the arrays as written. A D here\n"
        "says that a counter counts something else; rooflines go by the grades above:\n\n" +
        papers + intensity_text(summarize(derived_intensities(accuracy.rows)));
  return text + "\n" + exactness_verdict(accuracy);
}

std::string evidence_text(const Accuracy& accuracy) {
  std::string text;
  for (const auto& score : accuracy.counters) {
    text += (text.empty() ? "" : "\n") + fmt::format("{}, held against {} ({} convention): grade {}\n", score.counter, score.quantity,
                                                     to_string(score.convention), grade_of(score));
    text += wrapped(score.reason, width, "  ") + "\n\n" + numbers_text(score);
    std::string findings;
    for (const auto& finding : score.findings) findings += wrapped(finding.words, width, "  ") + "\n";
    text += section("Findings", findings);
    text += section("Which factor moves it, where all others are equal", aligned(effect_columns(), score.invariance));
    text += section("How it grows: measured = offset + slope x exact", linearity_text(score));
    text += section("What it sees: measured as a sum of the exact flows", flows_text(score.cross_talk));
    text += section("Without a part of the evidence", stability_text(score));
    text += section("Tried", coverage_text(score.coverage));
    text += section("Farthest from the model", extremes_text(accuracy, score));
  }
  return text;
}

}  // namespace plumbline::app
