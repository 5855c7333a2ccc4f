// The ranks that share a measurement meet and reduce through this interface, so that measuring knows no MPI.
#pragma once

namespace plumbline {

/// The meeting of a team's ranks. This one is for a rank alone, which is its own team.
class Synchronization {
 public:
  virtual ~Synchronization() = default;
  virtual void barrier() {}
  /// Gives the largest value, the least one or the sum over all ranks, on every rank.
  virtual double max(double value) { return value; }
  virtual double min(double value) { return value; }
  virtual double sum(double value) { return value; }
  /// Gives true on every rank when `value` is true on one: a failing rank takes the others along, none is left waiting.
  virtual bool any(bool value) { return value; }
};

}  // namespace plumbline
