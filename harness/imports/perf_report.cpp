// The forms are those of perf-stat(1), "CSV FORMAT" and "JSON FORMAT": value, unit, event, [variance,] run time, percentage of it, metric,
// its unit.
#include "imports/perf_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "imports/csv.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

using Json = nlohmann::json;

constexpr const char* way_to_perf_csv = "perf stat -x, -o FILE.csv -e duration_time,... PROGRAM";
constexpr const char* text_form = "this is perf stat's text form; run it with -x, or -j";
constexpr const char* not_sums = "these are sums of single CPUs, threads or intervals; leave out -A, -I and the --per-... options";

/// One event as perf tells it.
struct Line {
  std::size_t number = 0;
  std::string value = {}, unit = {}, event = {}, metric_unit = {};
  double running_percent = 100, metric = std::numeric_limits<double>::quiet_NaN();
};

/// An event has lines that were added up, and others.
struct Told {
  std::string event, unit;
  int added = 0, left_out = 0;
};

/// Takes the modifiers off: "instructions:u" -> "instructions", "cpu/event=0xc7/pp" stays.
std::string without_modifiers(const std::string& event) {
  const std::size_t colon = event.rfind(':');
  const bool is_modifier = colon != event.npos && colon + 1 < event.size() && event.size() - colon < 8 &&
                           event.find_first_not_of("ukhHGpPSDWebI", colon + 1) == event.npos;
  return is_modifier ? event.substr(0, colon) : event;
}

bool is_event(const std::string& cell) { return !cell.empty() && std::isalpha(static_cast<unsigned char>(cell[0])) != 0; }

class PerfReader {
 public:
  PerfReader(std::string text, const std::string& path, const WantedMetrics& wanted) : text_(std::move(text), path), wanted_(wanted) {}

  std::vector<ProfiledLaunch> read() {
    std::size_t last = 1;
    while (const auto line = text_.next()) {
      last = line->number;
      if (line->is_blank() || line->starts_with("#")) continue;
      if (line->starts_with(" Performance counter stats")) text_.fail(line->number, fmt::format("{}: {}", text_form, way_to_perf_csv));
      take(line->starts_with("{") ? of_json(*line) : of_csv(*line));
    }
    if (lines_ == 0) text_.fail(last, fmt::format("no event: this is nothing that perf stat wrote; write it by {}", way_to_perf_csv));
    finish();
    return {std::move(launch_)};
  }

 private:
  Line of_csv(const CsvLine& line) {
    if (separator_ == 0) separator_ = separator_of(line);
    std::vector<std::string> cells(1);
    for (const char c : line.text)
      if (c == separator_)
        cells.emplace_back();
      else
        cells.back() += c;
    if (cells.size() < 5)
      text_.fail(line.number, fmt::format("{} cells are no line of perf stat; write it by {}", cells.size(), way_to_perf_csv));
    if (!is_event(cells[2]) || (cells.size() > 3 && is_event(cells[3]))) text_.fail(line.number, not_sums);
    Line found{.number = line.number, .value = cells[0], .unit = cells[1], .event = cells[2]};
    std::size_t at = cells[3].ends_with('%') ? 4 : 3;  // of several runs (-r) with their variance
    if (at + 1 < cells.size()) found.running_percent = printed_number(cells[at + 1]).value_or(100);
    if (at + 3 < cells.size()) found.metric = printed_number(cells[at + 2]).value_or(found.metric), found.metric_unit = cells[at + 3];
    return found;
  }

  /// The character that parts most cells; -x takes any.
  static char separator_of(const CsvLine& line) {
    char best = ',';
    for (const char one : {',', ';', '\t', '|', ' '})
      if (std::count(line.text.begin(), line.text.end(), one) > std::count(line.text.begin(), line.text.end(), best)) best = one;
    return best;
  }

