#include "app/results/ceiling_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/records.hpp"

namespace plumbline::app {

namespace {

// --------------------------------------------------------------------------------------------------------------------- cells

/// A number of a GPU's ceiling as it is easily read: the factor to its unit, and that unit.
std::pair<double, const char*> gpu_unit(const Ceiling& c) {
  if (c.unit == "GFLOP/s" && c.value >= 1e3) return {1e-3, c.precision == "tensor.int8" ? "TOP/s" : "TFLOP/s"};
  if (c.unit != "seconds") return {1, c.unit == "GFLOP/s" ? "GFLOP/s" : "GB/s"};
  if (c.level == CeilingKind::overhead) return {1e6, "us"};
  return {1e9, "ns"};
}

/// Rates, times and sizes of messages stand in one column, each with its unit.
std::string with_own_unit(const Ceiling& c, double value) {
  if (!std::isfinite(value)) return "-";
  if (c.unit == "seconds") return duration(value);
  if (c.unit == "bytes") return size_in_bytes(value);
  return plain(value, 4) + " " + c.unit;
}

auto number_cell(double Ceiling::*number) {
  return [number](const Ceiling& c) {
    switch (table_of(c)) {
      case CeilingTable::messages:
        return with_own_unit(c, c.*number);
      case CeilingTable::gpu:
        return c.status == Status::ok ? plain(gpu_unit(c).first * c.*number, 4) : "-";
      case CeilingTable::latency:
        return plain(1e9 * c.*number, 4);
      default:
        return plain(c.*number, 4);
    }
  };
}

/// A ceiling's name in its table: "16" of "vector k=16", since the column says of what; of a size, what it is the size of.
std::string name_cell(const Ceiling& c) {
  constexpr std::string_view points = "vector k=", half = "half bandwidth";
  if (c.name.ends_with(half)) return c.name.substr(0, c.name.size() - half.size()) + "message size for half the bandwidth";
  return c.name.starts_with(points) ? c.name.substr(points.size()) : c.name;
}

/// The traffic of a ceiling, where fills for stores make it more than the algorithmic rate.
std::string traffic_cell(const Ceiling& c) {
  return std::isfinite(c.traffic_gbs) && c.traffic_gbs != c.value ? plain(c.traffic_gbs, 4) : "";
}

/// The part of the limit in words: "~94.4 %" where the limit is inferred.
std::string limit_cell(const Ceiling& c) {
  if (!std::isfinite(c.limit)) return "";
  return (c.limit_basis == LimitBasis::inferred ? "~" : "") + percent_or_dash(c.fraction_of_limit());
}

/// The spread of a ceiling's samples: "1.7 %", and "!" where it is more than on a quiet machine.
std::string cv_cell(const Ceiling& c) {
  const bool of_cpus = table_of(c) != CeilingTable::gpu && table_of(c) != CeilingTable::messages;
  return percent_or_dash(c.cv) + (of_cpus && c.cv > quiet_cv(c.level) ? "!" : "");
}

std::string clock_cell(const Ceiling& c) { return std::isfinite(c.clock_hz) ? fmt::format("{:.0f} MHz", 1e-6 * c.clock_hz) : "-"; }

/// A GPU's arithmetic is measured in bursts, and some of it as it lasts.
std::string sample_word(const Ceiling& c) {
  if (c.scope != gpu_scope || c.unit != "GFLOP/s" || c.pattern == "stated") return "";
  return c.level == CeilingKind::sustained ? "sustained" : "burst";
}
std::string power_cell(const Ceiling& c) { return std::isfinite(c.power_watts) ? fmt::format("{:.0f} W", c.power_watts) : ""; }

/// The working set up to which a level serves its rate, where that is a question at all; of messages their size.
std::string size_cell(const Ceiling& c) {
  const CeilingTable table = table_of(c);
  const bool shown = table == CeilingTable::gpu        ? c.level == "L1" || c.level == "L2"
                     : table == CeilingTable::messages ? c.unit != "bytes" && std::isfinite(c.size_bytes)
                                                       : c.level != "mem";
  return shown ? size_in_bytes(c.size_bytes) : "";
}

std::string how_cell(const Ceiling& c) { return c.status == Status::ok ? c.method + before_others(c) : ""; }

/// The cell of a GPU's ceiling stays empty where that is not there.
Column<Ceiling>::Text of_a_gpu_if_there(Column<Ceiling>::Text cell) {
  return [cell](const Ceiling& c) { return table_of(c) == CeilingTable::gpu && c.status != Status::ok ? "" : cell(c); };
}

// ------------------------------------------------------------------------------------------------------------------- columns

/// The other loops of the contest for a ceiling, in its unit.
Column<Ceiling> runners_up() {
  struct Other {
    std::string form;
    double rate;
    std::string unit;
  };
  const Columns<Other> columns{{"form", "name of the loop", &Other::form},
                               {"value", "rate that it reached", &Other::rate},
                               {"unit", "unit of that rate", &Other::unit}};
  return list_column<Ceiling>("runners_up", "other loops of the contest for it, as the contest saw them, the fastest first", columns,
                              [](const Ceiling& c) {
                                std::vector<Other> others;
                                for (const auto& one : c.runners_up) others.push_back({one.form, one.rate, c.unit});
                                return others;
                              });
}

Columns<Ceiling> ceiling_rate_columns() {
  using Row = Ceiling;
  return {Column<Row>("name", "name of the ceiling", &Row::name).in_row("ceiling", Align::left, name_cell),
          Column<Row>("precision", "number format of its arithmetic, as fp64; - where it does none", &Row::precision)
              .in_row("precision", Align::left),
          Column<Row>("level", "what it is a rate of: compute, a level of memory, mpi", [](const Row& c) { return c.level.word(); })
              .in_row("level", Align::left),
          {"pattern", "pattern of its accesses, instructions or messages, as triad or fma", &Row::pattern},
          {"ranks", "ranks of the team that measured it", &Row::ranks},
          {"threads", "threads of each rank", &Row::threads},
          {"node", "node that it was measured on", &Row::node},
          Column<Row>("value", "the ceiling: the best sample", &Row::value).in_row("best", Align::right, number_cell(&Row::value)),
          Column<Row>("unit", "unit of value, min, median, max and limit", &Row::unit)
              .in_row("unit", Align::left, of_a_gpu_if_there([](const Row& c) { return gpu_unit(c).second; })),
          Column<Row>("min", "least of the samples", &Row::min).in_row("min", Align::right, number_cell(&Row::min)),
          Column<Row>("median", "median of the samples", &Row::median).in_row("median", Align::right, number_cell(&Row::median)),
          Column<Row>("max", "greatest of the samples", &Row::max).in_row("max", Align::right, number_cell(&Row::max)),
          Column<Row>("n", "number of samples", &Row::n).in_row("n", Align::right, of_a_gpu_if_there([](const Row& c) {
                                                                  return std::to_string(c.n);
                                                                })),
          Column<Row>("cv", "standard deviation of the samples over their mean", &Row::cv)
              .in_row("CV", Align::right, of_a_gpu_if_there(cv_cell)),
          Column<Row>("method", "how it was measured: the flavor; of a GPU that GPU too; of messages, between whom", &Row::method)
              .in_row("how", Align::left, how_cell),
          {"form", "which of several loops it was measured with; empty where none was chosen among", &Row::form},
          runners_up(),
          {"status", "ok, or in a word why the ceiling is not there", &Row::status},
          {"reason", "why the ceiling is not there", [](const Row& c) { return OrNull{c.reason}; }},
          {"doubt", "why a rate of memory may be partly a cache's; empty where nothing says so", &Row::doubt}};
}

Columns<Ceiling> ceiling_level_columns() {
  using Row = Ceiling;
  return {
      Column<Row>("size_bytes", "largest working set that the level serves; of mem the one it was measured with; of messages their size",
                  &Row::size_bytes)
          .in_row("reaches", Align::right, of_a_gpu_if_there(size_cell)),
      Column<Row>("traffic_gbs", "the rate in bytes that cross the level's boundary, a store's line read first and written back",
                  &Row::traffic_gbs)
          .in_row("traffic GB/s", Align::right, traffic_cell),
      {"size_lo_bytes", "lower end of the 90 % interval of size_bytes", &Row::size_lo_bytes},
      {"size_hi_bytes", "upper end of the 90 % interval of size_bytes", &Row::size_hi_bytes},
      {"confidence", "how sure it is that the sweeps show such a level of memory, 0 to 1", &Row::confidence},
      {"topology_bytes", "size of the level as the operating system tells it", &Row::topology_bytes},
      {"scope", "what the team that measured it fills: core, NUMA domain, socket, node; GPU", &Row::scope},
      Column<Row>("clock_hz", "core clock, or a GPU's, beside the best sample", &Row::clock_hz)
          .in_row("clock", Align::right, of_a_gpu_if_there(clock_cell)),
      Column<Row>("sample", "of a GPU's arithmetic: burst (some ms, before power and heat have moved the clock) or sustained; else empty",
                  sample_word)
          .in_row("sample", Align::left),
      Column<Row>("sample_seconds", "length of the best sample, of sustained ones", &Row::sample_seconds),
      Column<Row>("power_watts", "power of the GPU during the best sample, of sustained ones", &Row::power_watts)
          .in_row("power", Align::right, power_cell),
      {"limit", "what the team's cores, or the GPU, could do at clock_hz", &Row::limit},
      Column<Row>("fraction_of_limit", "part of the limit that the ceiling reaches", &Row::fraction_of_limit)
          .in_row("of limit", Align::right, limit_cell),
      {"limit_basis", "where the limit is from: vendor or inferred; empty where there is none", &Row::limit_basis},
      {"limit_source", "document that tells the limit, or what it was inferred from", &Row::limit_source},
      {"limit_remark", "why a limit may be too high; mostly empty", &Row::limit_remark}};
}

/// The same numbers under names that carry the unit.
Columns<Ceiling> columns_in_units() {
  using Row = Ceiling;
  Columns<Row> columns{{"value_{}", "value, under a key with its unit", &Row::value},
                       {"min_{}", "min, under a key with its unit", &Row::min},
                       {"median_{}", "median, under a key with its unit", &Row::median},
                       {"max_{}", "max, under a key with its unit", &Row::max},
                       {"limit_{}", "limit, under a key with its unit", &Row::limit}};
  for (auto& column : columns)
    column.unit = text_of<Row>([](const Row& c) { return c.unit == "GFLOP/s" ? "gflops" : c.unit == "GB/s" ? "gbs" : c.unit; });
  return columns;
}

/// A number that a ceiling may lack although it is there: what it does not have, or what was not measured often enough.
struct Lacked {
  const char *stem, *key;
  double Ceiling::*number;
  const char* reason;
  bool of_memory;  // other ceilings have no such number at all
};
constexpr std::array<Lacked, 11> may_lack{{
    {"cv", "cv", &Ceiling::cv, "one sample has no spread", false},
    {"size", "size_bytes", &Ceiling::size_bytes, "measured without a working set", true},
    {"size_lo", "size_lo_bytes", &Ceiling::size_lo_bytes, "the level has no upper end, or too few samples to resample", true},
    {"size_hi", "size_hi_bytes", &Ceiling::size_hi_bytes, "the level has no upper end, or too few samples to resample", true},
    {"confidence", "confidence", &Ceiling::confidence, "not a level that the sweeps showed", true},
    {"topology", "topology_bytes", &Ceiling::topology_bytes, "the topology tells no size of this level", true},
    {"limit", "limit", &Ceiling::limit, "no limit is known for this core, level and pattern", false},
    {"clock", "clock_hz", &Ceiling::clock_hz, "the clock was not measured beside it", false},
    {"traffic", "traffic_gbs", &Ceiling::traffic_gbs, "the pattern's fills and write-backs are not known", true},
    {"sample_seconds", "sample_seconds", &Ceiling::sample_seconds, "only a sustained sample tells its length", false},
    {"power", "power_watts", &Ceiling::power_watts, "only a GPU's driver tells it, during a sustained sample", false},
}};

std::pair<Status, std::string> why_lacked(const Lacked& one, const Ceiling& c) {
  if (std::isfinite(c.*one.number)) return {Status::ok, ""};
  if (c.status != Status::ok) return {c.status, c.reason};
  const bool messages = c.level == CeilingKind::mpi || c.level == CeilingKind::host_dev;
  if (one.of_memory && messages) return {Status::unavailable, "messages, not a level of memory"};
  if (one.of_memory && c.unit != "GB/s") return {Status::unavailable, "a rate of arithmetic, not of a level of memory"};
  return {Status::unavailable, one.number == &Ceiling::limit && !c.limit_reason.empty() ? c.limit_reason : one.reason};
}

/// The heading of rates of arithmetic: of dot products of integers they count no floating-point operations.
const char* arithmetic_heading(std::span<const Ceiling> rows) {
  const bool integers = std::any_of(rows.begin(), rows.end(), [](const Ceiling& c) { return c.precision.ends_with("int8"); });
  return integers ? "best G(FL)OP/s" : "best GFLOP/s";
}

/// The columns that people see of the ceilings of a table, which are `rows`.
std::vector<Chosen> chosen_for(CeilingTable table, std::span<const Ceiling> rows) {
  switch (table) {
    case CeilingTable::compute:
      return {{"name"}, {"precision"}, {"value", arithmetic_heading(rows)}, {"fraction_of_limit"}, {"median"}, {"min"}, {"cv"},
              {"n"},    {"method"}};
    case CeilingTable::memory:
      return {{"name"}, {"precision"}, {"value", "best GB/s"}, {"traffic_gbs"}, {"fraction_of_limit"}, {"median"}, {"min"},
              {"cv"},   {"n"},         {"size_bytes"},         {"method"}};
    case CeilingTable::latency:
      return {{"name"}, {"precision"}, {"value", "best ns"}, {"median"}, {"max"}, {"cv"}, {"n"}, {"size_bytes"}, {"method"}};
    case CeilingTable::points:
      return {{"name", "FLOPs an element"},  {"precision"}, {"value", "best GFLOP/s"}, {"median"}, {"min"}, {"cv"}, {"n"},
              {"size_bytes", "working set"}, {"method"}};
    case CeilingTable::gpu:
      return {{"name"},      {"level"}, {"value"},    {"unit"},        {"sample"},
              {"cv"},        {"n"},     {"clock_hz"}, {"power_watts"}, {"fraction_of_limit"},
              {"size_bytes"}};
    case CeilingTable::messages:
      break;
  }
  return {{"name", "messages"}, {"value"}, {"min"}, {"median"}, {"max"}, {"cv"}, {"n"}, {"size_bytes", "message size"},
          {"method", "between"}};
}

}  // namespace

CeilingTable table_of(const Ceiling& ceiling) {
  if (ceiling.scope == gpu_scope && ceiling.pattern != "stated") return CeilingTable::gpu;
  if (ceiling.level == CeilingKind::mpi) return CeilingTable::messages;
  if (ceiling.level == CeilingKind::vector) return CeilingTable::points;
  return ceiling.is_compute() ? CeilingTable::compute : ceiling.unit == "seconds" ? CeilingTable::latency : CeilingTable::memory;
}

Columns<Ceiling> ceiling_columns(const GpuPlaces& places) {
  Columns<Ceiling> columns = ceiling_rate_columns();
  for (const auto& part : {ceiling_level_columns(), columns_in_units()}) columns.append(part);
  for (const auto& one : may_lack) add_explained(columns, one.stem, one.key, [&one](const Ceiling& c) { return why_lacked(one, c); });
  add_gpu(columns, places);
  return columns;
}

std::string ceilings_text(CeilingTable table, std::span<const Ceiling> ceilings, Format format) {
  std::vector<Ceiling> rows;
  std::copy_if(ceilings.begin(), ceilings.end(), std::back_inserter(rows), [&](const Ceiling& c) { return table_of(c) == table; });
  const auto why_not = [](const Ceiling& c) { return c.status == Status::ok ? "" : fmt::format("{}: {}", to_string(c.status), c.reason); };
  auto columns = chosen(ceiling_columns(), chosen_for(table, rows));
  if (std::all_of(rows.begin(), rows.end(), [](const Ceiling& c) { return c.precision == "-"; }))
    std::erase_if(columns, [](const auto& column) { return column.key == "precision"; });
  if (format == Format::markdown) {
    if (std::any_of(rows.begin(), rows.end(), [](const Ceiling& c) { return c.status != Status::ok; }))
      columns.push_back({Heading{"not there", Align::left}, why_not});
    return markdown(columns, rows);
  }
  return aligned<Ceiling>(columns, rows, [&](const Ceiling& c) -> std::vector<std::string> {
    if (c.status == Status::ok) return {};
    return {wrapped(why_not(c), 118, "    ")};
  });
}

std::string before_others(const Ceiling& c) {
  if (c.runners_up.empty() || !std::isfinite(c.contest_rate)) return "";
  const auto& [form, rate] = c.runners_up.front();
  return fmt::format("; {} {:.2f} x {}", c.form, c.contest_rate / rate, form);
}

}  // namespace plumbline::app
