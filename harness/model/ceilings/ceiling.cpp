#include "model/ceilings/ceiling.hpp"

#include <cmath>

#include "core/enumerators.hpp"

namespace plumbline {

std::string_view to_string(LimitBasis basis) { return basis == LimitBasis::none ? "" : enumerator_name(basis); }

std::optional<bool> Ceiling::agrees_with_topology() const {
  constexpr double within = 0.25;
  if (!std::isfinite(topology_bytes) || !std::isfinite(size_bytes)) return std::nullopt;
  return std::abs(size_bytes / topology_bytes - 1) <= within;
}

double quiet_cv(const std::string& level) {
  if (level == "compute" || level == "L1") return 0.02;
  return level == "mem" ? 0.10 : 0.05;
}

}  // namespace plumbline
