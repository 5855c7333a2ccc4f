// Nodes that are alike choose the loops for their ceilings together, so that they measure the same.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/session/earlier_sessions.hpp"
#include "comm/communicator.hpp"
#include "core/records.hpp"
#include "model/ceilings/form_choice.hpp"

namespace plumbline::app {

/// Agrees, collectively over all ranks. `measured`: the contests that this node has had in this session (of its leader). Returns, on the
/// leader, what its kind of node has chosen, by these contests and those of earlier sessions; `node` of each is the kind.
std::vector<ChosenForm> agree_on_forms(std::span<const CeilingRow> measured, const std::string& kind, const EarlierSessions& earlier,
                                       Communicator& ranks);

}  // namespace plumbline::app
