// The ranks of a team fail together: none is left waiting for one that threw.
#pragma once
#include "measure/synchronization.hpp"

namespace plumbline {

/// Another rank of the team threw in what all do together, and tells why.
struct AnotherRankFailed {};

/// Runs `act` on every rank of the team; where it throws on one, that one throws the same, and all others AnotherRankFailed. Collective.
template <class Act>
void on_all(Synchronization& team, Act act) {
  try {
    act();
  } catch (...) {
    team.any(true);
    throw;
  }
  if (team.any(false)) throw AnotherRankFailed();
}

}  // namespace plumbline
