#include "model/displacement.hpp"

#include "model/chosen_counts.hpp"

namespace plumbline {
namespace {

std::string level_of(const Counter& counter) {
  for (const auto& quantity : counter.quantities)
    for (const auto& [level, boundary] : level_boundaries())
      if (quantity.starts_with(std::string("bytes.") + boundary)) return level;
  return {};
}

}  // namespace

Displacement displaced(const Placement& placement, const Measured& measured, const Counter& counter) {
  Displacement by{.counter = counter.name, .level = level_of(counter)};
  const auto refuse = [&](Status status, const std::string& reason) {
    by.status = status;
    by.reason = reason;
    return by;
  };
  if (by.level.empty()) return refuse(Status::unavailable, "it claims no bytes across a boundary");
  const Reported count = counted(counter, measured);
  if (!count.ok()) return refuse(count.status, count.reason);
  by.bytes = count.value;
  if (!(by.bytes > 0) || !(placement.flops > 0)) return refuse(Status::unavailable, "no traffic or no FLOPs");
  by.ai = placement.flops / by.bytes;
  return by;
}

}  // namespace plumbline
