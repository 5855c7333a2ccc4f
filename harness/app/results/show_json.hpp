// A case's place on the roofline is written as JSON, every number beside a reason where it is missing.
#pragma once
#include "app/terminal/table.hpp"
#include "model/placement/displacement.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {

Json placement_json(const RooflinePlacement& placement);
Json displacement_json(const Displacement& by);

}  // namespace plumbline::app
