#include "app/gpu_kernels/kernel_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/programs/profile_document.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline::app {
namespace {

Amount bytes_of(const KernelMeasures& measures, std::string_view level) {
  for (const auto& [name, value] : measures.bytes_by_level)
    if (name == level) return value;
  return std::nullopt;
}

Amount gigaflops(const KernelMeasures& measures) {
  const Amount rate = measures.flops_per_second();
  return rate ? Amount(*rate / 1e9) : std::nullopt;
}

std::string duration_or_dash(const Amount& seconds) { return seconds ? duration(*seconds) : "-"; }

std::vector<std::pair<std::string, LevelBytes>> levels_of_kernel(const KernelMeasures& measures) {
  std::vector<std::pair<std::string, LevelBytes>> all;
  for (const auto& level : gpu_level_boundaries()) {
    const Amount bytes = bytes_of(measures, level.level);
    all.push_back({level.level, {level.boundary, whole(bytes), measures.intensity(bytes)}});
  }
  return all;
}

std::vector<std::pair<std::string, Count>> precisions_of_kernel(const KernelMeasures& measures) {
  std::vector<std::pair<std::string, Count>> all;
  for (const auto& [name, flops] : measures.flops_by_precision) all.emplace_back(name, whole(flops));
  return all;
}

/// Adds what programs read of the measures that a row has.
template <class Row, class Get>
void add_measures(Columns<Row>& columns, Get get) {
  const auto of = [get](auto part) { return [get, part](const Row& row) { return part(get(row)); }; };
  columns.push_back({"seconds", "time of all launches on the GPU, where those that ran at once count each; of ranks that of the longest",
                     of([](const KernelMeasures& one) { return one.seconds; })});
  columns.push_back({"gflops", "rate of the floating-point operations in that time", of(gigaflops)});
  columns.push_back({"flops", "floating-point operations of all launches, an fma being two",
                     of([](const KernelMeasures& one) { return whole(one.flops); })});
  columns.push_back(precisions_column<Row>(of(precisions_of_kernel)));
  columns.push_back(levels_column<Row>(of(levels_of_kernel)));
}

/// Adds what people see of counts.
template <class Row>
void add_shown_counts(Columns<Row>& columns) {
  columns.push_back({Heading{"FLOPs"}, [](const Row& row) { return plain_or_dash(row.measures.flops); }});
  columns.push_back({Heading{"GFLOP/s"}, [](const Row& row) { return plain_or_dash(gigaflops(row.measures)); }});
  for (const char* level : {"L1", "L2", "mem"}) {
    columns.push_back({Heading{level}, [level](const Row& row) { return size_or_dash(bytes_of(row.measures, level)); }});
    columns.push_back(
        {Heading{"FLOPs/byte"}, [level](const Row& row) { return plain_or_dash(row.measures.intensity(bytes_of(row.measures, level))); }});
  }
}

Amount part_of_all(const Amount& part, const Amount& all) { return part && all && *all > 0 ? Amount(*part / *all) : std::nullopt; }

bool has_counts(const KernelRow& row) { return row.why_no_counts.empty(); }

template <class Is>
KernelSums sums_of(const KernelProfile& profile, Is is) {
  KernelSums sums;
  for (const auto& kernel : profile.kernels) {
    if (!is(kernel)) continue;
    ++sums.kernels;
    sums.launches += kernel.launches;
    if (kernel.summed_seconds) sums.seconds = sums.seconds.value_or(0) + *kernel.summed_seconds;
  }
  return sums;
}

std::string launches_text(const KernelRow& row) {
  return row.counted == row.launches ? std::to_string(row.launches) : fmt::format("{} of {}", row.counted, row.launches);
}

Columns<KernelPart> part_columns() {
  using Row = KernelPart;
  return {{"rank", "rank that launched it", &Row::rank},
          {"regions", "marked regions that are open in this phase, the outermost first", &Row::regions},
          {"launches", "how often the kernel was launched in it, by the timed run", [](const Row& row) { return row.all.launches; }},
          {"graph_launches", "launches among them as nodes of CUDA graphs", &Row::of_graphs},
          {"counted_run_launches", "launches by themselves in the run that counted", &Row::counted_run},
          {"counted_launches", "number of launches that were counted", &Row::counted},
          {"seconds", "time of the launches on the GPU", [](const Row& row) { return row.measures.seconds; }},
          {"flops", "floating-point operations, an fma being two", [](const Row& row) { return whole(row.measures.flops); }}};
}

template <class Get>
auto of_place(Get get) {
  return [get](const KernelRow& row) { return row.time_place ? std::optional(get(*row.time_place)) : std::nullopt; };
}

/// Adds what the roofs say.
void add_places(Columns<KernelRow>& columns, bool is_shown) {
  using Row = KernelRow;
  Columns<Row> places{
      Column<Row>("overhead_seconds", "time that its launches cost at least: their number times the measured cost of one",
                  &Row::overhead_seconds),
      {"compute_seconds", "time of arithmetic in the time-based roofline",
       of_place([](const TimePlace& place) { return place.compute_seconds; })},
      {"bandwidth_seconds", "time of bytes from memory there", of_place([](const TimePlace& place) { return place.bandwidth_seconds; })},
      {"time_region", "what most of its time goes to", of_place([](const TimePlace& place) { return place.of_time; })},
      {"complexity_region", "what a perfect implementation would wait for",
       of_place([](const TimePlace& place) { return place.of_complexity; })}};
  const auto at = [](auto member) { return [member](const Row& row) { return OrNull{row.place.*member}; }; };
  places.push_back({"case", "case that it is in a result file", at(&KernelPlace::case_id)});
  places.push_back(Column<Row>("bound", "level that bounds it, or compute", at(&KernelPlace::bound)));
  places.push_back({"bound_ceiling", "name of the ceiling that bounds it", at(&KernelPlace::bound_ceiling)});
  places.push_back(
      Column<Row>("percent_of_roof", "part of the roof that it reaches", [](const Row& row) { return row.place.percent_of_roof; }));
  if (is_shown) {
    places[6].in_row("bound", Align::right, text_of<Row>([](const Row& row) { return row.place.bound.empty() ? "-" : row.place.bound; }));
    places[8].in_row("of roof", Align::right, text_of<Row>([](const Row& row) {
                       return row.place.percent_of_roof ? percent_or_dash(*row.place.percent_of_roof / 100) : "-";
                     }));
    places[0].in_row("launching", Align::right, text_of<Row>([](const Row& row) { return duration_or_dash(row.overhead_seconds); }));
    places[3].in_row("region", Align::right, text_of<Row>([](const Row& row) {
                       return row.time_place ? std::string(to_string(row.time_place->of_time)) : std::string("-");
                     }));
  }
  columns.append(places);
}

Columns<CountedGpu> gpu_columns() {
  using Row = CountedGpu;
  return {{"gpu", "number of the GPU", &Row::ordinal},
          {"chip", "name of its chip", [](const Row& row) { return OrNull{row.chip}; }},
          {"passes", "how often each counted launch ran", &Row::passes},
          {"status", "ok, or in a word what stood in the way", [](const Row& row) { return row.availability.status; }},
          {"reason", "what stood in the way", [](const Row& row) { return OrNull{row.availability.reason}; }}};
}

}  // namespace

