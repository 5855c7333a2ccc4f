// The numbers by which a counter is graded, in one place.
#pragma once
#include <cstddef>

#include "core/counter.hpp"

namespace plumbline {

/// The limits within which a trusted counter may deviate: FLOPs are counted, bytes are at the mercy of caches and of other traffic.
struct Limits {
  double bias, worst, dispersion;
};
constexpr Limits limits_of(Kind kind) { return kind == Kind::flops ? Limits{0.01, 0.02, 0.005} : Limits{0.05, 0.15, 0.03}; }

namespace rules {

/// A count inside an interval that is open by more than this factor says nothing of the counter.
inline constexpr double widest_told = 1.5;

/// The fewest sharp cases for a grade: with fewer it would say more about the choice of cases than about the counter.
inline constexpr std::size_t fewest_cases = 3;

// A also takes: so many sharp cases, of so many kernels or of so many works; a count in so great a part of the cases that it was tried in.
inline constexpr std::size_t trusted_cases = 10, trusted_kernels = 2, trusted_works = 10;
inline constexpr double trusted_judged = 0.9;

/// The number of single cases far off that B bears: none of fewer than twenty, one of twenty, two in a hundred.
constexpr std::size_t strays_allowed(std::size_t cases) { return cases < 20 ? 0 : cases < 100 ? 1 : cases / 50; }

// Repetitions that lie farther from their case's median than a trusted counter may deviate: above the first share of all repetitions the
// grade is B at most, above the second D. So is it D when so great a part of the cases is unsteady.
inline constexpr double tolerated_off = 0.1, most_off = 0.25, most_unsteady = 0.1;
/// The part of unsteady cases that is borne where all scatter so much that some are unsteady by chance.
inline constexpr double most_unsteady_by_chance = 0.25;
/// The part of the repetitions that may lose counts; and the part above which a loss, or a count far too large, makes it B at most.
inline constexpr double tolerated_lost = 0.005, noticed_lost = 0.002;

/// The part of the cases that may count otherwise beside other events.
inline constexpr double tolerated_joint = 0.05;

/// The limits without a kernel or a compiler, which leaves fewer cases that scatter more: they contradict a grade where they are beyond its
/// limits by half.
constexpr Limits limits_of_a_part(const Limits& limits) { return {1.5 * limits.bias, 1.5 * limits.worst, 1.5 * limits.dispersion}; }

/// The seconds by which a launch timed among many and a launch counted alone, which has to begin and to drain, may differ. Launches cost
/// 4.2 us on a V100 (Wang, Yang, Farrell, Zhang, Kurth, Williams, "Time-Based Roofline for Deep Learning Performance Analysis", 2020), less
/// on later ones.
inline constexpr double lone_launch_seconds = 5e-6;
/// The difference between the clock under the profiler and the one when timed from which on a reader is told, as a part.
inline constexpr double other_clock = 0.05;

/// A regime that makes the grade C must hold this part of the cases, and so many cases of other values must differ from its own.
inline constexpr double smallest_regime = 0.15;
inline constexpr std::size_t fewest_comparisons = 2;

}  // namespace rules

}  // namespace plumbline
