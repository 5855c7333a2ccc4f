// One launch of a kernel on a GPU is written down where it was made, for those who count the code that it runs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// The facts of a launch that the launching code knows and the kernel's own code does not say.
struct LaunchFacts {
  std::uint64_t threads = 0;              // that have work
  std::vector<std::uint64_t> trips = {};  // of the kernel's loops, in the order in which they begin in its code: each thread's
  bool trips_of_all = false;              // or of all threads together (of a loop within a loop, in all trips of the outer one)
  bool guards_let_through = false;        // each of these threads does all that guards stand around; loops without a trip are left out
};

/// A launch: which code it runs, in which grid.
struct KernelLaunch {
  std::string function = {};      // mangled, as in the module's code; empty: a graph's kernels, or those that `untold` names
  std::string architecture = {};  // of that code: "cuda13-sm_90a"
  std::array<unsigned, 3> grid = {}, block = {};
  std::optional<LaunchFacts> facts = {};  // absent: the launching code tells nothing
  std::string untold = {};                // and why
  std::uint64_t shared_bytes = 0;         // dynamic shared memory of a block
  int resident_blocks = 0;                // that a multiprocessor holds at once, as CUDA reckons it; 0: nobody asked, or it does not know
};

}  // namespace plumbline
