// A program is projected by any method: each of its groups is a pair of the sides that its scope names, the whole is their sum.
#pragma once
#include <string>
#include <vector>

#include "model/placement/projection.hpp"
#include "model/projecting/forecast.hpp"

namespace plumbline {

/// The program on the target by one method.
struct ProgramProjection {
  Method method = Method::bandwidth;
  double seconds = absent, lo = absent, hi = absent;  // 90 % interval; absent where the record is too short
  std::string learned_from = {};                      // class of the record, of the group that takes longest
  std::size_t pairs = 0;                              // in it
  std::vector<std::string> flips = {};                // groups that another ceiling bounds there: "sweep: mem to L3"
  std::string reason = {};                            // why there are no seconds, or no interval
};

/// The ceilings of one scope as a side.
NodeSide side_of_spec(const NodeSpec& spec, const std::string& scope);

/// The bytes of a group on the target, and how they are known.
GroupBytes group_bytes(const ApplicationGroup& group, const NodeSpec& source, const NodeSpec& target);

/// Projects by each of the methods. `plain` is the same projection by equations (5) to (7). Groups without bytes and FLOPs leave all
/// methods but `bandwidth` without seconds. Intervals add up as if all groups erred alike, and the rest as they do.
std::vector<ProgramProjection> project_program(const Projection& plain, const Application& application, const NodeSpec& source,
                                               const NodeSpec& target, const Overlaps& overlaps, std::span<const RecordRow> record);

}  // namespace plumbline