std::string number_of(std::uint64_t n, const std::string& thing, const std::string& things) {
  return fmt::format("{} {}", n, n == 1 ? thing : things);
}

KernelSums all_kernels(const KernelProfile& profile) {
  return sums_of(profile, [](const KernelRow&) { return true; });
}

KernelSums kernels_without_flops(const KernelProfile& profile) {
  return sums_of(profile, [](const KernelRow& row) { return has_counts(row) && row.measures.flops == 0; });
}

KernelSums kernels_without_counts(const KernelProfile& profile) {
  return sums_of(profile, [](const KernelRow& row) { return !has_counts(row); });
}

Columns<KernelRow> kernel_columns(Amount all_seconds, bool is_placed, bool of_ranks) {
  using Row = KernelRow;
  Columns<Row> columns{
      kind_column<Row>("kernel"),
      Column<Row>("name", "name of the kernel", &Row::name)
          .in_row("kernel, by time", Align::left, [](const Row& row) { return shortened(row.name); }),
      {"symbol", "name of the kernel as it is linked", &Row::symbol},
      {"chip", "chip of the GPU that ran it", [](const Row& row) { return OrNull{row.chip}; }},
      {"compute_capability", "compute capability of that GPU: 90 for 9.0; 0: not known", &Row::compute_capability},
      {"processes", "processes that launched it", &Row::processes},
      {"ranks", "number of ranks that launched it", [](const Row& row) { return row.ranks.size(); }},
      {"gpus", "number of GPUs that ran it", [](const Row& row) { return row.devices.size(); }},
      Column<Row>("launches", "how often it was launched", &Row::launches).in_row("launches", Align::right, launches_text),
      {"graph_launches", "launches among them as nodes of CUDA graphs", &Row::of_graphs},
      {"counted_run_launches", "launches by themselves in the run that counted", &Row::counted_run},
      {"counted_launches", "number of launches that were counted", &Row::counted},
      {"scale", "factor from the counted launches to all, by which FLOPs and bytes are scaled phase by phase",
       [](const Row& row) {
         return has_counts(row) ? Amount(static_cast<double>(row.launches) / static_cast<double>(row.counted)) : std::nullopt;
       }},
      {"counted_seconds", "time of the counted launches, as the profiler ran them", &Row::counted_seconds},
      {"longest_seconds", "time of its longest launch", &Row::longest_seconds},
      {"first_seconds_ratio", "mean time of the launches of which the first are counted over the mean of all", &Row::first_seconds_ratio},
      {"first_threads_ratio", "mean number of threads of these over the mean of all", &Row::first_threads_ratio},
      {"status", "ok, or unavailable: it has no counts", [](const Row& row) { return has_counts(row) ? Status::ok : Status::unavailable; }},
      {"reason", "why it has no counts", [](const Row& row) { return OrNull{row.why_no_counts}; }},
      Column<Row>("share", "part of the time of all kernels",
                  [all_seconds](const Row& row) { return part_of_all(row.summed_seconds, all_seconds); }),
      {"imbalance", "time of the longest rank over the mean of those that launched it", &Row::imbalance}};
  columns.push_back({Heading{"time"}, [](const Row& row) { return duration_or_dash(row.measures.seconds); }});
  columns.push_back({Heading{"of all"}, [all_seconds](const Row& row) { return share_or_dash(row.summed_seconds, all_seconds); }});
  if (of_ranks) columns.push_back({Heading{"imbalance"}, [](const Row& row) { return plain_or_dash(row.imbalance); }});
  add_places(columns, is_placed);
  add_shown_counts(columns);
  add_measures(columns, [](const Row& row) { return row.measures; });
  columns.push_back({"counts", "by metric its sum over the counted launches", &Row::sums});
  columns.push_back(list_column<Row>("phases", "its launches by the marked regions in which they were", part_columns(), &Row::parts));
  return columns;
}

