#include "model/comparing/night_movement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double night_errors = 2;                           // standard errors
constexpr double far_apart = 4, least_part_of_level = 0.25;  // scatters of a level; a normal sample that is cut in two has 2.7

double squares_about(std::span<const double> values, double middle) {
  return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double x) { return sum + (x - middle) * (x - middle); });
}

/// The level that changed less, where a night left some rows on one level and moved the others to another; else the middle of all.
double less_changed_level(std::vector<double> distances, double middle) {
  std::sort(distances.begin(), distances.end());
  const std::span<const double> all(distances);
  const std::size_t n = all.size(), least = std::max<std::size_t>(least_for_movement / 2,
                                                                  static_cast<std::size_t>(least_part_of_level * static_cast<double>(n)));
  double best = HUGE_VAL, level = middle;
  for (std::size_t cut = least; cut + least <= n; ++cut) {
    const auto lower = all.first(cut), upper = all.subspan(cut);
    const double low = lower[lower.size() / 2], high = upper[upper.size() / 2];
    const double squares = squares_about(lower, low) + squares_about(upper, high);
    if (squares >= best) continue;
    best = squares;
    const double scatter = std::max(scatter_of({lower.begin(), lower.end()}), scatter_of({upper.begin(), upper.end()}));
    level = high - low > far_apart * scatter ? (std::abs(low) < std::abs(high) ? low : high) : middle;
  }
  return level;
}

RowDistances distances_of(const CheckedSeries& row, Disturbed disturbed) {
  RowDistances distances{.row = &row};
  const bool unshared = disturbed == Disturbed::unshared;
  const double middle = median_of(row.before), after = !row.after_disturbed ? row.after : unshared ? row.unshared_after : absent;
  for (std::size_t i = 0; i < row.before.size(); ++i) distances.before.emplace_back(row.night_of(i), row.before[i] - middle);
  if (unshared)
    for (const auto& [night, cost] : row.unshared_before) distances.before.emplace_back(night, cost - middle);
  distances.after = after - middle;
  return distances;
}

/// The level that changed less in the checked night.
double less_changed_level(const RowsOfNode& rows, double middle) {
  std::vector<double> tonight;
  for (const auto& one : rows)
    if (std::isfinite(one.after)) tonight.push_back(one.after);
  return less_changed_level(std::move(tonight), middle);
}

void take_out(const NodeMovement& movement, CheckedSeries& row) {
  for (std::size_t i = 0; i < row.before.size(); ++i)
    if (const auto known = movement.before.find(row.night_of(i)); known != movement.before.end()) row.before[i] -= known->second;
  row.after -= movement.after_of_rows;
}

}  // namespace

std::map<std::string, RowsOfNode> rows_by_node(const std::vector<CheckedSeries>& rows, Disturbed disturbed) {
  std::map<std::string, RowsOfNode> nodes;
  for (const auto& row : rows)
    if (!row.before.empty() && row_kind_of(row.row_class) != RowKind::link) nodes[row.key.node].push_back(distances_of(row, disturbed));
  return nodes;
}

NodeMovement movement_of(const std::string& node, const RowsOfNode& rows) {
  std::vector<std::vector<double>> by_night;
  std::vector<double> tonight, excuses;
  for (const auto& one : rows) {
    for (const auto& [night, distance] : one.before) {
      if (night >= by_night.size()) by_night.resize(night + 1);
      by_night[night].push_back(distance);
    }
    if (one.row->after_disturbed) excuses.push_back(one.row->after_excuse);
    if (std::isfinite(one.after)) tonight.push_back(one.after);
  }
  NodeMovement movement{.node = node, .rows = tonight.size(), .after_disturbed = 2 * tonight.size() < rows.size()};
  if (movement.after_disturbed) movement.after_excuse = median_of(excuses);
  if (tonight.size() < least_for_movement) return movement;
  movement.after = median_of(tonight);
  movement.after_half_width = night_errors * scatter_of(tonight) * std::sqrt(std::numbers::pi / 2 / static_cast<double>(tonight.size()));
  for (std::size_t night = 0; night < by_night.size(); ++night)
    if (by_night[night].size() >= least_for_movement) movement.before[night] = median_of(std::move(by_night[night]));
  return movement;
}

std::vector<NodeMovement> take_out_movement(std::vector<CheckedSeries>& rows, const std::set<SeriesKey>& apart) {
  std::vector<NodeMovement> movements;
  for (const auto& [node, of_node] : rows_by_node(rows, Disturbed::unshared)) {
    RowsOfNode others = of_node;
    std::erase_if(others, [&](const auto& one) { return apart.contains(one.row->key); });
    if (others.size() < least_for_movement) others = of_node;
    NodeMovement movement = movement_of(node, others);
    if (!std::isfinite(movement.after)) continue;
    movement.after_of_rows = less_changed_level(others, movement.after);
    movements.push_back(std::move(movement));
  }
  for (auto& row : rows)
    if (!row.before.empty() && row_kind_of(row.row_class) != RowKind::link)
      for (const auto& movement : movements)
        if (movement.node == row.key.node) take_out(movement, row);
  return movements;
}

}  // namespace plumbline
