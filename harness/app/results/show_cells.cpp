#include "app/results/show_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/results/counter_conditions.hpp"

namespace plumbline::app {
namespace {

/// Prints an intensity with its interval, as "0.125+-4%"; both ends where they are far apart; nothing more than the value where the
/// interval does not show in it.
std::string with_interval(const LevelIntensity& at) {
  constexpr double narrowest = 0.0005, widest = 0.5;
  const double half = std::max(at.ai_hi / at.ai, at.ai / at.ai_lo) - 1;
  if (!(half > narrowest)) return plain(at.ai);
  if (half > widest) return fmt::format("{}..{}", plain(at.ai_lo, 2), plain(at.ai_hi, 2));
  return fmt::format("{}+-{:.{}f}%", plain(at.ai), 100 * half, half < 0.01 ? 1 : 0);
}

std::string displacement_text(const Displacement& by, const RooflinePlacement& p) {
  if (by.status != Status::ok) return fmt::format("by {}: {}: {}", by.counter, to_string(by.status), by.reason);
  const std::string rest = by.rest.empty() ? "" : fmt::format(" (with the emulator's {})", by.rest);
  return fmt::format("by {}{}: AI {} {} instead of {}", by.counter, rest, by.level, plain(by.ai), intensity_cell(p, by.level));
}

/// The mix of FMAs, where arithmetic bounds the case and it comes near that roof; empty else, and where FMAs alone are all that it does.
std::string mix_text(const RooflinePlacement& p) {
  const auto mix = p.fma_mixes.find(p.of->precision);
  if (p.bound != "compute" || p.shortfall || mix == p.fma_mixes.end() || mix->second.fraction >= 1 || !(p.compute.fma_gflops > 0))
    return {};
  const double reachable = p.compute.gflops / p.compute.fma_gflops;
  return fmt::format(
      "FMA fraction {:.2f} ({}): this mix can reach {} GFLOP/s, {:.0f} % of the FMA peak{}; the case reaches {:.0f} % of that peak",
      mix->second.fraction, mix->second.source, plain(p.compute.gflops), 100 * reachable,
      reachable > 1.005 ? " (adds run beside FMAs)" : "", 100 * p.gflops / p.compute.fma_gflops);
}

/// The roof by occupancy, where it is lower than the one of arithmetic.
std::string occupancy_text(const ShownCase& shown) {
  constexpr double told_below = 0.98;
  const auto& roof = shown.occupancy_roof;
  if (!roof || !(roof->part < told_below)) return {};
  return fmt::format("{} of {} warps resident: FMAs by so many reach {:.0f} % of their peak, which makes the roof of arithmetic {} GFLOP/s",
                     plain(roof->warps), plain(roof->most_warps), 100 * roof->part, plain(roof->gflops));
}

std::string limit_text(Limit limit, const Shortfall& by) {
  switch (limit) {
    case Limit::unoptimized:
      return "O0 code";
    case Limit::scalar:
      return "scalar arithmetic" + (std::isfinite(by.scalar_gflops) ? fmt::format(" (roof {} GFLOP/s)", plain(by.scalar_gflops)) : "");
    case Limit::core:
      return fmt::format("its core (instructions alone, data in L1, need {:.0f} % of the time)", 100 * by.core_part);
    case Limit::instructions:
      return fmt::format("instructions ({:.1f} a cycle)", by.instructions_per_cycle);
    case Limit::waiting:
      return fmt::format("waiting ({:.2f} instructions a cycle)", by.instructions_per_cycle);
    case Limit::disturbed:
      return "others, who disturbed all repetitions";
    case Limit::launch:
      break;
  }
  if (by.launches > 1) return fmt::format("its {:.0f} launches ({} by themselves)", by.launches, duration(by.launches * by.launch_seconds));
  return fmt::format("the launch ({} by itself)", duration(by.launch_seconds));
}

/// Words for what the bound does not say of a case far below its roof, or above it; empty for all others.
std::string distance_text(const RooflinePlacement& p) {
  if (!p.above_roof.empty()) return "above its roof: " + p.above_roof;
  if (!p.shortfall) return {};
  if (p.shortfall->limits.empty()) return "what else limits it is not known: " + p.shortfall->reason;
  std::string text;
  for (const Limit limit : p.shortfall->limits) text += (text.empty() ? "limited also by " : ", ") + limit_text(limit, *p.shortfall);
  return text;
}

}  // namespace

std::string intensity_cell(const RooflinePlacement& placement, const std::string& level) {
  for (const auto& l : placement.levels) {
    if (l.level != level) continue;
    if (l.bytes == 0) return "none";
    if (l.ai > 1000) return ">1000";
    if (l.status != Status::ok) return std::isfinite(l.ai_lo) ? ">" + plain(l.ai_lo) : "-";
    return placement.join == Join::model ? (l.is_interval() ? "~" : "") + plain(l.ai) : with_interval(l);
  }
  return "-";
}

std::string bytes_source_text(const RooflinePlacement& p) {
  return p.convention.empty() ? p.bytes_source : fmt::format("{} ({})", p.bytes_source, p.convention);
}

std::string bound_cell(const RooflinePlacement& p) { return p.bound.empty() ? "-" : (p.bound_is_certain ? "" : "~") + p.bound; }

std::string percent_of_roof_cell(const RooflinePlacement& p) {
  return std::isfinite(p.percent_of_roof) ? fmt::format("{}{:.0f} %", p.bound_is_certain ? "" : "~", p.percent_of_roof) : "-";
}

std::string case_cell(const CaseRow& row) {
  std::string text = row.id.substr(std::min(row.id.size(), row.kernel.size() + 1));
  for (char& c : text)
    if (c == '/') c = ' ';
  return "  " + text;
}

std::vector<std::string> case_remarks(const ShownCase& shown) {
  const RooflinePlacement& p = shown.at;
  std::vector<std::string> remarks;
  if (p.status != Status::ok) remarks.push_back(fmt::format("{}: {}", to_string(p.status), p.reason));
  for (auto& remark : {mix_text(p), occupancy_text(shown), distance_text(p)})
    if (!remark.empty()) remarks.push_back(remark);
  if (shown.conditions)
    remarks.push_back(conditions_text(*shown.conditions, shown.theoretical_occupancy));
  else if (shown.theoretical_occupancy && shown.theoretical_occupancy->least < 1)
    remarks.push_back("block, registers and shared memory leave room for " + theoretical_occupancy_text(*shown.theoretical_occupancy) +
                      " of the warps that a multiprocessor holds");
  if (shown.displaced) remarks.push_back(displacement_text(*shown.displaced, p));
  return remarks;
}

}  // namespace plumbline::app
