// The ceilings of a GPU come from a result file that the user names.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/ceiling.hpp"

namespace plumbline::app {

struct KernelRoofs {
  std::vector<Ceiling> ceilings = {};   // of GPUs; empty: none
  Results results = {};                 // ceilings and machines as they were measured
  std::vector<std::string> notes = {};  // where they come from, or why there are none
};

/// `wanted`: a result file, no, or auto, which is none: a GPU's ceilings are not kept. Throws Error (user) where the file has no ceilings,
/// or where they should be measured.
KernelRoofs find_kernel_roofs(const std::string& wanted);

}  // namespace plumbline::app