Columns<KernelRegion> kernel_region_columns(Amount all_seconds) {
  using Row = KernelRegion;
  Columns<Row> columns{
      kind_column<Row>("region"),
      Column<Row>("name", "name by which the region was marked", &Row::name)
          .in_row("region", Align::left, [](const Row& row) { return shortened(row.name); }),
      Column<Row>("entries", "how often it was entered", &Row::entries).in_row("entries"),
      {"processes", "number of processes that entered it", &Row::processes},
      {"open", "whether it had not been left when a process ended", &Row::open},
      Column<Row>("wall_seconds", "time while it was open, in the process where that was longest", &Row::seconds)
          .in_row("time", Align::right, [](const Row& row) { return duration_or_dash(row.seconds); }),
      {"kernels", "number of kernels that were launched in it", &Row::kernels},
      Column<Row>("launches", "how often kernels were launched in it", &Row::launches).in_row("launches"),
      {"graph_launches", "launches among them as nodes of CUDA graphs", &Row::of_graphs},
      {"status", "ok, or unavailable: it has no counts",
       [](const Row& row) { return row.why_no_counts.empty() ? Status::ok : Status::unavailable; }},
      {"reason", "why it has no counts", [](const Row& row) { return OrNull{row.why_no_counts}; }},
      {"share", "part of the time of all kernels", [all_seconds](const Row& row) { return part_of_all(row.summed_seconds, all_seconds); }}};
  columns.push_back({Heading{"GPU time"}, [](const Row& row) { return duration_or_dash(row.measures.seconds); }});
  columns.push_back({Heading{"of all"}, [all_seconds](const Row& row) { return share_or_dash(row.summed_seconds, all_seconds); }});
  add_shown_counts(columns);
  add_measures(columns, [](const Row& row) { return row.measures; });
  return columns;
}

