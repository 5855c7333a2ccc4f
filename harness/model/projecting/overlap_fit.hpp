// The overlap of a class of pairs is fitted on pairs whose truth is known, and which are not judged by it.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>

#include "model/projecting/method.hpp"

namespace plumbline {

/// A class of fewer pairs than these takes a preset.
inline constexpr std::size_t pairs_to_fit = 12;
inline constexpr Overlap preset_overlap{.exponent = 2, .issue_part = 1};

/// The overlap of each class of pairs.
using Overlaps = std::map<std::string, Overlap>;

/// Fits by the least mean of absolute logarithms of errors over the pairs that `may_use` allows, among few settings; none of a class
/// with too few. Each kernel counts once, and no error for more than `most_of_error`: where the model is far off, no setting is right.
inline constexpr double most_of_error = 0.2;
Overlaps fit_overlaps(std::span<const ProjectedPair> known, const std::function<bool(const ProjectedPair&)>& may_use);

Overlap overlap_for(const Overlaps& overlaps, const std::string& overlap_class);

}  // namespace plumbline
