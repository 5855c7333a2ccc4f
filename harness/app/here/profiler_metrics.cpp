#include "app/here/profiler_metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/here/paths.hpp"
#include "campaign/written.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline::app {
namespace {

constexpr const char* folder = "harness/imports/metrics";
constexpr const char* conventions_folder = "harness/imports/conventions";
constexpr std::array profilers{"ncu", "nvprof", own_profiler, "likwid", "advisor", "perf"};

/// The metrics of profile --gpu, which are CUPTI's, as ncu's are; it tells the time itself.
ProfilerMetrics own_metrics(ProfilerMetrics of_ncu) {
  of_ncu.tool = own_profiler;
  std::erase_if(of_ncu.rows, [](const ProfilerMetric& row) { return row.quantity == launch_seconds; });
  return of_ncu;
}

template <class T>
T required(const WrittenTable& table, const char* key, const std::optional<Written<T>>& written) {
  if (!written) table.fail(table.at(), fmt::format("'{}' is missing in {}", key, table.title()));
  return written->value;
}

std::string read_quantity(const WrittenTable& table) {
  const std::string quantity = required(table, "quantity", table.word("quantity"));
  if (quantity != launch_seconds && !is_quantity(quantity))
    table.fail(table.at("quantity"), fmt::format("'{}' is no quantity; allowed are seconds, {}", quantity, quantity_names));
  return quantity;
}

std::vector<Term> read_terms(const WrittenTable& table) {
  std::vector<Term> terms;
  for (const auto& term : table.tables("terms", "one {event, weight} for each metric")) {
    term.allow_only({"event", "weight", "kind"});
    terms.push_back({required(term, "event", term.word("event")), required(term, "weight", term.positive("weight"))});
    if (const auto kind = term.choice("kind", {"add", "mul", "fma"})) terms.back().kind = kind->value;
  }
  if (terms.empty()) table.fail(table.at(), "[[metric]] has neither 'terms' nor 'counter'");
  return terms;
}

const EventTable& event_table(const WrittenTable& table, const std::string& family) {
  static std::map<std::string, EventTable> known;
  if (const auto found = known.find(family); found != known.end()) return found->second;
  const auto file = find_shared("harness/counters/events") / (family + ".toml");
  if (!std::filesystem::exists(file)) table.fail(table.at("counter"), fmt::format("there is no event table {}.toml", family));
  return known.emplace(family, read_event_table(file)).first->second;
}

/// The terms of a counter that a row refers to, as "nvidia-ga100: flops.fp64": the formula stands in that chip's event table, and there
/// alone.
std::vector<Term> terms_of_counter(const WrittenTable& table) {
  if (table.has("terms")) table.fail(table.at("terms"), "[[metric]] has 'terms' and a 'counter' whose they would be");
  const std::string said = required(table, "counter", table.word("counter"));
  const std::size_t colon = said.find(": ");
  if (colon == said.npos)
    table.fail(table.at("counter"), fmt::format("'{}' is not FAMILY: COUNTER, as \"nvidia-ga100: flops.fp64\"", said));
  const std::string family = said.substr(0, colon);
  const EventTable& events = event_table(table, family);
  const auto found = std::find_if(events.counters.begin(), events.counters.end(),
                                  [&](const TableCounter& one) { return one.counter.name == said.substr(colon + 2); });
  if (found == events.counters.end())
    table.fail(table.at("counter"), fmt::format("{}.toml has no counter '{}'", events.family, said.substr(colon + 2)));
  return found->counter.terms;
}

ProfilerMetric read_row(const WrittenTable& table) {
  table.allow_only({"backends", "quantity", "terms", "counter", "times", "over", "chips", "device", "part", "remark", "source"});
  ProfilerMetric row{.quantity = read_quantity(table), .source = required(table, "source", table.word("source"))};
  row.terms = table.has("counter") ? terms_of_counter(table) : read_terms(table);
  if (table.has("times"))
    for (const auto& factor : table.words("times")) row.times.push_back(factor.value);
  if (const auto over = table.word("over")) row.over = over->value;
  if (const auto device = table.word("device")) row.device = device->value;
  if (const auto part = table.flag("part")) row.part = part->value;
  if (const auto remark = table.word("remark")) row.remark = remark->value;
  if (const auto* chips = table.node("chips"))
    for (const auto& chip : *chips->as_array()) row.chips.push_back(static_cast<int>(chip.value_or<std::int64_t>(0)));
  return row;
}

/// A document of one of this program's own files.
class Document {
 public:
  Document(const std::string& path, const char* what)
      : document_(parse_toml(read_text(path, what, "install Plumbline, or set PLUMBLINE_SHARE"), path)),
        top_(document_, path, "the file") {}
  const WrittenTable& top(const std::string& schema, const std::vector<std::string>& keys) const {
    top_.allow_only(keys);
    if (required(top_, "schema", top_.word("schema")) != schema) top_.fail(top_.at("schema"), fmt::format("'schema' must be {}", schema));
    return top_;
  }

