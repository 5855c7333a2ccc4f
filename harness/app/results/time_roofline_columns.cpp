#include "app/results/time_roofline_columns.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/placement/time_roofline.hpp"

namespace plumbline::app {
namespace {

/// A case's place in the planes by one level's bytes.
struct LevelTime {
  double bandwidth_gbs = absent;
  TimePlace place = {};
};
using LevelTimes = std::vector<std::pair<std::string, LevelTime>>;

LevelTimes level_times(const RooflinePlacement& at) {
  LevelTimes times;
  for (const LevelIntensity& level : at.levels) {
    if (level.level == at.exceeded) continue;
    const TimePlace place =
        time_place(at.seconds, at.flops, level.bytes, {1e9 * at.compute.gflops, 1e9 * level.bandwidth_gbs, at.overhead_seconds});
    if (std::isfinite(place.balance)) times.emplace_back(level.level, LevelTime{level.bandwidth_gbs, place});
  }
  return times;
}

Columns<LevelTime> level_time_columns() {
  using Row = LevelTime;
  return {{"bandwidth_gbs", "roof of the level, in the bytes that cross its boundary", &Row::bandwidth_gbs},
          {"balance", "FLOP/byte from which on arithmetic takes longer than bytes at the roofs",
           [](const Row& row) { return row.place.balance; }},
          {"compute_seconds", "compute time", [](const Row& row) { return row.place.compute_seconds; }},
          {"bandwidth_seconds", "bandwidth time", [](const Row& row) { return row.place.bandwidth_seconds; }},
          {"complexity_region", "what most of its time would go to at the roofs", [](const Row& row) { return row.place.of_complexity; }},
          {"time_region", "what most of its time went to", [](const Row& row) { return row.place.of_time; }}};
}

Column<RooflinePlacement> where_known(const char* key, const char* meaning, double RooflinePlacement::*number) {
  return Column<RooflinePlacement>(key, meaning, number).when([number](const RooflinePlacement& at) { return std::isfinite(at.*number); });
}

Columns<RooflinePlacement> time_columns() {
  return {where_known("launches", "launches of a sweep on each GPU", &RooflinePlacement::launches),
          where_known("overhead_seconds", "the least that all launches take, as it was measured", &RooflinePlacement::overhead_seconds),
          named_rows_column<RooflinePlacement>("levels", "its place by the bytes of each level that has a roof", level_time_columns(),
                                               level_times)};
}

Columns<InstructionsSeen> instruction_columns() {
  using Row = InstructionsSeen;
  return {{"all", "instructions of a sweep, of the whole team", &Row::all},
          {"floating_point", "those that do floating-point arithmetic", &Row::floating_point},
          Column<Row>("per_cycle", "instructions a cycle of each core, by the clock beside the times", &Row::per_cycle)
              .when([](const Row& row) { return std::isfinite(row.per_cycle); })};
}

}  // namespace

Columns<ShownCase> other_roofline_columns() {
  using Row = ShownCase;
  return {object_column<Row>("time_roofline", "its places in the planes of the time-based roofline", time_columns(), &Row::at)
              .when([](const Row& shown) { return !level_times(shown.at).empty(); }),
          object_column<Row>("instructions", "its instructions, as the emulator counted them", instruction_columns(), [](const Row& shown) {
            return shown.at.instructions;
          }).when([](const Row& shown) { return std::isfinite(shown.at.instructions.all); })};
}

}  // namespace plumbline::app
