// The schedule of a stored case's application, as its kernel in this program states it.
#pragma once
#include <optional>

#include "core/records.hpp"
#include "model/scaling/timed_application.hpp"

namespace plumbline::app {

/// The schedule is nullopt for a kernel of one loop, for one that this program does not have, and for parameters that it refuses.
std::optional<ApplicationSchedule> application_schedule(const CaseRow& row);

}  // namespace plumbline::app