  Line of_json(const CsvLine& line) {
    const Json row = Json::parse(line.text, nullptr, false);
    if (!row.is_object()) text_.fail(line.number, "this is no whole object of JSON: the file is cut short");
    for (const char* single : {"interval", "cpu", "core", "thread", "socket", "die", "node", "cgroup"})
      if (row.contains(single)) text_.fail(line.number, not_sums);
    const auto word = [&](const char* key) {
      return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : std::string();
    };
    const auto number = [&](const char* key, double otherwise) {
      return row.contains(key) && row[key].is_number() ? row[key].get<double>() : otherwise;
    };
    Line found{.number = line.number,
               .value = word("counter-value"),
               .unit = word("unit"),
               .event = word("event"),
               .metric_unit = word("metric-unit")};
    if (!is_event(found.event) || found.value.empty()) text_.fail(line.number, "it has no 'event' with a 'counter-value'");
    found.running_percent = number("pcnt-running", 100), found.metric = number("metric-value", found.metric);
    return found;
  }

  void take(const Line& line) {
    ++lines_;
    const std::string event = without_modifiers(line.event);
    const bool is_time = event == "duration_time", is_clock = event == "task-clock" || event == "cpu-clock";
    if (!is_time && !is_clock && !wanted_.contains(event)) return;
    const double value = amount(line, is_time && line.unit.empty() ? "ns" : line.unit);
    if (is_time && value > 0) elapsed_ = value;
    if (is_clock && line.metric > 0 && line.metric_unit.starts_with("CPU")) by_clock_ = value / line.metric;
    if (!wanted_.contains(event)) return;
    add(line, event, value);
    if (line.running_percent < 99.5)
      launch_.remarks.push_back(
          fmt::format("{} was counted for {:.0f} % of the time, and perf scaled it to all of it", event, line.running_percent));
  }

  /// Adds a line to its event. Units outside of the cores, as channels of memory, are told on a line each; an event of the cores that comes
  /// again was asked for twice.
  void add(const Line& line, const std::string& event, double value) {
    const auto [told, is_first] = told_.try_emplace(event, Told{line.event, line.unit});
    Told& known = told->second;
    if (is_first || (event.starts_with("unc") && known.event == line.event && known.unit == line.unit)) {
      launch_.metrics[event] += value;
      ++known.added;
    } else {
      ++known.left_out;
    }
  }

  /// Says of each event what its lines were taken for.
  void remark_on_lines() {
    for (const auto& [event, told] : told_) {
      if (told.added > 1)
        launch_.remarks.push_back(
            fmt::format("{} is the sum of {} lines: sockets and channels are told on a line each", event, told.added));
      if (told.left_out > 0) launch_.remarks.push_back(fmt::format("{} comes again, and its later lines are left out", event));
    }
  }

  double amount(const Line& line, const std::string& unit) const {
    if (line.value.starts_with('<')) return std::numeric_limits<double>::quiet_NaN();  // <not counted>, <not supported>
    const auto factor = base_units(unit);
    if (!factor) text_.fail(line.number, fmt::format("the unit '{}' of {} is not known", unit, line.event));
    const auto value = printed_number(line.value);
    if (!value || *value < 0) text_.fail(line.number, fmt::format("{} is '{}', which is no count", line.event, line.value));
    return *factor * *value;
  }

  void finish() {
    remark_on_lines();
    launch_.kernel = "program", launch_.node = "a machine that perf does not name", launch_.launch = "1", launch_.threads = 1;
    if (elapsed_ > 0) {
      launch_.seconds = {elapsed_};
    } else if (by_clock_ > 0) {
      launch_.seconds = {by_clock_};
      launch_.remarks.emplace_back("the time is that of task-clock over the CPUs utilized, which perf rounds; -e duration_time tells it");
    }
  }

  CsvText text_;
  const WantedMetrics& wanted_;
  char separator_ = 0;
  std::size_t lines_ = 0;
  double elapsed_ = 0, by_clock_ = 0;
  std::map<std::string, Told> told_;
  ProfiledLaunch launch_;
};

}  // namespace

std::vector<ProfiledLaunch> read_perf_report(std::string text, const std::string& path, const WantedMetrics& wanted) {
  return PerfReader(std::move(text), path, wanted).read();
}

}  // namespace plumbline
