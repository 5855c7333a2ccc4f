// A process says here whether it waits for other ranks: the collectives tell, and whoever must say which rank a job hangs on asks.
#pragma once

namespace plumbline {

/// Says that the process waits for as long as it lives; on the one thread that speaks to MPI.
class Waiting {
 public:
  Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();
};

/// Whether the process waits for others; may be asked from any thread.
bool waits_for_others();

}  // namespace plumbline
