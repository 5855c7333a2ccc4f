// What a measurement needs of the ranks that share it, so that measuring knows no MPI.
#pragma once

namespace plumbline {

/// One rank alone is its own team.
class Synchronization {
 public:
  virtual ~Synchronization() = default;
  virtual void barrier() {}
  virtual double max(double value) { return value; }
  virtual double min(double value) { return value; }
  virtual double sum(double value) { return value; }
  /// True on every rank when it is true on one: a failing rank takes the others along, none is left waiting.
  virtual bool any(bool value) { return value; }
};

}  // namespace plumbline
