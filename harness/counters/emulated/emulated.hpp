// The emulator's counters are counts of this very process, taken by the Valgrind tool that runs it (harness/emulator).
#pragma once
#include <memory>
#include <vector>

#include "counters/backend/backend.hpp"

namespace plumbline {

/// Makes a backend for all of the emulator's events, or those named; unavailable when this process does not run under the tool.
std::unique_ptr<Backend> emulated_backend(const EventNames& events = {});

/// Names, units and descriptions of the emulator's events, for listings; empty when it was not compiled in.
std::vector<EventDescription> emulated_events();

/// Version of the interface between this program and the emulator; 0 when it was not compiled in.
unsigned emulator_abi();

}  // namespace plumbline
