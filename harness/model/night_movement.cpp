#include "model/night_movement.hpp"

#include <cmath>
#include <numbers>

#include "model/spread.hpp"

namespace plumbline {
namespace {

constexpr double sure = 2;  // standard errors

using Rows = std::vector<CheckedSeries*>;

std::map<std::string, Rows> rows_by_node(std::vector<CheckedSeries>& rows) {
  std::map<std::string, Rows> nodes;
  for (auto& row : rows)
    if (!row.before.empty() && !row.row_class.starts_with("link ")) nodes[row.key.node].push_back(&row);
  return nodes;
}

NodeMovement movement_of(const std::string& node, const Rows& rows) {
  std::map<std::size_t, std::vector<double>> by_night;
  std::vector<double> tonight;
  for (const auto* row : rows) {
    const double middle = median_of(row->before);
    for (std::size_t i = 0; i < row->before.size(); ++i) by_night[row->night_of(i)].push_back(row->before[i] - middle);
    if (!row->after_disturbed) tonight.push_back(row->after - middle);
  }
  NodeMovement movement{.node = node, .rows = tonight.size(), .after_disturbed = 2 * tonight.size() < rows.size()};
  if (tonight.size() < least_for_movement) return movement;
  movement.after = median_of(tonight);
  movement.after_half_width = sure * scatter_of(tonight) * std::sqrt(std::numbers::pi / 2 / static_cast<double>(tonight.size()));
  for (const auto& [night, distances] : by_night)
    if (distances.size() >= least_for_movement) movement.before[night] = median_of(distances);
  return movement;
}

void take_out(const NodeMovement& movement, const Rows& rows) {
  for (auto* row : rows) {
    for (std::size_t i = 0; i < row->before.size(); ++i)
      if (const auto known = movement.before.find(row->night_of(i)); known != movement.before.end()) row->before[i] -= known->second;
    row->after -= movement.after;
  }
}

}  // namespace

std::vector<NodeMovement> take_out_movement(std::vector<CheckedSeries>& rows) {
  std::vector<NodeMovement> movements;
  for (const auto& [node, of_node] : rows_by_node(rows)) {
    NodeMovement movement = movement_of(node, of_node);
    if (!std::isfinite(movement.after)) continue;
    take_out(movement, of_node);
    movements.push_back(std::move(movement));
  }
  return movements;
}

}  // namespace plumbline
