// The time that it takes to measure something suspicious again, in turns.
#pragma once
#include <optional>
#include <vector>

#include "campaign/campaign.hpp"
#include "core/case.hpp"
#include "ert/ceiling_plan.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline::app {

inline constexpr int turn_repetitions = 3;
/// A point as often as a turn takes it; they share their data.
inline std::vector<CeilingCase> repetitions_of(const CeilingCase& point) { return std::vector<CeilingCase>(turn_repetitions, point); }

/// Estimates of a turn in seconds: of a case, of a point of CPUs, of a point of that GPU.
double turn_seconds(const Case& measured, const Campaign& campaign);
double turn_seconds(const CeilingCase& point);
double turn_seconds(const CeilingCase& point, const GpuProperties& gpu);

/// The number of turns of so many seconds that fit; the most where nothing limits them.
int turns_within(std::optional<double> seconds, double turn);

/// The time for an estimate: what it takes where one node turns out suspicious, its worst cases and ceilings being the longest.
/// `seconds_left`: of the budget, which may make turns fewer.
double remeasuring_seconds(const std::vector<Case>& cases, const std::vector<CeilingCase>& ceilings, const Campaign& campaign, int nodes,
                           std::optional<double> seconds_left);

}  // namespace plumbline::app
