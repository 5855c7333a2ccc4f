// The form is that of the CUDA Toolkit's Profiler User's Guide, "nvprof", CSV: tables with a header each; those of times have units below
// it.
#include "imports/nvprof_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "imports/csv.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

constexpr const char* way_to_nvprof_csv = "nvprof --csv --log-file FILE.csv --metrics flop_count_dp,... PROGRAM";

enum class Kind { none, metrics, summary, trace, other };

struct Header {
  Kind kind = Kind::none;
  std::vector<std::string> names = {};

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
  }
  bool has(std::initializer_list<const char*> all) const {
    return std::all_of(all.begin(), all.end(), [&](const char* name) { return column(name).has_value(); });
  }
};

Header header_of(std::vector<std::string> cells) {
  Header header{Kind::other, std::move(cells)};
  if (header.has({"Device", "Kernel", "Invocations", "Metric Name", "Avg"}))
    header.kind = Kind::metrics;
  else if (header.has({"Time(%)", "Time", "Calls", "Avg", "Name"}))
    header.kind = Kind::summary;
  else if (header.has({"Start", "Duration", "Name"}))
    header.kind = Kind::trace;
  return header;
}

/// Whether a line begins as nvprof's headers do; no row of a table does.
bool is_header(const CsvLine& line) {
  constexpr std::array heads{"\"Device\",", "\"Type\",", "\"Time(%)\",", "\"Start\","};
  return std::any_of(heads.begin(), heads.end(), [&](const char* head) { return line.starts_with(head); });
}

/// Kernels have no brackets before their name; "[CUDA memcpy HtoD]" is a copy.
bool is_copy(const std::string& name) { return name.starts_with("[CUDA mem"); }

class NvprofReader {
 public:
  explicit NvprofReader(const WantedMetrics& wanted) : wanted_(wanted) {}

  void read(std::string content, const std::string& path) {
    CsvText text(std::move(content), path);
    header_ = {};
    bool any = false;
    std::size_t last = 1;
    while (const auto line = text.next()) {
      last = line->number;
      if (line->is_blank()) {
        header_ = {};
      } else if (is_header(*line)) {
        begin_table(text, *line);
        any = any || header_.kind != Kind::other;
      } else if (header_.kind != Kind::none) {
        take(text, *line);
      }
    }
    if (!any)
      text.fail(last, fmt::format("no table of metrics, of a summary or of a trace: this is no CSV of nvprof; write one by {}",
                                  way_to_nvprof_csv));
  }

  std::vector<ProfiledLaunch> launches() {
    give_times();
    std::vector<ProfiledLaunch> all;
    for (const auto& key : order_)
      for (auto& launch : kernels_[key].runs) all.push_back(std::move(launch));
    return all;
  }

 private:
  struct Times {
    std::vector<double> seconds;
    std::int64_t launches = 0;
  };
  struct Kernel {
    std::vector<ProfiledLaunch> runs;
    std::map<std::string, std::size_t> met;  // metric -> how many tables had it
  };
  using Key = std::pair<std::string, std::string>;  // GPU, kernel

  void begin_table(CsvText& text, const CsvLine& line) {
    header_ = header_of(text.cells(line));
    if (header_.kind == Kind::other && header_.has({"Kernel"}) && header_.has({"Correlation_ID"}))
      text.fail(
          line.number,
          "metrics of each launch (--print-gpu-trace with --metrics) are not read; leave --print-gpu-trace out of the run with metrics");
    units_.clear();
    ++table_;
  }

  void take(CsvText& text, const CsvLine& line) {
    if (header_.kind == Kind::other) return;  // events, API calls
    const auto cells = text.cells(line);
    if (cells.size() != header_.names.size())
      text.fail(line.number,
                fmt::format(
                    "{} cells where the header has {}: the line is cut short, or is the program's own (nvprof --log-file keeps them apart)",
                    cells.size(), header_.names.size()));
    if (header_.kind == Kind::metrics)
      take_metric(text, line, cells);
    else if (units_.empty())
      take_units(text, line, cells);
    else
      take_time(text, line, cells);
  }

  const std::string& cell(const std::vector<std::string>& cells, std::string_view name) const { return cells[*header_.column(name)]; }

  double number(const CsvText& text, const CsvLine& line, std::string_view what, const std::string& value) const {
    const auto parsed = printed_number(value);
    if (!parsed || *parsed < 0) text.fail(line.number, fmt::format("{} is '{}', which is no count or time", what, value));
    return *parsed;
  }

