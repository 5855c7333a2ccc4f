#include "app/here/profiler_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "app/here/paths.hpp"
#include "campaign/written.hpp"
#include "core/quantity.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline::app {
namespace {

constexpr const char* folder = "harness/imports/metrics";
constexpr std::array profilers{"ncu", "nvprof", own_profiler};

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
  table.allow_only({"quantity", "terms", "counter", "times", "over", "chips", "part", "remark", "source"});
  ProfilerMetric row{.quantity = read_quantity(table), .source = required(table, "source", table.word("source"))};
  row.terms = table.has("counter") ? terms_of_counter(table) : read_terms(table);
  if (table.has("times"))
    for (const auto& factor : table.words("times")) row.times.push_back(factor.value);
  if (const auto over = table.word("over")) row.over = over->value;
  if (const auto part = table.flag("part")) row.part = part->value;
  if (const auto remark = table.word("remark")) row.remark = remark->value;
  if (const auto* chips = table.node("chips"))
    for (const auto& chip : *chips->as_array()) row.chips.push_back(static_cast<int>(chip.value_or<std::int64_t>(0)));
  return row;
}

}  // namespace

ProfilerMetrics profiler_metrics(const std::string& tool) {
  if (tool == own_profiler) return own_metrics(profiler_metrics("ncu"));
  const std::string path = (find_shared(folder) / (tool + ".toml")).string();
  const toml::table document = parse_toml(read_text(path, "table of metrics", "install Plumbline, or set PLUMBLINE_SHARE"), path);
  const WrittenTable top(document, path, "the file");
  top.allow_only({"schema", "tool", "metric"});
  if (required(top, "schema", top.word("schema")) != "plumbline-metrics/1")
    top.fail(top.at("schema"), "'schema' must be plumbline-metrics/1");
  ProfilerMetrics metrics{.tool = required(top, "tool", top.word("tool"))};
  for (const auto& table : top.tables("metric", "one for each way to a quantity")) metrics.rows.push_back(read_row(table));
  return metrics;
}

std::vector<ProfilerMetrics> profiler_metrics_for(const Results& results) {
  std::vector<ProfilerMetrics> all;
  for (const char* tool : profilers)
    if (std::any_of(results.counts.begin(), results.counts.end(), [&](const CountRow& row) { return row.backend == tool; }))
      all.push_back(profiler_metrics(tool));
  return all;
}

}  // namespace plumbline::app
