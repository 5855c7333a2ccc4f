// The record of the methods: how each of them erred where the truth became known, by kind of pair and bound. Intervals come from it, and
// never from what they are judged by.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/projecting/overlap_fit.hpp"

namespace plumbline {

/// A pair whose truth is known.
struct RecordRow {
  std::string part = {}, kernel = {}, from = {}, to = {};
  std::string from_machine = {}, to_machine = {};
  std::string kind = {}, bound_class = {};
  ByMethod log_error = {absent, absent, absent, absent, absent};  // natural logarithm of projected over true
  double scale = absent;                                          // how far it was expected to err (expected_scale)
};

using MayUse = std::function<bool(const RecordRow&)>;

/// A class of applications with fewer pairs, or pairs of fewer of them, falls back to a wider one.
inline constexpr std::size_t pairs_of_class = 20, kernels_of_class = 5;

/// Fewer pairs than these have no 90 % quantile.
inline constexpr std::size_t least_pairs = 9;

/// The kinds of pair of whole applications on other numbers of ranks begin so (model/scaling/ranks_record.hpp).
inline constexpr std::string_view ranks_family = "ranks";

struct RecordClass {
  std::string name = {};
  std::vector<const RecordRow*> rows = {};
};

/// The rows of a kind's family: pairs between unlike CPU models, pairs within one, pairs of GPUs. Of the fourth, whole applications on
/// other numbers of ranks, those of the narrowest class that has enough of them: of this kind and bound, of this kind, all.
RecordClass class_of(std::span<const RecordRow> record, const std::string& kind, const std::string& bound_class, const MayUse& may_use);

/// The error that a pair is expected to have before anything is learned: the spread of its times, ceilings and counts, and a part of how
/// far the methods are apart. Errors over this are alike enough to share a quantile.
double expected_scale(double spread, const ByMethod& seconds);

/// The middle one of what `roofline`, `efficiency` and `overlap` say, or of those of them that say anything: one that is far off alone does
/// not move it.
double middle_seconds(const ByMethod& seconds);

/// The 90 % quantile as split conformal prediction takes it (Lei et al. 2018): the ceil(0.9 (n + 1))-th smallest of n. Absent for fewer
/// than 9.
double conformal_quantile(std::vector<double> scores);

/// The conformal quantile of |error| over scale of one method.
double error_quantile(const RecordClass& of, Method method);
/// The conformal quantile of |error| alone, where nothing tells a scale.
double plain_error_quantile(const RecordClass& of, Method method);

}  // namespace plumbline
