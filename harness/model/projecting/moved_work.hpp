// Work that was counted on one side is told for another: it is placed anew on the caches there, from its distances of reuse where they were
// counted, else by the size of its working set; and vector instructions are as many as the other side's registers need.
#pragma once
#include <string>
#include <vector>

#include "model/placement/projection.hpp"
#include "model/projecting/node_side.hpp"
#include "model/projecting/work_part.hpp"

namespace plumbline {

struct MovedWork {
  WorkPart part = {};
  std::vector<std::string> moved = {};  // caches into which, or out of which, the working set goes
  double instructions_ratio = 1;        // of there to here: counted, else by the width of vectors
  bool is_uncertain = false;            // the working set is so near to a cache's size that either may be
  BytesBy by = BytesBy::counted;
};

/// A cache holds a working set wholly up to this part of its size, and nothing of a stream through more than its size over this.
inline constexpr double held_up_to = 0.8;

/// A part whose distances of reuse were counted has the bytes that they make on the side's caches, as if these were fully associative: a
/// team divides the lines of all threads that were counted. A level behind a cache of unknown size keeps its bytes. Any other part is as it
/// was.
WorkPart placed_on(const WorkPart& part, const NodeSide& side);

/// The caches of a side in which sets may decide, and not size, what they keep of the part (may_conflict).
std::vector<std::string> conflicts_on(const WorkPart& part, const NodeSide& side);

/// The bytes of `part` on the target: placed_on() where its distances were counted, those at home, too. Else those counted at home, by the
/// target's caches: what fits there and not here crosses no boundary behind it, what fits here and not there crosses the next one as it
/// crosses the one before, and near the edge of a cache that part of it crosses which sweeps show, or its size. Without a working set it
/// is bounded by which caches hold it at home. Home may be the target: then a cache that was simulated to end at once ends as it does.
MovedWork moved_work(const WorkPart& part, const NodeSide& home, const NodeSide& target);

/// Takes FLOPs, instructions and bytes at the registers from counts of the code that runs there, where its instructions were counted.
/// `instructions_here`: those of the code here for as much work.
void take_code(MovedWork& moved, const WorkPart& code_there, double instructions_here);

}  // namespace plumbline
