// Whether this process waits for other ranks: told by the collectives, asked by whoever must say which rank a job hangs on.
#pragma once

namespace plumbline {

/// Says so for as long as it lives; on the one thread that speaks to MPI.
class Waiting {
 public:
  Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();
};

/// From any thread.
bool waits_for_others();

}  // namespace plumbline
