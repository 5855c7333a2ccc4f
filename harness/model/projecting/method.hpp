// The methods of projection by name, each a pure function of a pair.
#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "core/enumerators.hpp"
#include "model/projecting/projected_pair.hpp"

namespace plumbline {

enum class Method {
  bandwidth,   // equations (5) and (6) of Kwack et al. 2018: the ceiling that bounds it here, whatever bounds it there
  roofline,    // what takes longest there at the ceilings' rates
  efficiency,  // that, times how far the time here is from what takes longest here
  overlap,     // a sum of all terms that overlap as far as was fitted, and of time that no ceiling explains
  ensemble     // the middle one of the last three
};
constexpr std::string_view to_string(Method method) { return enumerator_name(method); }
inline constexpr std::size_t method_count = 5;

/// A number for each method; absent where a method has none.
using ByMethod = std::array<double, method_count>;
constexpr std::size_t index_of(Method method) { return static_cast<std::size_t>(method); }

/// The terms of one class of pairs overlap: time = (sum of terms^exponent)^(1/exponent), one term of which is what no ceiling explains;
/// 1 is no overlap, many is all. `issue_part`: of the instructions that a core can take up in a cycle so many really come.
struct Overlap {
  double exponent = 2, issue_part = 1;
  bool operator==(const Overlap&) const = default;
};

double bandwidth_seconds(const ProjectedPair& pair);
double roofline_seconds(const ProjectedPair& pair);
double efficiency_seconds(const ProjectedPair& pair);
double overlap_seconds(const ProjectedPair& pair, const Overlap& overlap);

}  // namespace plumbline
