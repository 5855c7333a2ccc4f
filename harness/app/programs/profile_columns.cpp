#include "app/programs/profile_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/programs/reuse_json.hpp"
#include "app/results/show_cells.hpp"

namespace plumbline::app {

std::string whole_text(Number value) {
  if (!value) return "-";
  std::string digits = fmt::format("{:.0f}", *value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

const char* farthest_boundary(const EventSums& sums) { return bytes(sums, "L3-mem") ? "L3-mem" : "reg-L1"; }

bool is_simulated(const Profile& profile) { return std::string_view(farthest_boundary(profile.total)) == "L3-mem"; }

Number flops_of(const EventSums& sums) { return flops(sums); }
Number far_bytes_of(const EventSums& sums) { return bytes(sums, farthest_boundary(sums)); }

namespace {

std::string file_name(const std::string& object) { return object.empty() ? "?" : std::filesystem::path(object).filename().string(); }

std::vector<std::pair<std::string, LevelBytes>> levels_of(const EventSums& sums) {
  std::vector<std::pair<std::string, LevelBytes>> all;
  for (const auto& level : levels)
    all.push_back({level.name, {level.boundary, whole(bytes(sums, level.boundary)), arithmetic_intensity(sums, level.boundary)}});
  return all;
}

std::vector<std::pair<std::string, Count>> precisions_of(const EventSums& sums) {
  std::vector<std::pair<std::string, Count>> all;
  for (const auto& precision : precisions(sums)) all.emplace_back(precision, whole(flops(sums, precision)));
  return all;
}

/// Adds what programs read of the sums that a row has.
template <class Row, class Get>
Columns<Row> with_measures(Columns<Row> columns, Get get) {
  const auto of_sums = [get](auto measure) { return [get, measure](const Row& row) { return measure(std::invoke(get, row)); }; };
  columns.push_back({"instructions", "number of instructions that ran",
                     of_sums([](const EventSums& sums) { return whole(event(sums, "instructions")); })});
  columns.push_back(
      {"flops", "floating-point operations, an fma being two", of_sums([](const EventSums& sums) { return whole(flops(sums)); })});
  columns.push_back(precisions_column<Row>(of_sums(precisions_of)));
  columns.push_back(levels_column<Row>(of_sums(levels_of)));
  columns.push_back({"counts", "by event how often it was counted", of_sums([](const EventSums& sums) { return sums; })});
  return columns;
}

/// Adds the distances of reuse to a row that has them.
template <class Row>
Columns<Row> with_reuse(Columns<Row> columns, std::function<const std::optional<ReuseDistances>&(const Row&)> get) {
  columns.push_back({"reuse", "how often lines of memory came back after how many others; null where that was not counted",
                     nullable(reuse_schema()), [get](const Row& row) { return reuse_json(get(row)); }});
  return columns;
}

/// A column that people see, of what `text` makes of the row's sums.
template <class Row, class Text>
Column<Row> shown(const std::string& words, Text text) {
  return {Heading{words}, [text](const Row& row) { return text(row.counts); }};
}

std::string instructions_text(const EventSums& sums) { return whole_text(event(sums, "instructions")); }
std::string all_flops_text(const EventSums& sums) { return whole_text(flops(sums)); }

auto bytes_text(const std::string& boundary, bool is_known = true) {
  return [=](const EventSums& sums) { return is_known ? size_or_dash(bytes(sums, boundary)) : "-"; };
}

/// The time that a row would have taken with another part of all samples.
double scaled_seconds(const PlacedRow& row, double part) { return row.share.part > 0 ? row.at->seconds * part / row.share.part : absent; }

auto intensity_text(const std::string& boundary, bool is_known = true) {
  return [=](const EventSums& sums) { return is_known ? plain_or_dash(arithmetic_intensity(sums, boundary)) : "-"; };
}

}  // namespace

Columns<WholeLaunch> total_columns() {
  using Row = WholeLaunch;
  return with_reuse<Row>(
      with_measures(Columns<Row>{kind_column<Row>("total"),
                                 {"ranks", "number of ranks that were launched", &Row::ranks},
                                 {"processes", "number of processes of all ranks", [](const Row& row) { return row.profile->processes; }},
                                 {"threads", "number of threads of all processes", [](const Row& row) { return row.profile->threads; }}},
                    [](const Row& row) -> const EventSums& { return row.profile->total; }),
      [](const Row& row) -> const std::optional<ReuseDistances>& { return row.profile->reuse; });
}

Columns<PlacedRow> placed_columns(const std::string& kind) {
  using Row = PlacedRow;
  using Place = RooflinePlacement;
  const auto of_place = [](auto value) { return [value](const Row& row) { return std::invoke(value, *row.at); }; };
  const auto if_sure = [](auto text) {
    return [text](const Row& row) {
      return !row.region && row.samples < fewest_samples ? std::string("-") : std::string(std::invoke(text, *row.at));
    };
  };
  const auto intensity = [](const char* level) { return [level](const Row& row) { return intensity_cell(*row.at, level); }; };
  auto columns = with_measures(
      Columns<Row>{
          kind_column<Row>(kind),
          Column<Row>("name", "name of the function, or of the program; of a loop the source line that closes it, as heat3d.c:42",
                      &Row::name)
              .in_row("function", Align::left, [](const Row& row) { return row.shown; }),
          {"object", "file that it lies in", [](const Row& row) { return OrNull{row.object}; }},
          {"case", "case that it is in a result file", of_place([](const Place& p) { return OrNull{p.of == nullptr ? "" : p.of->id}; })},
          {"samples", "samples of the native run that met it", &Row::samples},
          Column<Row>("share", "part of all samples", [](const Row& row) { return row.share.part; })
              .in_row("of time", Align::right,
                      [](const Row& row) {
                        return fmt::format("{:.1f} +-{:.1f} %", 100 * row.share.part, 50 * (row.share.hi - row.share.lo));
                      }),
          {"share_lo", "lower end of the interval at 95 % that the number of samples leaves", [](const Row& row) { return row.share.lo; }},
          {"share_hi", "upper end of that interval", [](const Row& row) { return row.share.hi; }},
          Column<Row>("seconds", "time that it took, where cores that did it at once count once; of the program from start to end",
                      of_place(&Place::seconds))
              .in_row("time", Align::right, of_place([](const Place& p) { return duration(p.seconds); })),
          {"seconds_lo", "lower end of the time's interval, as far as samples leave it open",
           [](const Row& row) { return scaled_seconds(row, row.share.lo); }},
          {"seconds_hi", "upper end of that interval", [](const Row& row) { return scaled_seconds(row, row.share.hi); }},
          {"cpu_seconds", "CPU time in user mode of all cores", &Row::cpu_seconds},
          Column<Row>("cores", "cores that did it at once", &Row::cores).in_row("cores"),
          {"imbalance", "its time over that of as many cores with equal parts", &Row::imbalance},
          Column<Row>("gflops", "rate of all cores together", of_place(&Place::gflops))
              .in_row("GFLOP/s", Align::right, if_sure([](const Place& p) { return plain(p.gflops); })),
          Column<Row>(Heading{"AI L1"}, intensity("L1")),
          Column<Row>(Heading{"AI mem"}, intensity("mem")),
          Column<Row>("fma", "FMAs over FMAs, sums and products", &Row::fma_part)
              .in_row("FMA", Align::right,
                      [](const Row& row) { return std::isfinite(row.fma_part) ? fmt::format("{:.0f} %", 100 * row.fma_part) : "-"; }),
          Column<Row>("bound", "level that bounds it, or compute", of_place([](const Place& p) { return OrNull{p.bound}; }))
              .in_row("bound", Align::right, if_sure(bound_cell)),
          {"bound_ceiling", "name of the ceiling that bounds it", of_place([](const Place& p) { return OrNull{p.bound_ceiling}; })},
          Column<Row>("percent_of_roof", "part of the roof that it reaches", of_place(&Place::percent_of_roof))
              .in_row("of roof", Align::right, if_sure(percent_of_roof_cell)),
          {"status", "ok, or in a word why it has no place",
           of_place([](const Place& p) { return p.status == Status::ok ? p.bound_status : p.status; })},
          {"reason", "why it has no place",
           of_place([](const Place& p) { return OrNull{p.status == Status::ok ? p.bound_reason : p.reason}; })},
          Column<Row>(Heading{"in", Align::left},
                      [](const Row& row) { return row.function.empty() ? shortened(file_name(row.object)) : ""; })},
      &Row::counts);
  if (kind != "loop") return with_reuse<Row>(std::move(columns), &Row::reuse);
  columns.push_back({"function", "name of the function that it is in", &Row::function});
  return columns;
}

namespace {

/// A number of a rank's native run; absent where it was not timed.
template <class Get>
auto if_timed(Get get) {
  return [get](const EndedRank& row) { return row.timed == nullptr ? absent : static_cast<double>(get(*row.timed)); };
}

double rank_seconds(const NativeRank& rank) { return rank.run.ending.wall_seconds; }
double rank_cpu_seconds(const NativeRank& rank) { return rank.run.ending.user_seconds; }
double rank_message_seconds(const NativeRank& rank) { return message_seconds(rank.run.samples); }

double rank_gflops(const EndedRank& row) {
  return row.timed == nullptr ? absent : 1e-9 * flops(row.counts).value_or(absent) / rank_seconds(*row.timed);
}

std::optional<std::string> rank_host(const EndedRank& row) {
  if (row.timed != nullptr) return row.timed->host;
  return row.ending != nullptr ? std::optional(row.ending->host) : std::nullopt;
}
/// The exit code of the counted run, else of the timed one.
std::optional<int> rank_code(const EndedRank& row) {
  if (row.ending != nullptr) return row.ending->code;
  return row.timed != nullptr ? std::optional(row.timed->run.ending.code) : std::nullopt;
}
/// A number of processes or threads, which only the counted run tells, in JSON and in a table.
auto if_counted(int RankCounts::*number) {
  return [number](const EndedRank& row) { return row.ending == nullptr ? std::nullopt : std::optional(row.*number); };
}
auto counted_text(int RankCounts::*number) {
  return [number](const EndedRank& row) { return row.ending == nullptr ? "-" : std::to_string(row.*number); };
}

}  // namespace

RankTimes times_of(const EndedRank& rank) {
  return {.rank = rank.rank,
          .seconds = if_timed(rank_seconds)(rank),
          .cpu_seconds = if_timed(rank_cpu_seconds)(rank),
          .mpi_seconds = if_timed(rank_message_seconds)(rank),
          .gflops = rank_gflops(rank),
          .flops = flops(rank.counts).value_or(absent),
          .host = rank_host(rank).value_or("")};
}

Columns<RankTimes> rank_times_columns() {
  using Row = RankTimes;
  const auto known = [](double value) { return std::isfinite(value) ? Number(value) : Number(); };
  return {Column<Row>(Heading{"rank", Align::left}, [](const Row& row) { return std::to_string(row.rank); }),
          Column<Row>(Heading{"time"}, [](const Row& row) { return duration(row.seconds); }),
          Column<Row>(Heading{"CPU time"}, [](const Row& row) { return duration(row.cpu_seconds); }),
          Column<Row>(Heading{"of it in MPI"},
                      [known](const Row& row) { return share_or_dash(known(row.mpi_seconds), known(row.cpu_seconds)); }),
          Column<Row>(Heading{"GFLOP/s"}, [](const Row& row) { return plain(row.gflops); }),
          Column<Row>(Heading{"FLOPs"}, [known](const Row& row) { return whole_text(known(row.flops)); }),
          Column<Row>(Heading{"on", Align::left}, [](const Row& row) { return row.host.empty() ? "-" : row.host; })};
}

Columns<EndedRank> rank_columns(const std::string& far) {
  using Row = EndedRank;
  return with_measures(
      Columns<Row>{
          kind_column<Row>("rank"),
          Column<Row>("rank", "number of the rank", &Row::rank).in_row("rank", Align::left),
          {"host", "host that it ran on", rank_host},
          {"exit", "exit code of its program", rank_code},
          {"seconds", "time of its native run from start to end", if_timed(rank_seconds)},
          {"cpu_seconds", "CPU time in user mode of that run", if_timed(rank_cpu_seconds)},
          {"mpi_seconds", "CPU time in user mode in libraries that carry messages, waiting included", if_timed(rank_message_seconds)},
          {"gflops", "its FLOPs over its time from start to end", rank_gflops},
          Column<Row>("processes", "number of its processes", if_counted(&Row::processes))
              .in_row("processes", Align::right, counted_text(&Row::processes)),
          Column<Row>("threads", "number of threads of its processes", if_counted(&Row::threads))
              .in_row("threads", Align::right, counted_text(&Row::threads)),
          shown<Row>("instructions", instructions_text),
          shown<Row>("FLOPs", all_flops_text),
          shown<Row>("bytes " + far, bytes_text(far)),
          Column<Row>(Heading{"exit"}, [](const Row& row) { return row.ending == nullptr ? "-" : std::to_string(row.ending->code); }),
          Column<Row>(Heading{"host", Align::left}, [](const Row& row) { return row.ending == nullptr ? "-" : row.ending->host; })},
      &Row::counts);
}

Columns<RegionCountsByName> region_columns(bool simulated) {
  using Row = RegionCountsByName;
  return with_reuse<Row>(
      with_measures(Columns<Row>{kind_column<Row>("region"),
                                 Column<Row>("name", "name by which the region was marked", &Row::name).in_row("region", Align::left),
                                 Column<Row>("entries", "how often it was entered", &Row::entries).in_row("entries"),
                                 {"ranks", "number of ranks that entered it", &Row::ranks},
                                 {"processes", "number of processes that entered it", &Row::processes},
                                 Column<Row>("threads", "number of threads that entered it", &Row::threads).in_row("threads"),
                                 {"open", "number of entries still open when their process ended", &Row::open},
                                 shown<Row>("instructions", instructions_text),
                                 shown<Row>("FLOPs", all_flops_text),
                                 shown<Row>("bytes reg-L1", bytes_text("reg-L1")),
                                 shown<Row>("FLOPs/byte", intensity_text("reg-L1")),
                                 shown<Row>("bytes L3-mem", bytes_text("L3-mem", simulated)),
                                 shown<Row>("FLOPs/byte", intensity_text("L3-mem", simulated))},
                    &Row::counts),
      &Row::reuse);
}

Columns<FunctionCounts> function_columns(const Profile& profile, const std::string& by, Number (*measure)(const EventSums&)) {
  using Row = FunctionCounts;
  const Number all = measure(profile.total);
  return with_reuse<Row>(
      with_measures(Columns<Row>{kind_column<Row>("function"),
                                 Column<Row>("name", "name of the function", &Row::name)
                                     .in_row("function, by " + by, Align::left, [](const Row& row) { return shortened(row.name); }),
                                 {"object", "file that it lies in", [](const Row& row) { return OrNull{row.object}; }},
                                 shown<Row>("of all", [=](const EventSums& sums) { return share_or_dash(measure(sums), all); }),
                                 shown<Row>("FLOPs", all_flops_text),
                                 shown<Row>("instructions", instructions_text),
                                 shown<Row>("bytes reg-L1", bytes_text("reg-L1")),
                                 shown<Row>("FLOPs/byte", intensity_text("reg-L1")),
                                 shown<Row>("bytes L3-mem", bytes_text("L3-mem", is_simulated(profile))),
                                 Column<Row>(Heading{"in", Align::left}, [](const Row& row) { return file_name(row.object); })},
                    &Row::counts),
      &Row::reuse);
}

Columns<ProcessCounts> process_columns() {
  using Row = ProcessCounts;
  return with_measures(Columns<Row>{kind_column<Row>("process"),
                                    {"rank", "rank that it is of", &Row::rank},
                                    {"pid", "number of the process", [](const Row& row) { return row.report.pid; }},
                                    {"parent", "number of its parent", [](const Row& row) { return row.report.parent; }},
                                    {"command", "what it executed", [](const Row& row) { return row.report.command; }}},
                       [](const Row& row) -> const EventSums& { return row.report.total; });
}

Columns<ThreadOfProcess> thread_columns() {
  using Row = ThreadOfProcess;
  return with_measures(Columns<Row>{kind_column<Row>("thread"),
                                    {"rank", "rank that it is of", &Row::rank},
                                    {"pid", "process that it is of", &Row::pid},
                                    {"thread", "number of the thread", &Row::thread}},
                       &Row::counts);
}

}  // namespace plumbline::app