Columns<TimedCopies> kernel_copies_columns() {
  using Row = TimedCopies;
  return {kind_column<Row>("copies"), Column<Row>("name", "what is done to memory", &Row::what).in_row("besides kernels", Align::left),
          Column<Row>("number", "how often it was done", &Row::number).in_row("number"),
          Column<Row>("bytes", "bytes of all of them", &Row::bytes)
              .in_row("bytes", Align::right, [](const Row& row) { return size_in_bytes(static_cast<double>(row.bytes)); }),
          Column<Row>("seconds", "time of all of them on the GPU", &Row::seconds).in_row("time", Align::right, [](const Row& row) {
            return duration(row.seconds);
          })};
}

Columns<KernelRank> kernel_rank_columns() {
  using Row = KernelRank;
  const auto rate = [](const Row& row) {
    return row.flops && row.seconds && *row.seconds > 0 ? Amount(*row.flops / *row.seconds / 1e9) : std::nullopt;
  };
  return {kind_column<Row>("rank"),
          Column<Row>("rank", "number of the rank", &Row::rank).in_row("rank", Align::left),
          {"exit", "exit code of its program", &Row::exit},
          Column<Row>("wall_seconds", "time of its timed run from start to end", &Row::wall_seconds)
              .in_row("time", Align::right, [](const Row& row) { return duration_or_dash(row.wall_seconds); }),
          Column<Row>("seconds", "time of its kernels on the GPU", &Row::seconds)
              .in_row("GPU time", Align::right, [](const Row& row) { return duration_or_dash(row.seconds); }),
          Column<Row>("launches", "how often it launched kernels", &Row::launches).in_row("launches"),
          {"counted_launches", "number of these that were counted", &Row::counted},
          Column<Row>("flops", "floating-point operations of its launches", [](const Row& row) { return whole(row.flops); })
              .in_row("FLOPs", Align::right, [](const Row& row) { return plain_or_dash(row.flops); }),
          Column<Row>("gflops", "rate of these in the time of its kernels", rate)
              .in_row("GFLOP/s", Align::right, [rate](const Row& row) { return plain_or_dash(rate(row)); }),
          Column<Row>("device", "GPUs that it used", [](const Row& row) { return OrNull{row.device}; })
              .in_row("GPU", Align::left, [](const Row& row) { return row.device.empty() ? "-" : printable(row.device); }),
          Column<Row>("host", "host that it ran on", [](const Row& row) {
            return OrNull{row.host};
          }).in_row("on", Align::left, [](const Row& row) { return row.host.empty() ? "-" : row.host; })};
}

Columns<KernelResult> kernel_total_columns() {
  using Row = KernelResult;
  const auto of = [](KernelSums (*which)(const KernelProfile&), auto member) {
    return [which, member](const Row& row) { return which(row.profile).*member; };
  };
  const auto share = [](KernelSums (*which)(const KernelProfile&)) {
    return [which](const Row& row) { return part_of_all(which(row.profile).seconds.value_or(0), all_kernels(row.profile).seconds); };
  };
  Columns<Row> columns{
      kind_column<Row>("total"),
      {"name", "name of the program", &Row::name},
      {"case", "case that it is in a result file", [](const Row& row) { return OrNull{row.profile.whole_case}; }},
      {"ranks", "ranks that were launched", &Row::launched},
      {"processes", "processes of all ranks",
       [](const Row& row) { return row.profile.is_timed ? row.runs.timed.size() : row.runs.counted.size(); }},
      {"kernels", "number of kernels", [](const Row& row) { return row.profile.kernels.size(); }},
      {"launches", "number of launches of all kernels", of(all_kernels, &KernelSums::launches)},
      {"counted_launches", "number of launches that were counted",
       [](const Row& row) {
         std::uint64_t sum = 0;
         for (const auto& kernel : row.profile.kernels) sum += kernel.counted;
         return sum;
       }},
      {"time_by", "activities: of all launches, in a run of its own; counters: of the counted launches, scaled",
       [](const Row& row) { return row.profile.is_timed ? "activities" : "counters"; }},
      {"wall_seconds", "time of the timed run from start to end", &Row::timed_seconds},
      {"kernels_without_flops", "number of kernels that were counted and do none", of(kernels_without_flops, &KernelSums::kernels)},
      {"launches_without_flops", "number of their launches", of(kernels_without_flops, &KernelSums::launches)},
      {"share_without_flops", "their part of the time of all kernels", share(kernels_without_flops)},
      {"kernels_without_counts", "number of kernels that have no counts", of(kernels_without_counts, &KernelSums::kernels)},
      {"share_without_counts", "their part of the time of all kernels", share(kernels_without_counts)},
      {"overhead_seconds", "time that all launches cost at least", [](const Row& row) {
         Amount sum = row.profile.kernels.empty() ? std::nullopt : Amount(0);
         for (const auto& kernel : row.profile.kernels)
           sum = sum && kernel.overhead_seconds ? Amount(*sum + *kernel.overhead_seconds) : std::nullopt;
         return sum;
       }}};
  columns.at(8).one_of({"activities", "counters"});
  add_measures(columns, [](const Row& row) { return row.profile.total; });
  return columns;
}

