// A profiled program becomes the groups of a projection: its functions or its GPU kernels, in their places under the roofs.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/placement/projection.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {

/// Makes a group of each function or kernel that was met and has a bound; the rest is what is left of the time from start to end. Where
/// functions of several threads ran beside each other, so that their times are together longer than that, each has its part of it.
/// Functions of libraries at which a program waits (is_for_waiting) are one group that waits, of the time that nothing which works covers.
/// Says in `notes` what is of the rest, and why.
Application application_of(std::span<const ProfileRow> profile, std::span<const RooflinePlacement> placements, const std::string& node,
                           std::vector<std::string>& notes);

}  // namespace plumbline::app
