// The form is that of Nsight Compute's CLI documentation, "Command Line Options", --csv, --page and --print-units; all cells are quoted.
#include "imports/ncu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "imports/csv.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

constexpr const char* way_to_ncu_csv = "ncu --csv --page raw ... > FILE.csv, or of a report: ncu --import REPORT.ncu-rep --csv --page raw";

bool says_not_there(const std::string& value) { return value.empty() || value.find("n/a") != value.npos || value == "nan"; }

class NcuReader {
 public:
  NcuReader(std::string text, const std::string& path, const WantedMetrics& wanted) : text_(std::move(text), path), wanted_(wanted) {}

  std::vector<ProfiledLaunch> read() {
    std::size_t last = 1;
    while (const auto line = text_.next()) {
      last = line->number;
      // Lines of the profiled program's own may stand between the profiler's, which all begin with a quote.
      if (!line->starts_with("\"")) continue;
      if (line->starts_with("\"ID\","))
        begin_table(*line);
      else if (!header_.empty())
        take(*line);
    }
    if (header_.empty())
      text_.fail(last, fmt::format("no line begins with \"ID\",: this is no CSV of Nsight Compute; write one by {}", way_to_ncu_csv));
    if (launches_.empty()) text_.fail(last, "there is no launch in this file: a kernel filter (--kernel-name) that fits none?");
    return std::move(launches_);
  }

 private:
  void begin_table(const CsvLine& line) {
    header_ = text_.cells(line);
    units_.clear();
    is_long_ = column("Metric Name").has_value();
    if (!column("Kernel Name")) text_.fail(line.number, "the header has no column \"Kernel Name\"");
    if (is_long_ && !(column("Metric Unit") && column("Metric Value")))
      text_.fail(line.number, "the header has \"Metric Name\", but not \"Metric Unit\" and \"Metric Value\"");
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? std::nullopt : std::optional<std::size_t>(found - header_.begin());
  }
  std::string cell(const std::vector<std::string>& cells, std::string_view name) const {
    const auto at = column(name);
    return at ? cells[*at] : std::string();
  }

  void take(const CsvLine& line) {
    auto cells = text_.cells(line);
    // Lines of metrics may end behind the value, where the header goes on with the columns of rules.
    const std::size_t needed = is_long_ ? *column("Metric Value") + 1 : header_.size();
    if (cells.size() < needed || cells.size() > header_.size())
      text_.fail(line.number,
                 fmt::format("{} cells where the header has {}: the line is cut short, or the file is", cells.size(), header_.size()));
    cells.resize(header_.size());
    const bool has_id = !cells.front().empty();
    if (is_long_) {
      if (!has_id) text_.fail(line.number, "the line has no ID");
      take_metric(launch_of(cells, line), cell(cells, "Metric Name"), cell(cells, "Metric Unit"), cell(cells, "Metric Value"), line);
    } else if (units_.empty()) {
      if (has_id) text_.fail(line.number, "the line of units that ncu prints below the header is missing");
      units_ = cells;
    } else {
      if (!has_id) text_.fail(line.number, "the line has no ID");
      ProfiledLaunch& launch = launch_of(cells, line);
      for (std::size_t i = 0; i < cells.size(); ++i) take_metric(launch, header_[i], units_[i], cells[i], line);
    }
  }

  /// Lines of one launch follow one another; the same launch in a later table of the file is known by process and ID.
  ProfiledLaunch& launch_of(const std::vector<std::string>& cells, const CsvLine& line) {
    const std::string id = cells.front(), process = cell(cells, "Process ID"), kernel = cell(cells, "Kernel Name");
    const auto [at, is_new] = numbers_.try_emplace({process, id}, launches_.size());
    if (is_new) {
      launches_.push_back(described(cells));
    } else if (launches_[at->second].kernel != kernel) {
      text_.fail(line.number, fmt::format("launch {} is '{}' here and '{}' before: are two reports in one file? Import each by itself", id,
                                          kernel, launches_[at->second].kernel));
    }
    return launches_[at->second];
  }

  ProfiledLaunch described(const std::vector<std::string>& cells) const {
    ProfiledLaunch launch{.kernel = cell(cells, "Kernel Name"),
                          .node = cell(cells, "Host Name"),
                          .launch = cells.front(),
                          .process = cell(cells, "Process ID"),
                          .chip = static_cast<int>(std::lround(10 * printed_number(cell(cells, "CC")).value_or(0)))};
    if (launch.node.empty()) launch.node = "host";
    if (const auto device = cell(cells, "Device"); !device.empty()) launch.node += " gpu" + device;
    const std::pair<const char*, const char*> shapes[] = {
        {"block", "Block Size"}, {"grid", "Grid Size"}, {"stream", "Stream"}, {"context", "Context"}};
    for (const auto& [key, name] : shapes)
      if (const auto text = cell(cells, name); !text.empty()) launch.shape[key] = text;
    return launch;
  }

  void take_metric(ProfiledLaunch& launch, const std::string& name, const std::string& unit, const std::string& value,
                   const CsvLine& line) {
    if (!wanted_.contains(name)) return;
    double in_base = absent;
    if (!says_not_there(value)) {
      const auto number = printed_number(value);
      if (!number)
        text_.fail(
            line.number,
            fmt::format("{} is '{}', which is no number with thousands separators and a decimal point; write the file under LC_ALL=C", name,
                        value));
      const auto factor = base_units(unit);
      if (!factor)
        text_.fail(line.number,
                   fmt::format("{} has the unit '{}', which is not known; write the file with --print-units base", name, unit));
      in_base = *number * *factor;
    }
    const auto [known, is_new] = launch.metrics.try_emplace(name, in_base);
    if (is_new || known->second == in_base || std::isnan(in_base)) return;
    if (!std::isnan(known->second))
      text_.fail(line.number, fmt::format("{} of launch {} is {} here and {} before: are two reports in one file? Import each by itself",
                                          name, launch.launch, in_base, known->second));
    known->second = in_base;
  }

  CsvText text_;
  const WantedMetrics& wanted_;
  std::vector<std::string> header_, units_;
  bool is_long_ = false;
  std::vector<ProfiledLaunch> launches_;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;  // process, ID -> launch
};

}  // namespace

std::vector<ProfiledLaunch> read_ncu_report(std::string text, const std::string& path, const WantedMetrics& wanted) {
  return NcuReader(std::move(text), path, wanted).read();
}

}  // namespace plumbline