 private:
  toml::table document_;
  WrittenTable top_;
};

/// The names of all conventions, ours first.
std::vector<std::string> convention_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(find_shared(conventions_folder), none))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), own_convention);
  return names;
}

/// The table that a convention has for a backend; nullptr where it has none.
const ProfilerMetrics* table_of(const CountingConvention& convention, const std::string& backend) {
  const auto found =
      std::find_if(convention.tables.begin(), convention.tables.end(), [&](const auto& table) { return table.tool == backend; });
  return found == convention.tables.end() ? nullptr : &*found;
}

std::string backends_of(const CountingConvention& convention) {
  std::string text;
  for (const auto& table : convention.tables) text += (text.empty() ? "" : ", ") + table.tool;
  return text;
}

bool has_counts_of(const Results& results, const std::string& backend) {
  return std::any_of(results.counts.begin(), results.counts.end(), [&](const CountRow& row) { return row.backend == backend; });
}

bool has_time(const ProfilerMetrics& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const ProfilerMetric& row) { return row.quantity == launch_seconds; });
}

}  // namespace

CountingConvention counting_convention(const std::string& name) {
  const auto names = convention_names();
  if (std::find(names.begin() + 1, names.end(), name) == names.end())
    throw user_error(fmt::format("--convention '{}' is unknown; there are {} (ours is {})", name, fmt::join(names, ", "), own_convention));
  const Document document((find_shared(conventions_folder) / (name + ".toml")).string(), "convention of counting");
  const WrittenTable& top = document.top("plumbline-convention/1", {"schema", "name", "meaning", "metric"});
  CountingConvention convention{required(top, "name", top.word("name")), required(top, "meaning", top.word("meaning")), {}};
  for (const auto& table : top.tables("metric", "one for each way to a quantity")) {
    const ProfilerMetric row = read_row(table);
    for (const auto& backend : table.words("backends")) {
      auto found =
          std::find_if(convention.tables.begin(), convention.tables.end(), [&](const auto& one) { return one.tool == backend.value; });
      if (found == convention.tables.end()) found = convention.tables.insert(found, ProfilerMetrics{backend.value, {}, convention.name});
      found->rows.push_back(row);
    }
  }
  return convention;
}

ProfilerMetrics profiler_metrics(const std::string& tool, const std::string& convention) {
  if (convention != own_convention) {
    const CountingConvention theirs = counting_convention(convention);
    const ProfilerMetrics* const found = table_of(theirs, tool);
    if (found == nullptr)
      throw user_error(
          fmt::format("--convention {} is not defined for counts of {}; it is for those of {}", convention, tool, backends_of(theirs)));
    ProfilerMetrics table = *found;
    if (!has_time(table))
      for (const auto& row : profiler_metrics(tool).rows)
        if (row.quantity == launch_seconds) table.rows.push_back(row);
    return table;
  }
  if (tool == own_profiler) return own_metrics(profiler_metrics("ncu"));
  const Document document((find_shared(folder) / (tool + ".toml")).string(), "table of metrics");
  const WrittenTable& top = document.top("plumbline-metrics/1", {"schema", "tool", "metric"});
  ProfilerMetrics metrics{.tool = required(top, "tool", top.word("tool"))};
  for (const auto& table : top.tables("metric", "one for each way to a quantity")) metrics.rows.push_back(read_row(table));
  return metrics;
}

std::vector<ProfilerMetrics> all_metrics_of(const std::string& tool) {
  std::vector<ProfilerMetrics> all{profiler_metrics(tool)};
  for (const auto& name : convention_names())
    if (name != own_convention)
      for (auto& table : counting_convention(name).tables)
        if (table.tool == tool) all.push_back(std::move(table));
  return all;
}

std::string convention_for(const Results& results, const std::string& told) {
  if (!told.empty()) return told;
  const auto provenance = nlohmann::json::parse(results.provenance, nullptr, false);
  if (!provenance.is_object() || !provenance.contains("imported")) return own_convention;
  return provenance["imported"].value("convention", own_convention);
}

std::optional<std::string> convention_note(const std::string& convention) {
  if (convention == own_convention) return std::nullopt;
  return fmt::format("FLOPs and bytes of a GPU's counts are by convention '{}', not by ours: {}; grades stay those of the counters",
                     convention, counting_convention(convention).meaning);
}

std::vector<ProfilerMetrics> profiler_metrics_for(const Results& results, const std::string& told) {
  const std::string convention = convention_for(results, told);
  std::vector<ProfilerMetrics> all;
  if (convention == own_convention) {
    for (const char* tool : profilers)
      if (has_counts_of(results, tool)) all.push_back(profiler_metrics(tool));
    return all;
  }
  const CountingConvention theirs = counting_convention(convention);
  for (const auto& table : theirs.tables)
    if (has_counts_of(results, table.tool)) all.push_back(table);
  if (all.empty())
    throw user_error(
        fmt::format("--convention {} is not defined for what this file counted: it speaks of a GPU's counts by {}, and there are none",
                    convention, backends_of(theirs)));
  return all;
}

}  // namespace plumbline::app
