// A case's counted twin tells what its own machine code loads and stores in a sweep: exactly, for every flavor that this CPU runs, and
// without any counter.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/twin.hpp"

namespace plumbline {

/// The references that a twin counted, or why there are none.
struct Executed {
  std::optional<References> references = {};  // of one rank, all its threads; per sweep
  std::vector<References> phases = {};        // the same of each phase of an application
  std::string why_none = {};
};

/// Prepares the case's data anew and sweeps each thread's part with the twin, one after the other, on the calling thread. The empty
/// region's share, a return from it in each thread, is subtracted as it is from counts. There are no references where the case has no twin,
/// moves bytes that the code does not tell, or would take long: the reason says which.
Executed executed_references(const Case& measured);

}  // namespace plumbline
