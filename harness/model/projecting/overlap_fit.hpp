// The overlap of a class of pairs is fitted on pairs whose truth is known, and which are not judged by it.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>

#include "model/projecting/method.hpp"

namespace plumbline {

/// A class of fewer pairs than these takes a preset: terms overlap well, and what no ceiling explains is the latency of vector
/// instructions, of which wider ones are fewer, or that of memory, which has nothing to do with them.
inline constexpr std::size_t pairs_to_fit = 12;
inline constexpr Overlap preset_of_core{.exponent = 4, .by_lanes = 1}, preset_of_memory{.exponent = 2.5, .by_lanes = 0};

/// The overlap of each class of pairs.
using Overlaps = std::map<std::string, Overlap>;

/// Fits by the least mean of absolute logarithms of errors over the pairs that `may_use` allows, among few settings; none of a class
/// with too few.
Overlaps fit_overlaps(std::span<const ProjectedPair> known, const std::function<bool(const ProjectedPair&)>& may_use);

Overlap overlap_for(const Overlaps& overlaps, const std::string& overlap_class);

}  // namespace plumbline
