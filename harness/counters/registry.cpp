#include "counters/registry.hpp"

#include <algorithm>
#include <array>

#include "counters/cupti/cupti.hpp"
#include "counters/emulated/emulated.hpp"
#include "counters/papi/papi.hpp"
#include "counters/perf_event/perf_event.hpp"
#include "counters/sass/disassembled.hpp"

namespace plumbline {

std::span<const BackendEntry> backends() {
  static constexpr std::array all{
      BackendEntry{"emulated", emulated_backend, emulated_events},
      BackendEntry{"papi", papi_backend, papi_events, papi_emulated_events, papi_code},
      BackendEntry{"perf_event", perf_event_backend, perf_event_events, nullptr, perf_event_code},
      BackendEntry{.name = "cupti", .make = cupti_backend, .events = cupti_events, .code = cupti_code, .of_gpu = true},
      BackendEntry{.name = "disassembled",
                   .make = disassembled_backend,
                   .events = disassembled_events,
                   .code = disassembled_code,
                   .of_gpu = true,
                   .of_code = true}};
  return all;
}

const BackendEntry* find_backend(std::string_view name) {
  const auto all = backends();
  const auto found = std::find_if(all.begin(), all.end(), [&](const BackendEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<Backend> make_backend(std::string_view name, const EventNames& events) {
  const BackendEntry* entry = find_backend(name);
  return entry == nullptr ? nullptr : entry->make(events);
}

}  // namespace plumbline
