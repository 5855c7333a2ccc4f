// Sessions stop too early, one after the other: what they measure again adds up, and ends.
#include "app/session/remeasuring_turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumbline::app {
namespace {

const std::vector<RemeasuringGroup> of_one_kind{{.suspects = {"n1"}, .peers = {"n0", "n2"}, .cases = {"a", "b", "c", "d"}}};
const std::vector<RemeasuringGroup> of_two_kinds{{.suspects = {"n1"}, .peers = {"n0"}, .cases = {"a", "b"}},
                                                 {.suspects = {"m1"}, .peers = {"m0"}, .cases = {"b", "c", "d"}}};

/// A job that is ended and begun again, with what its sessions kept.
class Job {
 public:
  explicit Job(std::vector<RemeasuringGroup> groups, bool one_at_a_time = true)
      : groups_(std::move(groups)), one_at_a_time_(one_at_a_time) {}

  /// Runs one more session, which has time for so many steps. False: nothing was left to do.
  bool session(std::size_t most_steps, int turns = 15) {
    ++sessions_;
    const KeptTurns kept(rows_);
    auto groups = groups_;
    const TurnsTaken taken =
        go_on(groups, [&](const RemeasuringGroup& group, const std::string& id) { return kept.of(id, group.nodes()); });
    if (groups.empty()) return false;
    const auto steps = steps_of(groups, taken, turns, one_at_a_time_);
    for (std::size_t i = 0; i < std::min(most_steps, steps.size()); ++i)
      for (const auto& [group, id] : steps[i].things)
        for (const auto& node : group->nodes()) add(id, node, steps[i].turn);
    return true;
  }

  int sessions_until_done(std::size_t most_steps) {
    while (session(most_steps) && sessions_ < 1000) continue;
    return sessions_ - 1;  // the last found nothing to do
  }

  void add(const std::string& id, const std::string& node, int turn) {
    rows_.push_back({.case_id = id, .node = node, .session = std::to_string(sessions_), .turn = turn, .seconds = 1});
  }

  int turns_of(const std::string& id, const std::vector<std::string>& nodes) const { return KeptTurns(rows_).of(id, nodes); }

 private:
  std::vector<RemeasuringGroup> groups_;
  bool one_at_a_time_;
  std::vector<RemeasuredRow> rows_;
  int sessions_ = 0;
};

TEST(RemeasuringTurns, sessions_with_time_for_one_thing_only_come_to_an_end) {
  Job job(of_one_kind);
  EXPECT_EQ(job.sessions_until_done(1), 4 * static_cast<int>(least_turns));
  for (const std::string id : {"a", "b", "c", "d"}) EXPECT_EQ(job.turns_of(id, {"n0", "n1", "n2"}), static_cast<int>(least_turns)) << id;
}

TEST(RemeasuringTurns, longer_sessions_need_fewer) {
  EXPECT_EQ(Job(of_one_kind).sessions_until_done(3), 7);  // 20 steps
  EXPECT_EQ(Job(of_one_kind).sessions_until_done(60), 1);
}

TEST(RemeasuringTurns, two_kinds_of_nodes_come_to_an_end_together_or_one_after_the_other) {
  EXPECT_EQ(Job(of_two_kinds, true).sessions_until_done(1), 25);
  EXPECT_EQ(Job(of_two_kinds, false).sessions_until_done(1), 15) << "each step measures a thing of each kind";
}

TEST(RemeasuringTurns, what_is_behind_goes_on_first_until_all_have_all_turns) {
  Job job(of_one_kind);
  EXPECT_TRUE(job.session(4 * 4 + 2));  // a and b have 5, c and d 4
  EXPECT_EQ(job.turns_of("b", {"n0", "n1", "n2"}), 5);
  EXPECT_EQ(job.turns_of("c", {"n0", "n1", "n2"}), 4);
  EXPECT_TRUE(job.session(1));
  EXPECT_EQ(job.turns_of("c", {"n0", "n1", "n2"}), 5);
  EXPECT_TRUE(job.session(1000));
  for (const std::string id : {"a", "b", "c", "d"}) EXPECT_EQ(job.turns_of(id, {"n0", "n1", "n2"}), 15) << id;
}

TEST(RemeasuringTurns, a_turn_of_which_a_node_is_missing_or_that_two_sessions_share_is_none) {
  Job job(of_one_kind);
  job.add("a", "n0", 0);
  job.add("a", "n1", 0);
  EXPECT_EQ(job.turns_of("a", {"n0", "n1", "n2"}), 0);
  EXPECT_EQ(job.turns_of("a", {"n0", "n1"}), 1) << "of those that can have it";
  EXPECT_TRUE(job.session(0));
  job.add("a", "n2", 0);
  EXPECT_EQ(job.turns_of("a", {"n0", "n1", "n2"}), 0);
}

TEST(RemeasuringTurns, turns_of_one_thing_lie_apart) {
  const auto steps = steps_of(of_one_kind, {}, 2, true);
  std::vector<std::string> order;
  for (const auto& step : steps) order.push_back(step.things.front().id + std::to_string(step.turn));
  EXPECT_EQ(order, (std::vector<std::string>{"a0", "b0", "c0", "d0", "a1", "b1", "c1", "d1"}));
}

TEST(RemeasuringTurns, kinds_that_measure_together_take_a_thing_each) {
  std::vector<std::string> order;
  for (const auto& step : steps_of(of_two_kinds, {{{"b", "n1"}, 1}}, 2, false)) {
    std::string ids;
    for (const auto& [group, id] : step.things) ids += group->suspects.front() + id + " ";
    order.push_back(ids + std::to_string(step.turn));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"n1a m1b 0", "m1c 0", "m1d 0", "n1a m1b 1", "n1b m1c 1", "m1d 1"}));
}

}  // namespace
}  // namespace plumbline::app
