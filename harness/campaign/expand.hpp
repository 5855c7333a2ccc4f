// A campaign is expanded into the cases that its author meant.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/campaign.hpp"
#include "core/case.hpp"

namespace plumbline {

/// The target that the cases shall run on: of several nodes the weakest, but an ISA counts when any node runs it.
struct Target {
  std::function<bool(std::string_view isa)> runs_isa;  // "v2", "v3", "v4", "neon", "sve"
  std::string isas;                                    // those it runs, for messages: "v2, v3"
  int ranks_per_node = 1;                              // meant by ranks = "all"
  int cores_per_node = 1;                              // divided among a team's ranks: threads = "all"
  int gpus_per_node = 1;                               // that ranks of their own can drive: gpus = "all"
  std::function<bool(std::string_view flavor)> runs_on_gpu = [](std::string_view) { return false; };  // "cuda13-sm_90a"; "": any GPU
  std::string gpus = "no GPU";      // in words: which there are, or why there is none
  std::string no_gpu_kernels = "";  // why this program has no kernels for GPUs at all; empty where it has
};

struct SkippedCase {
  Case what;
  std::string reason;
};

struct Expansion {
  std::vector<Case> cases;           // in the order written; each id once
  std::vector<SkippedCase> skipped;  // cases that cannot run here, with the reason
  std::vector<std::string> notes;    // what matched nothing
};

/// The ISA of a CPU that a flavor's instructions need; empty when it chooses at run time (libraries, on GPUs too). A flavor for GPUs
/// needs the GPU that it is named for: its own name.
std::string required_isa(std::string_view flavor);

/// Makes a campaign's cases. Throws Error (user), with file, line and column, on unknown kernels, parameters, flavors and precisions,
/// values out of their range, and an empty sweep. `all` is kernels() in the program.
Expansion expand(const Campaign& campaign, const std::vector<Kernel>& all, const Target& target);

/// Whether a text matches a shell glob: `*` (any characters, also '/'), `?`, `[...]`.
bool matches(const std::string& glob, const std::string& text);

}  // namespace plumbline