Columns<RankReport> kernel_process_columns() {
  using Row = RankReport;
  const auto counts = [](std::uint64_t KernelCounts::*which) { return [which](const Row& row) { return row.report.counts.*which; }; };
  const auto times = [](std::uint64_t KernelTimes::*which) { return [which](const Row& row) { return row.report.times.*which; }; };
  const auto is_timed = [](const Row& row) { return row.report.timed; };
  const auto is_counted = [](const Row& row) { return !row.report.timed; };
  Columns<Row> columns{
      kind_column<Row>("process"),
      {"rank", "rank that it is of", &Row::rank},
      {"pid", "number of the process", [](const Row& row) { return row.report.process; }},
      {"parent", "number of its parent", [](const Row& row) { return row.report.parent; }},
      {"command", "what it executed", [](const Row& row) { return row.report.command; }},
      {"run", "the run that it is of: timed, or counted", [](const Row& row) { return row.report.timed ? "timed" : "counted"; }},
      {"status", "ok, or in a word why nothing was timed or counted", [](const Row& row) { return row.report.availability.status; }},
      {"reason", "why nothing was timed or counted", [](const Row& row) { return OrNull{row.report.availability.reason}; }},
      {"ended", "false: it went on after this, unseen", [](const Row& row) { return row.report.ended; }},
      {"cupti", "version and file of CUPTI", [](const Row& row) { return OrNull{row.report.cupti}; }},
      list_column<Row>("gpus", "GPUs that it used", gpu_columns(), [](const Row& row) { return row.report.counts.gpus; }).when(is_counted),
      {"graph_launches", "launches of whole graphs, whose kernels are not counted",
       [](const Row& row) { return row.report.timed ? row.report.times.graph_launches : row.report.counts.graph_launches; }},
      Column<Row>("captured_launches", "launches while a stream was captured", counts(&KernelCounts::captured)).when(is_counted),
      Column<Row>("other_context_launches", "launches in a further context of a GPU, not counted", counts(&KernelCounts::elsewhere))
          .when(is_counted),
      Column<Row>("lost_launches", "launches that ran under the profiler, without a count", counts(&KernelCounts::lost)).when(is_counted),
      Column<Row>("called_launches", "launches by themselves that it called for", times(&KernelTimes::called)).when(is_timed),
      Column<Row>("dropped_records", "records that CUPTI dropped", times(&KernelTimes::dropped)).when(is_timed),
      Column<Row>("crowded_records", "records of kernels beyond the most rows", times(&KernelTimes::crowded)).when(is_timed),
      Column<Row>("untimed_records", "records without times", times(&KernelTimes::untimed)).when(is_timed),
      Column<Row>("unplaced_records", "records whose phase had been forgotten", times(&KernelTimes::unplaced)).when(is_timed),
      Column<Row>("unreadable_buffers", "buffers of records that could not be read to their end", times(&KernelTimes::unreadable))
          .when(is_timed)};
  columns.at(5).one_of({"timed", "counted"});
  return columns;
}

}  // namespace plumbline::app
