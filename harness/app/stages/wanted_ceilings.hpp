// The ceilings that a campaign's [ceilings] 'only' leaves in.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "ert/ceiling_plan.hpp"

namespace plumbline::app {

/// Whether `only` leaves a ceiling in.
bool is_wanted(const CeilingsWish& wish, const std::string& name);

/// The ceilings of a node's CPUs that `only` leaves in, and with a sweep those that show where the levels are.
std::vector<CeilingCase> wanted_of(std::span<const CeilingCase> all, const CeilingsWish& wish);

}  // namespace plumbline::app
