// The counter backends are listed by name. A new one adds its row to registry.cpp, and one that is not compiled in answers so.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "counters/backend/backend.hpp"
#include "counters/perf_event/perf_names.hpp"
#include "counters/sass/disassembled.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {

/// The facts that backends are told of the machine and this process. Without any, events have to be named, and GPUs' code is not known.
struct BackendFacts {
  PerfFacts perf = {};                      // for perf_event: this CPU's event table, and who reads which socket
  EventTables tables = {};                  // for CUPTI: the table of the chip that is found
  std::function<CodePlace()> code_of = {};  // for counts of a GPU's code: opens the module, which takes a while; called where it is needed
};

/// One row of the registry.
struct BackendEntry {
  std::string_view name;
  /// A backend for these events; for none, the backend's own choice of what it can count here.
  std::unique_ptr<Backend> (*make)(const EventNames& events, const BackendFacts& facts);
  /// All events that it knows here; empty when it was not compiled in.
  std::vector<EventDescription> (*events)(const BackendFacts& facts);
  /// The events that it is to count under the emulator where it is named and has no choice of its own; null: nothing.
  EventNames (*emulated)() = nullptr;
  /// The code that the machine is asked for under this name, for the record; null: the name says all.
  std::string (*code)(const std::string& event, const BackendFacts& facts) = nullptr;
  bool of_gpu = false;   // it counts what runs on a GPU, and nothing else does
  bool of_code = false;  // it counts code and measures nothing: taken where no counter can be had, or where it is named
};

std::span<const BackendEntry> backends();
/// Finds a backend; null for a name that is none.
const BackendEntry* find_backend(std::string_view name);
/// Makes the backend of this name; null for a name that is no backend.
std::unique_ptr<Backend> make_backend(std::string_view name, const EventNames& events = {}, const BackendFacts& facts = {});

}  // namespace plumbline
