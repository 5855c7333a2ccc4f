// A capability says what can be measured here, or why it cannot and what to do about it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "machine/cpu.hpp"
#include "machine/machine_json.hpp"
#include "machine/topology.hpp"

namespace plumbline {

/// A row of `plumbline doctor`: what can be measured, or why not and what to do.
struct Capability {
  std::string what;
  Status status = Status::ok;  // ok, unavailable, permission
  std::string found;           // what was found, or why it does not work
  std::string next;            // what to do about it, a command where there is one; empty when there is nothing to do
};

/// The end of an attempt to open a hardware cycle counter for this thread.
struct PmuAttempt {
  int error = 0;  // errno; 0: it opened and counted
  std::optional<int> paranoid;
  bool virtual_machine = false;
};
PmuAttempt try_pmu(const Cpu& cpu);
/// The capability (counted cycles) that follows from the attempt.
Capability judge_pmu(const PmuAttempt& attempt);

/// The capabilities of a node: CPU, ISA levels, binding, memory, huge pages, clock, PMU, GPU driver.
std::vector<Capability> machine_capabilities(const Topology& topology, const Cpu& cpu, const NodeState& state);

}  // namespace plumbline
