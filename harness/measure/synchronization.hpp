// The ranks that share a measurement meet and reduce through this interface, so that measuring knows no MPI.
#pragma once
#include "core/peers.hpp"

namespace plumbline {

/// The meeting of a team's ranks, which are each other's peers in an application. This one is for a rank alone, which is its own team.
class Synchronization : public Peers {
 public:
  virtual void barrier() {}
  /// Gives the largest value, the least one or the sum over all ranks, on every rank.
  virtual double max(double value) { return value; }
  virtual double min(double value) { return value; }
  virtual double sum(double value) { return value; }
  /// Gives true on every rank when `value` is true on one: a failing rank takes the others along, none is left waiting.
  virtual bool any(bool value) { return value; }
};

/// The team of a rank alone, which nobody else meets.
inline Synchronization& alone() {
  static Synchronization team;
  return team;
}

}  // namespace plumbline
