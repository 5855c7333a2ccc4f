#include "model/placement/displacement.hpp"

#include <algorithm>

#include "core/quantity_parts.hpp"
#include "model/cases/weighted_sum.hpp"
#include "model/placement/chosen_counts.hpp"

namespace plumbline {
namespace {

/// The boundary of which the counter claims bytes, and its level; nullptr where there is none.
const LevelBoundary* boundary_of(const Counter& counter) {
  for (const auto& at : level_boundaries())
    if (!parts_seen(counter.quantities, std::string("bytes.") + at.boundary).empty()) return &at;
  return nullptr;
}

/// Adds what the emulator counted of the flows that the counter leaves out. Why not, if a flow that the boundary needs was not counted.
Reported add_rest(Displacement& by, const Measured& measured, const Counter& counter, const std::string& area) {
  const auto claimed = parts_seen(counter.quantities, area), whole = parts_seen(std::vector{area}, area);
  const auto needed = needed_parts(area);
  for (const auto& part : whole) {
    if (claimed.contains(part)) continue;
    const Reported count = weighted_sum({.name = part, .backend = "emulated", .terms = {{part, 1}}, .quantities = {part}}, measured);
    if (count.ok()) {
      by.bytes += count.value;
      by.rest += (by.rest.empty() ? "" : ", ") + part.substr(area.size() + 1);
    } else if (std::find(needed.begin(), needed.end(), part) != needed.end()) {
      return {absent, Status::unavailable, "it does not claim " + part + ", and the emulator did not count that"};
    }
  }
  return {by.bytes, Status::ok, {}};
}

}  // namespace

Displacement displaced(const RooflinePlacement& placement, const Measured& measured, const Counter& counter) {
  const LevelBoundary* at = boundary_of(counter);
  Displacement by{.counter = counter.name, .level = at == nullptr ? "" : at->level};
  const auto refuse = [&](Status status, const std::string& reason) {
    by.bytes = absent;
    by.status = status;
    by.reason = reason;
    return by;
  };
  if (at == nullptr) return refuse(Status::unavailable, "it claims no bytes across a boundary");
  const Reported count = weighted_sum(counter, measured);
  if (!count.ok()) return refuse(count.status, count.reason);
  by.bytes = count.value;
  if (const Reported whole = add_rest(by, measured, counter, std::string("bytes.") + at->boundary); !whole.ok())
    return refuse(whole.status, whole.reason);
  if (!(by.bytes > 0) || !(placement.flops > 0)) return refuse(Status::unavailable, "no traffic or no FLOPs");
  by.ai = placement.flops / by.bytes;
  return by;
}

}  // namespace plumbline
