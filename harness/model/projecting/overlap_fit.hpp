// The overlap of a class of pairs is fitted on pairs whose truth is known, and which are not judged by it.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>

#include "model/projecting/method.hpp"

namespace plumbline {

/// A class of fewer pairs than these takes the overlap of all.
inline constexpr std::size_t pairs_to_fit = 12;

/// The overlap of each class of pairs, "" for all others.
using Overlaps = std::map<std::string, Overlap>;

/// Fits by the least mean of absolute logarithms of errors over the pairs that `may_use` allows, among few settings; without any pair it is
/// the preset.
Overlaps fit_overlaps(std::span<const ProjectedPair> known, const std::function<bool(const ProjectedPair&)>& may_use);

const Overlap& overlap_for(const Overlaps& overlaps, const std::string& overlap_class);

}  // namespace plumbline
