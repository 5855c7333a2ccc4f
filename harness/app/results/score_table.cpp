#include "app/results/score_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/here/event_rows.hpp"
#include "app/terminal/table.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/derived_intensity.hpp"
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

/// A part in percent: "0.31 %", empty when absent, since a column says nothing rather than dashes.
std::string percent(double part) {
  if (!std::isfinite(part)) return "";
  if (part < 5e-5) return "0 %";
  return part >= 10 ? plain(1 + part, 2) + " x" : plain(100 * part, 2) + " %";
}

std::string unless_absent(const std::string& text) { return text == "-" ? "" : text; }

std::string grade_of(const CounterScore& score) { return score.of_code ? "static" : std::string(1, score.grade); }

std::string zeros_of(const CounterScore& score) {
  return score.zero_tests == 0 ? "" : fmt::format("{} of {}", score.zero_tests - score.zero_failures, score.zero_tests);
}

/// The half of the bias's interval, as a part of it.
std::string half_width(const CounterScore& score) { return percent((score.bias_interval.hi - score.bias_interval.lo) / 2 / score.bias); }

std::string worst_factor(const CounterScore& score) {
  if (score.invariance.empty()) return "";
  const FactorEffect& worst = score.invariance.front();
  const std::string factor(worst.factor == Factor::level ? "O level" : to_string(worst.factor));
  return worst.ratio - 1 < 5e-5 ? "none" : factor + " " + percent(worst.ratio - 1);
}

/// The short unit of a quantity: " B", " FLOP"; empty for counters of other things.
std::string short_unit(const std::string& quantity) {
  return quantity.find("bytes.") != quantity.npos || quantity.ends_with(".bytes") ? " B"
         : quantity.find("flops") != quantity.npos                                ? " FLOP"
                                                                                  : "";
}

/// Prints the offset; nothing where the cases lie on no line: an intercept would mean nothing.
std::string offset_of(const CounterScore& score) {
  constexpr double straight = 0.05;
  if (score.linearity.empty() || !(score.linearity.front().residual <= straight)) return "";
  const Linearity& line = score.linearity.front();
  return line.intercept_lo <= 0 && line.intercept_hi >= 0 ? "none" : plain(line.intercept, 2) + short_unit(score.quantity);
}

std::string table_text(const std::vector<CounterScore>& counters, Convention convention) {
  Table table({{"counter", Align::left},
               {"cases"},
               {"bias"},
               {"+/-"},
               {"min"},
               {"max"},
               {"repeat"},
               {"moved most by"},
               {"offset"},
               {"zeros"},
               {"grade"}});
  for (const auto& score : counters) {
    if (score.convention != convention) continue;
    table.add({score.counter, std::to_string(score.n), plain(score.bias, 4), half_width(score), plain(score.min), plain(score.max),
               percent(score.repeatability.median), worst_factor(score), offset_of(score), zeros_of(score), grade_of(score)});
    const std::string claim = claim_of(score);
    if (score.of_code || score.grade != 'A' || !claim.empty())
      table.add_line(wrapped((claim.empty() ? "" : whose(score) + "held against " + claim + ": ") + score.reason, width, "    "));
  }
  return table.empty() ? "" : table.text();
}

std::string intensity_text(const std::vector<IntensitySummary>& summaries) {
  Table table({{"intensity by", Align::left}, {"cases"}, {"mean (geometric)"}, {"min"}, {"max"}, {"max/min"}});
  for (const auto& one : summaries)
    table.add({one.counter, std::to_string(one.n), plain(one.geometric_mean, 4), plain(one.min, 4), plain(one.max, 4),
               plain(one.max / one.min, 4)});
  return table.empty()
             ? ""
             : "\nArithmetic intensity with these bytes, over the one that the papers call exact (1 is right):\n\n" + table.text();
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
                      plain(score.max, 4), unless_absent(percent(score.cv)).empty() ? "-" : percent(score.cv));
  if (score.repeatability.cases > 0)
    text += fmt::format("repetitions scatter by {} (half of {} cases), {} (nine tenths); {} of {} lost; {} off\n",
                        percent(score.repeatability.median), score.repeatability.cases, percent(score.repeatability.worst_tenth),
                        score.repeatability.lost, score.repeatability.repetitions,
                        score.repeatability.off == 0 ? "none" : percent(score.repeatability.off_share()));
  if (const auto& by = score.calibration)
    text += fmt::format("calibrated: (counted - {}{}) x {} is {} to {} of the exact amount\n", plain(by->offset, 4), whose_offset(by->per),
                        plain(by->factor, 5), plain(by->ratio_lo, 4), plain(by->ratio_hi, 4));
  if (score.zero_tests > 0) text += fmt::format("zero tests passed: {}\n", zeros_of(score));
  if (const Joint& joint = score.joint; joint.cases > 0)
    text += fmt::format("beside other events / in its first group: {} (median of {} cases), far off in {}\n", plain(joint.median, 5),
                        joint.cases, joint.disturbed);
  return text;
}

std::string invariance_text(const CounterScore& score) {
  Table table({{"  factor", Align::left}, {"moves it by"}, {"comparisons"}, {"highest", Align::left}, {"lowest", Align::left}});
  for (const auto& e : score.invariance)
    table.add({"  " + std::string(in_words(e.factor)), percent(e.ratio - 1), std::to_string(e.comparisons), e.highest, e.lowest});
  return table.empty() ? "" : table.text();
}

std::string linearity_text(const CounterScore& score) {
  Table table({{"  regime", Align::left}, {"cases"}, {"slope"}, {"offset"}, {"from"}, {"to"}, {"log-log slope"}, {"residual"}});
  constexpr double no_line = 0.25;  // of what lies so far off a slope means nothing
  for (const auto& line : score.linearity)
    if (std::isfinite(line.slope) && line.residual <= no_line)
      table.add({"  " + (line.regime.empty() ? "all" : line.regime), std::to_string(line.n), plain(line.slope, 4), plain(line.intercept),
                 plain(line.intercept_lo), plain(line.intercept_hi), plain(line.log_log_slope, 4), percent(line.residual)});
  return table.empty() ? "" : table.text();
}

std::string flows_text(const CrossTalk& talk) {
  Table table({{"  flow", Align::left}, {"weight"}, {"+/-"}, {"claimed", Align::left}, {"told apart", Align::left}});
  for (const auto& flow : talk.flows)
    table.add({"  " + flow.quantity, plain(flow.weight), unless_absent(plain(flow.error, 1)), flow.claimed ? "yes" : "no",
               flow.told_apart ? "yes" : "no"});
  if (table.empty()) return "";
  return table.text() + fmt::format("  {} cases, {} of the traffic left over{}\n", talk.cases, percent(talk.residual),
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
    table.add({"  " + row.case_id, plain(row.measured, 4), plain(row.measured < row.exact_lo ? row.exact_lo : row.exact_hi, 4),
               plain(row.ratio, 4)});
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
  return text + "\n" + verdict(accuracy);
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
    text += section("Which factor moves it, where all others are equal", invariance_text(score));
    text += section("How it grows: measured = offset + slope x exact", linearity_text(score));
    text += section("What it sees: measured as a sum of the exact flows", flows_text(score.cross_talk));
    text += section("Without a part of the evidence", stability_text(score));
    text += section("Tried", coverage_text(score.coverage));
    text += section("Farthest from the model", extremes_text(accuracy, score));
  }
  return text;
}

}  // namespace plumbline::app
