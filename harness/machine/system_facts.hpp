// A node's system is described as far as it changes what can be measured there: kernel, microcode, mitigations, SMT, NUMA, huge pages,
// clocks, control group, firmware, memory. All is read from /proc, /sys and /etc; never a serial number, an address or an environment.
#pragma once
#include <filesystem>

#include "machine/fact.hpp"

namespace plumbline {

/// The facts of a system. `root` is where proc, sys and etc lie: "/" of this node. Names carry units (_khz, _bytes). Every name of the list
/// is there on each node, with its value or why it has none.
Facts system_facts(const std::filesystem::path& root = "/");

/// The kernel's word about each vulnerability of the CPU, by its name ("spectre_v2"); empty where it says nothing.
Facts mitigations(const std::filesystem::path& root = "/");

}  // namespace plumbline
