// The findings of `plumbline check` are written for other programs: JUnit XML, which CI servers read, and Markdown, which people do.
#include <fmt/format.h>

#include "app/nights/check_report.hpp"

namespace plumbline::app {
namespace {

/// XML 1.0 has no place for most control characters, not even escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

struct JunitCase {
  std::string name, node, kind, message;  // kind: failure, error, skipped; empty where it passed
};

std::vector<JunitCase> junit_cases(const CheckReport& report) {
  std::vector<JunitCase> cases;
  for (const auto& one : report.wrong) cases.push_back({one.key.what + " (result)", one.key.node, "error", "wrong result: " + one.reason});
  for (const auto& one : report.missing)
    cases.push_back({one.key.what + " (missing)", one.key.node, report.missing_allowed ? "skipped" : "failure", "missing: " + one.reason});
  for (const auto& row : report.rows) {
    JunitCase one{row.key.what, row.key.node, "", ""};
    if (row.night.finding == NightFinding::slower) one.kind = "failure";
    if (row.night.finding == NightFinding::no_baseline || row.night.finding == NightFinding::disturbed) one.kind = "skipped";
    if (!one.kind.empty()) one.message = evidence(row);
    cases.push_back(std::move(one));
  }
  return cases;
}

std::size_t count_of(const std::vector<JunitCase>& cases, const std::string& kind) {
  std::size_t count = 0;
  for (const auto& one : cases) count += one.kind == kind;
  return count;
}

std::string properties(const CheckReport& report) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("<property name=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value));
  };
  add("baseline", report.baseline);
  add("nights", std::to_string(report.nights));
  add("rows_held_against_a_night", std::to_string(held_of(report)));
  add("false_alarms_a_night", fmt::format("{}", report.false_alarms));
  for (const auto& [row_class, part] : report.summary.smallest_detectable)
    add("smallest_detectable_percent." + row_class, fmt::format("{:.1f}", 100 * part));
  return "<properties>\n" + text + "</properties>\n";
}

}  // namespace

std::string junit(const CheckReport& report) {
  const auto cases = junit_cases(report);
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.size(), count_of(cases, "failure"), count_of(cases, "error"));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"plumbline check\" {}>\n<testsuite name=\"{}\" {} skipped=\"{}\" time=\"0\">\n", counts,
                      escaped(report.file), counts, count_of(cases, "skipped"));
  text += properties(report);
  for (const auto& one : cases) {
    text += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"0\"", escaped(one.node), escaped(one.name));
    text += one.kind.empty() ? "/>\n" : fmt::format("><{} message=\"{}\"/></testcase>\n", one.kind, escaped(one.message));
  }
  return text + "</testsuite>\n</testsuites>\n";
}

std::string markdown(const CheckReport& report) {
  std::string text = fmt::format("## plumbline check: {}\n\n{}, against {}: {} nights\n\n", markdown_cell(report.file),
                                 utc_text(report.started_unix_ns), markdown_cell(report.baseline), report.nights);
  std::string rows;
  for (const auto& one : report.wrong)
    rows += fmt::format("| WRONG RESULT | {} | {} | {} |\n", markdown_cell(one.key.what), markdown_cell(one.key.node),
                        markdown_cell(one.reason));
  for (const auto& one : report.missing)
    rows +=
        fmt::format("| MISSING | {} | {} | {} |\n", markdown_cell(one.key.what), markdown_cell(one.key.node), markdown_cell(one.reason));
  for (const NightFinding finding : {NightFinding::slower, NightFinding::suspect, NightFinding::faster})
    for (const auto& row : report.rows)
      if (row.night.finding == finding)
        rows += fmt::format("| {} | {} | {} | {} |\n", to_string(finding), markdown_cell(row.key.what), markdown_cell(row.key.node),
                            markdown_cell(evidence(row)));
  const std::size_t held = held_of(report);
  if (held == 0) text += "Nothing was held against an earlier night: this is no verdict on what became slower.\n\n";
  if (!rows.empty()) text += "| verdict | what | node | evidence |\n| --- | --- | --- | --- |\n" + rows;
  if (held > 0 && rows.empty()) text += "Nothing became slower or faster.\n";
  text += fmt::format("\n{} rows: {}\n", report.rows.size(), counts_text(report));
  if (held > 0)
    text += fmt::format("\nFalse alarms expected a night: {}. Smallest slowdown named by one night alone 8 times of 10, by class: {}\n",
                        plain(report.false_alarms, 2), detectable_text(report));
  for (const auto& note : report.notes) text += fmt::format("\n- {}", markdown_cell(note));
  return text + (report.notes.empty() ? "" : "\n");
}

}  // namespace plumbline::app