  void take_metric(const CsvText& text, const CsvLine& line, const std::vector<std::string>& cells) {
    const std::string &name = cell(cells, "Metric Name"), &value = cell(cells, "Avg");
    if (!wanted_.contains(name)) return;
    Kernel& kernel = kernel_of({cell(cells, "Device"), cell(cells, "Kernel")});
    ProfiledLaunch& run = run_of(kernel, {cell(cells, "Device"), cell(cells, "Kernel")}, kernel.met[name]++);
    run.launches = static_cast<std::int64_t>(number(text, line, "Invocations", cell(cells, "Invocations")));
    // "<OVERFLOW>", "n/a" and the like: nvprof has no number. A step of a scale is a word and its number: "Mid (5)".
    const bool is_word = value.empty() || value.find_first_of("0123456789") == value.npos;
    const auto step = value.ends_with(')') ? value.find('(') + 1 : 0;
    run.metrics[name] = is_word ? absent : number(text, line, name, step == 0 ? value : value.substr(step, value.size() - step - 1));
  }

  void take_units(const CsvText& text, const CsvLine& line, const std::vector<std::string>& cells) {
    units_ = cells;
    const std::string& unit = cell(cells, header_.kind == Kind::trace ? "Duration" : "Avg");
    const auto factor = base_units(unit);
    if (unit.empty() || !factor)
      text.fail(line.number, fmt::format("the line of units below the header says '{}' of times; nvprof says s, ms, us or ns there", unit));
    time_unit_ = *factor;
  }

  void take_time(const CsvText& text, const CsvLine& line, const std::vector<std::string>& cells) {
    const std::string& name = cell(cells, "Name");
    if (is_copy(name) || name.empty() || (header_.column("Type") && cell(cells, "Type") != "GPU activities")) return;
    const bool is_trace = header_.kind == Kind::trace;
    const double seconds = time_unit_ * number(text, line, "the time", cell(cells, is_trace ? "Duration" : "Avg"));
    Times& times = times_[{is_trace && header_.column("Device") ? cell(cells, "Device") : "", trace_name(name)}][table_];
    times.seconds.push_back(seconds);
    times.launches += is_trace ? 1 : static_cast<std::int64_t>(number(text, line, "Calls", cell(cells, "Calls")));
  }

  /// A trace numbers its launches behind the name: "copy(double*) [112]".
  static std::string trace_name(const std::string& name) {
    const auto at = name.rfind(" [");
    const bool numbered =
        at != name.npos && name.ends_with(']') && at + 3 < name.size() && name.find_first_not_of("0123456789", at + 2) == name.size() - 1;
    return numbered ? name.substr(0, at) : name;
  }

  Kernel& kernel_of(const Key& key) {
    const auto [at, is_new] = kernels_.try_emplace(key);
    if (is_new) order_.push_back(key);
    return at->second;
  }

  static ProfiledLaunch& run_of(Kernel& kernel, const Key& key, std::size_t number) {
    while (kernel.runs.size() <= number)
      kernel.runs.push_back({.kernel = key.second, .node = key.first, .launch = std::to_string(kernel.runs.size() + 1), .launches = 0});
    return kernel.runs[number];
  }

  /// The tables with a kernel's times, in their order, to its runs. A summary does not say which GPU: it is for all that ran the kernel.
  void give_times() {
    for (const auto& [key, tables] : times_) {
      std::vector<Key> where;
      for (const auto& known : order_)
        if (known.second == key.second && (key.first.empty() || known.first == key.first)) where.push_back(known);
      if (where.empty()) where.push_back({key.first.empty() ? "GPU" : key.first, key.second});
      for (const auto& at : where) {
        std::size_t number = 0;
        for (const auto& [table, times] : tables) {
          ProfiledLaunch& run = run_of(kernel_of(at), at, number++);
          run.seconds = times.seconds;
          if (run.launches == 0) run.launches = times.launches;
        }
      }
    }
  }

  const WantedMetrics& wanted_;
  Header header_;
  std::vector<std::string> units_;
  double time_unit_ = 1;
  std::size_t table_ = 0;  // of all files
  std::map<Key, Kernel> kernels_;
  std::vector<Key> order_;                             // of the kernels, as first met
  std::map<Key, std::map<std::size_t, Times>> times_;  // by table
};

}  // namespace

std::vector<ProfiledLaunch> read_nvprof_reports(std::vector<std::pair<std::string, std::string>> files, const WantedMetrics& wanted) {
  NvprofReader reader(wanted);
  for (auto& [text, path] : files) reader.read(std::move(text), path);
  return reader.launches();
}

}  // namespace plumbline
