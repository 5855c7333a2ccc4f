// This folder's files use PAPI's library, its events and event sets through this. It is the only header that includes PAPI's.
#pragma once
#include <papi.h>

#include <optional>
#include <string>
#include <vector>

#include "counters/backend/events.hpp"

namespace plumbline {

/// Starts the library, once.
const Availability& papi_library();
/// The version of the papi.h that this was compiled with: "7.0.1".
std::string papi_version();
/// The trouble that PAPI answered to a call, in its own words.
Availability papi_trouble(const std::string& call, int error);

/// An event that can be counted: itself, and what a derived one is formed of.
struct PapiEvent {
  std::string name;
  int code = 0, component = 0;
  bool emulated = false;
  std::string type = {}, postfix = {};
  std::vector<int> natives = {};  // empty: it is no derived event
};

/// Finds an event; nullopt: `why` says what stands in the way.
std::optional<PapiEvent> papi_event_of(const std::string& name, Refusal& why);
/// The codes that stand in the set for these events: each once.
std::vector<int> papi_codes_of(const std::vector<PapiEvent>& events);

/// An event set of PAPI's. It is never multiplexed.
class PapiEventSet {
 public:
  PapiEventSet() = default;
  PapiEventSet(const PapiEventSet&) = delete;
  PapiEventSet& operator=(const PapiEventSet&) = delete;
  ~PapiEventSet() { close(); }

  Availability fill(int component, const std::vector<int>& codes);
  Availability start();
  /// Reads the counts; gives PAPI's error.
  int read(long long* values) noexcept { return PAPI_read(set_, values); }
  int stop(long long* values) noexcept {
    running_ = false;
    return PAPI_stop(set_, values);
  }
  void close();

 private:
  int set_ = PAPI_NULL;
  bool running_ = false;
};

/// Tries whether these can be counted at one time. An event that needs the emulator cannot be started here, so it is only added.
Availability papi_try_together(const std::vector<PapiEvent>& events);

}  // namespace plumbline
