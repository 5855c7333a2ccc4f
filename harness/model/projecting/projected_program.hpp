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
  std::vector<double> group_seconds = {};             // of each group there, in their order
  std::vector<std::string> flips = {};                // groups that another ceiling bounds there: "sweep: mem to L3"
  std::string reason = {};                            // why there are no seconds, or no interval
};

/// A group whose own amounts do not go with its time or its bound at home.
struct AmountDoubt {
  std::string group = {}, term = {};  // the term that takes longest by its amounts: a level, "compute"
  double term_seconds = absent;       // that long by the ceiling at home
  double seconds = absent;            // the group took so long
  std::string bound = {};             // where it is doubted: another ceiling is said to bind
};

/// The groups that took much less time than their amounts need by the ceilings at home, next to none of their time, or that are bound by
/// another ceiling than is said.
std::vector<AmountDoubt> doubtful_amounts(const Application& application, const NodeSpec& source);

/// The bytes of a group on the target, and how they are known.
GroupBytes group_bytes(const ApplicationGroup& group, const NodeSpec& source, const NodeSpec& target);

/// Projects by each of the methods. `plain` is the same projection by equations (5) to (7). Groups without bytes and FLOPs leave all
/// methods but `bandwidth` without seconds. Intervals add up as if all groups erred alike, and the rest as they do.
std::vector<ProgramProjection> project_program(const Projection& plain, const Application& application, const NodeSpec& source,
                                               const NodeSpec& target, const Overlaps& overlaps, std::span<const RecordRow> record);

}  // namespace plumbline
