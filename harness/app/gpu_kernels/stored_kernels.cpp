#include "app/gpu_kernels/stored_kernels.hpp"

#include <cmath>

#include "app/programs/profile_rows.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline::app {
namespace {

Amount amount(double value) { return std::isfinite(value) ? Amount(value) : std::nullopt; }

std::uint64_t whole_in(double value) {
  constexpr double most = 1e15;  // of a file that anybody may have made
  return value > 0 && value < most ? static_cast<std::uint64_t>(std::llround(value)) : 0;
}

KernelMeasures measures_in(const ProfileRow& row) {
  KernelMeasures measures{.seconds = amount(row.seconds), .flops = amount(row.flops)};
  for (const auto& level : gpu_level_boundaries()) measures.bytes_by_level.emplace_back(level.level, amount(level_bytes(row, level.level)));
  return measures;
}

std::optional<TimePlace> time_place_in(const ProfileRow& row) {
  for (const PlaneRegion region : {PlaneRegion::compute, PlaneRegion::bandwidth, PlaneRegion::overhead})
    if (row.time_region == to_string(region)) return TimePlace{.of_time = region};
  return std::nullopt;
}

KernelRow kernel_in(const ProfileRow& row) {
  KernelRow kernel{.symbol = row.symbol,
                   .name = row.name,
                   .chip = row.chip,
                   .launches = whole_in(row.launches),
                   .of_graphs = whole_in(row.graph_launches),
                   .counted = whole_in(row.counted_launches),
                   .measures = measures_in(row),
                   .summed_seconds = amount(row.share),
                   .imbalance = amount(row.imbalance),
                   .longest_seconds = amount(row.longest_seconds),
                   .why_no_counts = row.status == Status::ok ? "" : row.reason,
                   .overhead_seconds = amount(row.overhead_seconds),
                   .time_place = time_place_in(row)};
  kernel.place = {row.case_id, row.bound, row.bound_ceiling, amount(row.percent_of_roof)};
  return kernel;
}

KernelRegion region_in(const ProfileRow& row) {
  return {.name = row.name,
          .entries = whole_in(row.entries),
          .seconds = amount(row.wall_seconds),
          .launches = whole_in(row.launches),
          .of_graphs = whole_in(row.graph_launches),
          .measures = measures_in(row),
          .summed_seconds = amount(row.share),
          .why_no_counts = row.status == Status::ok ? "" : row.reason};
}

KernelRank rank_in(const ProfileRow& row) {
  return {.rank = static_cast<int>(row.rank),
          .host = row.host,
          .device = row.device,
          .wall_seconds = amount(row.wall_seconds),
          .seconds = amount(row.seconds),
          .launches = whole_in(row.launches),
          .counted = whole_in(row.counted_launches),
          .flops = amount(row.flops)};
}

}  // namespace

std::optional<ShownKernels> stored_kernels(const ProfileWords& words, std::span<const ProfileRow> rows) {
  if (words.gpu_time_by.empty()) return std::nullopt;
  ShownKernels shown{.words = words};
  shown.profile.is_timed = words.gpu_time_by == "activities";
  for (const auto& row : rows) {
    if (row.kind == "total") shown.profile.total = measures_in(row);
    if (row.kind == "kernel") shown.profile.kernels.push_back(kernel_in(row));
    if (row.kind == "region") shown.regions.push_back(region_in(row));
    if (row.kind == "copies") shown.copies.push_back({0, row.name, whole_in(row.number), whole_in(row.bytes), row.seconds});
    if (row.kind == "rank") shown.ranks.push_back(rank_in(row));
  }
  return shown;
}

}  // namespace plumbline::app
