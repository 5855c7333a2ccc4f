#include "model/ceilings/cache_edge.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {

std::vector<EdgePoint> cache_edge(std::vector<SweptRate> sweep, double inside_gbs, double behind_gbs) {
  constexpr double least_step = 1.15;
  if (!(behind_gbs > 0) || !(inside_gbs > least_step * behind_gbs)) return {};
  std::ranges::sort(sweep, {}, &SweptRate::bytes);
  std::vector<EdgePoint> edge;
  for (const auto& [bytes, gbs] : sweep)
    edge.push_back({bytes, std::clamp((1 / gbs - 1 / inside_gbs) / (1 / behind_gbs - 1 / inside_gbs), 0.0, 1.0)});
  for (std::size_t i = edge.size(); i-- > 1;) edge[i - 1].part = std::min(edge[i - 1].part, edge[i].part);
  return edge;
}

double part_beyond(const std::vector<EdgePoint>& edge, double bytes) {
  const auto above = std::ranges::find_if(edge, [&](const EdgePoint& point) { return point.bytes >= bytes; });
  if (above == edge.begin()) return 0;
  if (above == edge.end()) return edge.back().part;
  const auto below = above - 1;
  return std::lerp(below->part, above->part, std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes));
}

}  // namespace plumbline
