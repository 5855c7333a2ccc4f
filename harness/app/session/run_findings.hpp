// The findings of a run that came to its end.
#pragma once
#include "core/error.hpp"

namespace plumbline::app {

/// Cases that failed or computed wrong, slower nodes. Thrown when all is written and no rank waits for another any more, by those ranks
/// that found something.
class RunFindings : public Error {
 public:
  using Error::Error;
};

}  // namespace plumbline::app
