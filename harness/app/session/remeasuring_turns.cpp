#include "app/session/remeasuring_turns.hpp"

#include <algorithm>

namespace plumbline::app {
namespace {

int taken_of(const TurnsTaken& taken, const RemeasuringGroup& group, const std::string& id) {
  const auto found = taken.find(taken_key(group, id));
  return found == taken.end() ? 0 : found->second;
}

/// Adds the steps of one turn.
void add_steps(const std::vector<RemeasuringGroup>& groups, const TurnsTaken& taken, int turn, bool one_at_a_time,
               std::vector<RemeasuringStep>& steps) {
  const std::size_t first = steps.size();
  for (const auto& group : groups) {
    std::size_t place = first;
    for (const auto& id : group.cases) {
      if (taken_of(taken, group, id) > turn) continue;
      if (one_at_a_time || place == steps.size()) steps.push_back({.turn = turn});
      steps[one_at_a_time ? steps.size() - 1 : place++].things.push_back({&group, id});
    }
  }
}

}  // namespace

KeptTurns::KeptTurns(std::span<const RemeasuredRow> rows) {
  for (const auto& row : rows) nodes_[row.case_id][{row.session, row.turn}].insert(row.node);
}

int KeptTurns::of(const std::string& id, const std::vector<std::string>& nodes) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) return 0;
  return static_cast<int>(std::count_if(found->second.begin(), found->second.end(), [&](const auto& turn) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) { return turn.second.contains(node); });
  }));
}

TurnsTaken go_on(std::vector<RemeasuringGroup>& groups,
                 const std::function<int(const RemeasuringGroup& group, const std::string& id)>& kept) {
  TurnsTaken taken;
  std::erase_if(groups, [&](const RemeasuringGroup& group) {
    TurnsTaken of_group;
    for (const auto& id : group.cases) of_group[taken_key(group, id)] = kept(group, id);
    const bool done =
        std::all_of(of_group.begin(), of_group.end(), [](const auto& one) { return one.second >= static_cast<int>(least_turns); });
    if (!done) taken.merge(of_group);
    return done;
  });
  return taken;
}

std::vector<RemeasuringStep> steps_of(const std::vector<RemeasuringGroup>& groups, const TurnsTaken& taken, int turns, bool one_at_a_time) {
  std::vector<RemeasuringStep> steps;
  for (int turn = 0; turn < turns; ++turn) add_steps(groups, taken, turn, one_at_a_time, steps);
  return steps;
}

}  // namespace plumbline::app
