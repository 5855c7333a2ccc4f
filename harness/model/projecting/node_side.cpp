#include "model/projecting/node_side.hpp"

#include <algorithm>

namespace plumbline {

const SideLevel* level_named(const NodeSide& side, const std::string& name) {
  const auto found = std::ranges::find(side.levels, name, &SideLevel::name);
  return found == side.levels.end() ? nullptr : &*found;
}

double lanes(const NodeSide& side, const std::string& precision) {
  const double bytes = precision == "fp64" ? 8 : precision == "fp32" ? 4 : 2;
  return std::max(side.vector_bytes / bytes, 1.0);
}

}  // namespace plumbline
