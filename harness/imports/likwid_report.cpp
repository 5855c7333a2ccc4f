// The form is that of likwid 5's likwid.lua, printOutput: a line "TABLE,[Region NAME,]Group N Metric,GROUP,ROWS", a header with the
// hardware threads, and a line a metric; empty cells fill all lines to the same number.
#include "imports/likwid_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "imports/csv.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

constexpr const char* way_to_likwid_csv = "likwid-perfctr -O -o FILE.csv -C 0-3 -g FLOPS_DP PROGRAM";
constexpr const char* runtime = "Runtime (RDTSC)";

/// The table that a line "TABLE,..." announces.
struct Announced {
  std::string region = {}, number = {}, group = {};  // region: empty for the program
  bool has_metrics = false;
  std::size_t rows = 0;
};

bool is_whole(const std::string& text) {
  return !text.empty() && text.size() < 7 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Takes a cell apart: "Group 2 Metric" -> "2"; empty for another cell. Its kind goes to `kind`.
std::string group_number(const std::string& cell, std::string& kind) {
  constexpr std::string_view head = "Group ";
  if (!cell.starts_with(head)) return "";
  const std::size_t behind = cell.find(' ', head.size());
  if (behind == cell.npos) return "";
  kind = cell.substr(behind + 1);
  const std::string number = cell.substr(head.size(), behind - head.size());
  return is_whole(number) ? number : "";
}

/// A region's name may have commas, which likwid does not quote: it ends where the group begins.
std::optional<Announced> announced_by(const std::vector<std::string>& cells) {
  constexpr std::string_view of_region = "Region ";
  Announced table;
  std::string kind;
  for (std::size_t at = 1; at + 2 < cells.size(); ++at) {
    table.number = group_number(cells[at], kind);
    if (table.number.empty()) {
      table.region += (at > 1 ? "," : "") + cells[at];
      continue;
    }
    table.group = cells[at + 1];
    table.has_metrics = kind == "Metric";
    if (table.region.starts_with(of_region)) table.region.erase(0, of_region.size());
    if (table.group.empty() || !is_whole(cells[at + 2])) return std::nullopt;
    table.rows = std::stoul(cells[at + 2]);
    return table;
  }
  return std::nullopt;
}

/// Takes a metric apart: "Memory data volume [GBytes]" -> the name, and the unit in brackets.
std::pair<std::string, std::string> name_and_unit(const std::string& metric) {
  const std::size_t open = metric.rfind(" [");
  if (open == metric.npos || !metric.ends_with(']')) return {metric, ""};
  return {metric.substr(0, open), metric.substr(open + 2, metric.size() - open - 3)};
}

/// One table of metrics.
struct Part {
  Announced table;
  std::string node;
  std::size_t file = 0, line = 0;
  std::map<std::string, std::vector<double>> values = {};  // by name, one a hardware thread, in base units
  std::map<std::string, bool> rates = {};                  // by name: of a second
};

class LikwidReader {
 public:
  explicit LikwidReader(const WantedMetrics& wanted) : wanted_(wanted) {}

  void read(std::string content, const std::string& path) {
    CsvText text(std::move(content), path);
    const std::size_t before = parts_.size();
    node_ = "a machine that the report does not name";
    std::size_t last = 1;
    while (const auto line = text.next()) {
      last = line->number;
      if (line->starts_with("CPU name:,"))
        node_ = text.cells(*line).at(1);
      else if (line->starts_with("TABLE,"))
        take_table(text, *line);
    }
    if (parts_.size() == before)
      text.fail(last, fmt::format("no table of a group's metrics: this is no CSV of likwid-perfctr; write one by {}", way_to_likwid_csv));
    ++files_;
    paths_.push_back(path);
  }

  std::vector<ProfiledLaunch> launches() {
    std::vector<ProfiledLaunch> all;
    const bool is_joined = each_file_has_one_group();
    std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> places;
    std::map<std::pair<std::size_t, std::string>, const Part*> of_group;
    for (const Part& part : parts_) {
      ProfiledLaunch launch = launch_of(part);
      const auto [place, is_new] = places.try_emplace({part.node, launch.kernel, threads_of(part)}, all.size());
      const auto [first, is_first] = of_group.try_emplace({place->second, launch.launch}, &part);
      if (!is_first && !launch.metrics.empty()) refuse_again(part, *first->second, launch.kernel);
      if (is_new || !is_joined)
        all.push_back(std::move(launch));
      else
        join(all[place->second], std::move(launch), part);
    }
    return all;
  }

 private:
  void take_table(CsvText& text, const CsvLine& begin) {
    const auto announced = announced_by(text.cells(begin));
    if (!announced) text.fail(begin.number, "TABLE is not followed by a group, its name and its number of rows: the line is cut short");
    if (!announced->has_metrics) return;
    Part part{*announced, node_, files_, begin.number};
    const auto header = text.next();
    const auto heads = header ? text.cells(*header) : std::vector<std::string>{};
    const auto threads = static_cast<std::size_t>(std::count_if(
        heads.begin(), heads.end(), [](const std::string& head) { return head.starts_with("HWThread ") || head.starts_with("Core "); }));
    if (heads.empty() || heads[0] != "Metric" || threads == 0)
      text.fail(header ? header->number : begin.number, "the header of the table names no hardware threads (Metric,HWThread 0,...)");
    for (std::size_t row = 0; row < announced->rows; ++row) {
      const auto line = text.next();
      if (!line || line->starts_with("TABLE,") || line->starts_with("STRUCT,"))
        text.fail(line ? line->number : begin.number,
                  fmt::format("group {} has {} metrics of {}: the file is cut short", announced->group, row, announced->rows));
      take_metric(text, *line, threads, part);
    }
    parts_.push_back(std::move(part));
  }

  void take_metric(const CsvText& text, const CsvLine& line, std::size_t threads, Part& part) const {
    const auto cells = text.cells(line);
    if (cells.size() < 1 + threads)
      text.fail(line.number, fmt::format("{} cells for {} hardware threads: the line is cut short", cells.size() - 1, threads));
    const auto [name, unit] = name_and_unit(cells[0]);
    const bool is_rate = unit.ends_with("/s");
    if (name != runtime && !wanted_.contains(is_rate ? by_time(name) : name)) return;
    const auto factor = base_units(unit);
    if (!factor) text.fail(line.number, fmt::format("the unit of '{}' is not known", cells[0]));
    if (!part.rates.try_emplace(name, is_rate).second) text.fail(line.number, fmt::format("the table has '{}' twice", cells[0]));
    for (std::size_t thread = 0; thread < threads; ++thread) part.values[name].push_back(*factor * value(text, line, cells[1 + thread]));
  }

  /// likwid says "-" or "nan" where it has none, and "inf" for a division by nothing.
  static double value(const CsvText& text, const CsvLine& line, const std::string& cell) {
    for (const char* none : {"-", "nan", "-nan", "inf", "-inf", "NaN", "Inf"})
      if (cell == none) return std::numeric_limits<double>::quiet_NaN();
    const auto number = printed_number(cell);
    if (!number || *number < 0) text.fail(line.number, fmt::format("'{}' is no amount", cell));
    return *number;
  }

  static std::string by_time(const std::string& name) { return fmt::format("{} x {}", name, runtime); }

  /// The hardware threads that were there for some time.
  static std::size_t threads_of(const Part& part) {
    const auto times = part.values.find(runtime);
    if (times == part.values.end()) return part.values.empty() ? 1 : part.values.begin()->second.size();
    const auto busy = std::count_if(times->second.begin(), times->second.end(), [](double seconds) { return seconds > 0; });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, busy));
  }

  static ProfiledLaunch launch_of(const Part& part) {
    ProfiledLaunch launch{.kernel = part.table.region.empty() ? "program" : part.table.region,
                          .node = part.node,
                          .launch = part.table.group,
                          .threads = static_cast<int>(threads_of(part))};
    const auto times = part.values.find(runtime);
    for (const auto& [name, values] : part.values) {
      if (name == runtime) continue;
      const bool is_rate = part.rates.at(name);
      double sum = 0;
      for (std::size_t thread = 0; thread < values.size(); ++thread) {
        const bool was_there = times == part.values.end() || times->second[thread] != 0;
        if (!was_there && std::isnan(values[thread])) continue;
        sum += values[thread] * (!is_rate                     ? 1
                                 : times == part.values.end() ? std::numeric_limits<double>::quiet_NaN()
                                                              : times->second[thread]);
      }
      launch.metrics[is_rate ? by_time(name) : name] = sum;
    }
    if (times != part.values.end()) {
      const double longest = *std::max_element(times->second.begin(), times->second.end());
      if (longest > 0) launch.seconds = {longest};
    }
    return launch;
  }

  bool each_file_has_one_group() const {
    std::map<std::size_t, std::string> group;
    return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
      return group.try_emplace(part.file, part.table.number).first->second == part.table.number;
    });
  }

  [[noreturn]] void refuse_again(const Part& part, const Part& first, const std::string& kernel) const {
    throw user_error(
        fmt::format("{}:{}: group {} of '{}' was at {}:{} already, and a case has a group once: leave one of them out, or "
                    "import the runs into a file each",
                    paths_[part.file], part.line, part.table.group, kernel, paths_[first.file], first.line));
  }

  /// The numbers of the first run stay; the other adds what that did not have.
  void join(ProfiledLaunch& launch, ProfiledLaunch&& other, const Part& part) const {
    launch.launch += "+" + other.launch;
    if (launch.remarks.empty())
      launch.remarks.push_back("FLOPs and bytes are of several runs, a group each, which must have done the same");
    if (!launch.seconds.empty() && !other.seconds.empty() && std::abs(other.seconds.front() / launch.seconds.front() - 1) > 0.1)
      launch.remarks.push_back(fmt::format("{}: '{}' took {:.3g} s in {}, and {:.3g} s in the run before: hardly did both do the same",
                                           other.launch, launch.kernel, other.seconds.front(), paths_[part.file], launch.seconds.front()));
    launch.seconds.insert(launch.seconds.end(), other.seconds.begin(), other.seconds.end());
    launch.metrics.merge(other.metrics);
  }

  const WantedMetrics& wanted_;
  std::string node_;
  std::size_t files_ = 0;
  std::vector<std::string> paths_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<ProfiledLaunch> read_likwid_reports(std::vector<std::pair<std::string, std::string>> files, const WantedMetrics& wanted) {
  LikwidReader reader(wanted);
  for (auto& [text, path] : files) reader.read(std::move(text), path);
  return reader.launches();
}

}  // namespace plumbline
