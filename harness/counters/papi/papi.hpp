// PAPI counts presets with their derived terms, native events, and the emulator's counts as software-defined events
// (counters/papi/sde_export.hpp).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "counters/backend/backend.hpp"

namespace plumbline {

/// Makes a backend for these events; for none, for the presets that this machine has.
std::unique_ptr<Backend> papi_backend(const EventNames& events = {});

/// Presets, native events and software-defined events, each with what stands in the way of it.
std::vector<EventDescription> papi_events();

/// PAPI's components: what each is for, and why it is disabled.
std::vector<EventDescription> papi_components();

/// The software-defined events that show the emulator's counts: what PAPI counts under the emulator where there is no PMU.
EventNames papi_emulated_events();

/// A preset as the native events that it is formed of; any other event by PAPI's full name.
std::string papi_code(const std::string& event);

}  // namespace plumbline
