// Measuring again has come so far, in this session and those before, and goes on in an order that is found here.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/records.hpp"
#include "model/comparing/node_remeasuring.hpp"

namespace plumbline::app {

/// The turns that were kept of earlier sessions. A turn of a case or point counts where all of its nodes were measured in it, within one
/// session: what two sessions measured is no pair.
class KeptTurns {
 public:
  explicit KeptTurns(std::span<const RemeasuredRow> rows);
  /// The number of turns in which all of these nodes measured a case or point.
  int of(const std::string& id, const std::vector<std::string>& nodes) const;

 private:
  using Turn = std::pair<std::string, std::int32_t>;  // [session, number]
  std::map<std::string, std::map<Turn, std::set<std::string>>> nodes_;
};

/// The number of turns that were taken of a group's case or point: [id, the group's first suspect], who is in no other group.
using TurnsTaken = std::map<SeriesKey, int>;
inline SeriesKey taken_key(const RemeasuringGroup& group, const std::string& id) { return {id, group.suspects.front()}; }

/// Leaves out the groups of which everything has turns enough to judge by (least_turns). From the others nothing is left out: a job whose
/// sessions are short takes each of their things as far as the rest. `kept`: of a group's case or point.
TurnsTaken go_on(std::vector<RemeasuringGroup>& groups,
                 const std::function<int(const RemeasuringGroup& group, const std::string& id)>& kept);

/// A step is what is measured before ranks ask again whether to stop: one thing of one group, or one of each where they measure together.
struct RemeasuringStep {
  struct Thing {
    const RemeasuringGroup* group;  // borrowed
    std::string id;
  };
  int turn = 0;
  std::vector<Thing> things = {};
};

/// The steps turn by turn, so that the turns of one thing lie apart in time and what disturbs a node for a moment disturbs few of them;
/// from the first turn that something lacks, without the things that have it, up to `turns`. `groups` outlive it.
std::vector<RemeasuringStep> steps_of(const std::vector<RemeasuringGroup>& groups, const TurnsTaken& taken, int turns, bool one_at_a_time);

}  // namespace plumbline::app
