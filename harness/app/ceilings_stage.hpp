// The ceilings of a node, measured in rounds that go through all of them in turn: drift hits all alike.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/case_runner.hpp"
#include "ert/ceiling_plan.hpp"

namespace plumbline::app {

inline constexpr int ceiling_rounds = 5;

/// Name of one round as a unit of work: "ceilings/quick/round=0".
std::string ceiling_round_id(std::string_view mode, int round);

/// One round over `plan` on this node: collective over its ranks. The leader gets the finished unit. `place` gives a team its CPUs.
std::optional<Finished> measure_ceilings(const std::vector<CeilingCase>& plan, std::string_view mode, int round, CaseRunner& runner,
                                         Communicator& ranks, const std::function<TeamCpus(const Team&)>& place);

}  // namespace plumbline::app
