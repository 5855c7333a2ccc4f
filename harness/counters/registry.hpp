// The counter backends are listed by name. A new one adds its row to registry.cpp, and one that is not compiled in answers so.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/backend/backend.hpp"

namespace plumbline {

/// An event for listings.
struct EventDescription {
  std::string name, unit, description;
  Availability availability = {};
};

using EventNames = std::vector<std::string>;

/// A row of the registry.
struct BackendEntry {
  std::string_view name;
  /// Makes a backend for these events; for none, for its own choice of what it can count here.
  std::unique_ptr<Backend> (*make)(const EventNames& events);
  /// Lists all events that it knows here; empty when it was not compiled in.
  std::vector<EventDescription> (*events)();
  /// The events to count under the emulator where it is named and has no choice of its own; null: nothing.
  EventNames (*emulated)() = nullptr;
  /// The code that the machine is asked for under this name, for the record; null: the name says all.
  std::string (*code)(const std::string& event) = nullptr;
  bool of_gpu = false;   // it counts what runs on a GPU, and nothing else does
  bool of_code = false;  // it counts code and measures nothing: taken where no counter can be had, or where it is named
};

std::span<const BackendEntry> backends();
/// Finds a backend; null for a name that is none.
const BackendEntry* find_backend(std::string_view name);
/// Makes a backend; null for a name that is none.
std::unique_ptr<Backend> make_backend(std::string_view name, const EventNames& events = {});

}  // namespace plumbline
