#include "imports/advisor_report.hpp"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <optional>

#include "imports/csv.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

constexpr const char* way_to_advisor_csv =
    "advisor --report=survey --show-all-columns --format=csv --report-output=FILE.csv --project-dir=DIR";
constexpr const char* loop_column = "function_call_sites_and_loops";

/// A heading becomes a key: "Self Memory, GB" -> "self_memory_gb".
std::string key_of(const std::string& head) {
  std::string key;
  for (const char c : head)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!key.empty() && key.back() != '_')
      key += '_';
  while (key.ends_with('_')) key.pop_back();
  return key;
}

/// Giga-amounts have it in their names: "self_gflop", "self_gflops", "self_dram_gb", "self_gb_s".
double factor_of(const std::string& key) {
  for (const char* giga : {"gflop", "gflops", "gb", "gb_s"})
    if (key == giga || key.ends_with(std::string("_") + giga)) return 1e9;
  return 1;
}

/// The word that tells the FLOPs' precision by the loop's data types: "Float64; Int32".
std::string precision_word(const std::string& types) {
  const bool fp64 = types.find("Float64") != types.npos, fp32 = types.find("Float32") != types.npos;
  return fp64 == fp32 ? "unsaid" : fp64 ? "float64" : "float32";
}

/// A version of a loop, of which the line before it is the whole: "-[loop in f at f.c:3]", "[child]: ...".
bool is_version(const std::string& name) { return name.starts_with('-') || name.starts_with("[child"); }

class AdvisorReader {
 public:
  AdvisorReader(std::string text, const std::string& path, const WantedMetrics& wanted) : text_(std::move(text), path), wanted_(wanted) {}

  std::vector<ProfiledLaunch> read() {
    find_header();
    while (const auto line = text_.next())
      if (!line->is_blank()) take(*line);
    if (launches_.empty())
      text_.fail(last_,
                 "no loop has FLOPs or bytes: collect them by advisor --collect=roofline, and show them by --show-all-columns (or "
                 "advisor --collect=tripcounts --flop)");
    return std::move(launches_);
  }

 private:
  /// The lines before the header are Advisor's own ("Intel(R) Advisor Command Line Tool ...").
  void find_header() {
    while (const auto line = text_.next()) {
      last_ = line->number;
      keys_.clear();
      if (line->text.find("Function Call Sites and Loops") == std::string_view::npos) continue;
      for (const auto& head : text_.cells(*line)) keys_.push_back(key_of(head));
      if (column(loop_column)) return;
    }
    text_.fail(last_, fmt::format("no header with 'Function Call Sites and Loops': this is no CSV of Advisor's survey; write one by {}",
                                  way_to_advisor_csv));
  }

  std::optional<std::size_t> column(const std::string& key) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] == key) return i;
    return std::nullopt;
  }
  std::string cell(const std::vector<std::string>& cells, const std::string& key) const {
    const auto at = column(key);
    return at ? cells[*at] : "";
  }

  void take(const CsvLine& line) {
    last_ = line.number;
    const auto cells = text_.cells(line);
    if (cells.size() != keys_.size())
      text_.fail(line.number, fmt::format("{} cells where the header has {}: the line is cut short", cells.size(), keys_.size()));
    const std::string name = cell(cells, loop_column);
    const bool version = is_version(name);
    if (!version) whole_has_numbers_ = false;
    if (name.empty() || (version && whole_has_numbers_)) return;
    ProfiledLaunch launch{.kernel = name, .node = "a machine that the report does not name", .launch = cell(cells, "id"), .threads = 1};
    if (launch.launch.empty()) launch.launch = std::to_string(line.number);
    const std::string precision = precision_word(cell(cells, "data_types"));
    for (std::size_t i = 0; i < cells.size(); ++i) take_cell(line, keys_[i], cells[i], precision, launch);
    if (!launch.metrics.empty()) add_zeros(precision, launch);
    take_time(line, cells, launch);
    if (launch.metrics.empty()) return;
    if (!version) whole_has_numbers_ = true;
    launches_.push_back(std::move(launch));
  }

  void take_cell(const CsvLine& line, const std::string& key, const std::string& cell, const std::string& precision,
                 ProfiledLaunch& launch) const {
    const std::string split = key + "." + precision;
    for (const std::string& metric : {key, split})
      if (wanted_.contains(metric))
        if (const auto value = number(line, key, cell)) launch.metrics[metric] = factor_of(key) * *value;
  }

  /// A loop whose FLOPs are of one precision has none of the other.
  void add_zeros(const std::string& precision, ProfiledLaunch& launch) const {
    const std::string other = precision == "float32" ? ".float64" : ".float32";
    for (const char* column : {"self_gflop", "self_gflops"})
      if (wanted_.contains(column + other)) launch.metrics[column + other] = 0;
  }

  void take_time(const CsvLine& line, const std::vector<std::string>& cells, ProfiledLaunch& launch) const {
    for (const char* key : {"self_elapsed_time", "self_time"})
      if (const auto seconds = number(line, key, cell(cells, key)); seconds && *seconds > 0) {
        launch.seconds = {*seconds};
        if (std::string_view(key) == "self_time")
          launch.remarks.emplace_back("times are Advisor's Self Time, the CPU time of all threads: the rate is that of one of them");
        return;
      }
  }

  /// Reads a cell; nullopt: Advisor says nothing, or only that it is less than something ("< 0.001").
  std::optional<double> number(const CsvLine& line, const std::string& key, std::string cell) const {
    if (cell.ends_with('s')) cell.pop_back();
    while (cell.ends_with(' ')) cell.pop_back();
    if (cell.empty() || cell.starts_with('<') || cell == "n/a" || cell == "-") return std::nullopt;
    const auto value = printed_number(cell);
    if (!value || *value < 0) text_.fail(line.number, fmt::format("{} is '{}', which is no amount", key, cell));
    return value;
  }

  CsvText text_;
  const WantedMetrics& wanted_;
  std::vector<std::string> keys_;
  std::size_t last_ = 1;
  bool whole_has_numbers_ = false;
  std::vector<ProfiledLaunch> launches_;
};

}  // namespace

std::vector<ProfiledLaunch> read_advisor_report(std::string text, const std::string& path, const WantedMetrics& wanted) {
  return AdvisorReader(std::move(text), path, wanted).read();
}

}  // namespace plumbline
