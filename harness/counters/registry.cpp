#include "counters/registry.hpp"

#include <algorithm>
#include <array>

#include "counters/cupti/cupti.hpp"
#include "counters/emulated/emulated.hpp"
#include "counters/papi/papi.hpp"
#include "counters/perf_event/perf_event.hpp"

namespace plumbline {
namespace {

using Events = const EventNames&;
using Facts = const BackendFacts&;

CodePlace code_by(Facts facts) { return facts.code_of ? facts.code_of() : CodePlace{}; }

constexpr std::array all{BackendEntry{.name = "emulated",
                                      .make = [](Events events, Facts) { return emulated_backend(events); },
                                      .events = [](Facts) { return emulated_events(); }},
                         BackendEntry{.name = "papi",
                                      .make = [](Events events, Facts) { return papi_backend(events); },
                                      .events = [](Facts) { return papi_events(); },
                                      .emulated = papi_emulated_events,
                                      .code = [](const std::string& event, Facts) { return papi_code(event); }},
                         BackendEntry{.name = "perf_event",
                                      .make = [](Events events, Facts facts) { return perf_event_backend(events, facts.perf); },
                                      .events = [](Facts facts) { return perf_event_events(facts.perf); },
                                      .code = [](const std::string& event, Facts facts) { return perf_event_code(event, facts.perf); }},
                         BackendEntry{.name = "cupti",
                                      .make = [](Events events, Facts facts) { return cupti_backend(events, facts.tables); },
                                      .events = [](Facts facts) { return cupti_events(facts.tables); },
                                      .code = [](const std::string& event, Facts) { return cupti_code(event); },
                                      .of_gpu = true},
                         BackendEntry{.name = "disassembled",
                                      .make = [](Events events, Facts facts) { return disassembled_backend(events, code_by(facts)); },
                                      .events = [](Facts facts) { return disassembled_events(code_by(facts)); },
                                      .code = [](const std::string& event, Facts) { return disassembled_code(event); },
                                      .of_gpu = true,
                                      .of_code = true}};

}  // namespace

std::span<const BackendEntry> backends() { return all; }

const BackendEntry* find_backend(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const BackendEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<Backend> make_backend(std::string_view name, const EventNames& events, const BackendFacts& facts) {
  const BackendEntry* entry = find_backend(name);
  return entry == nullptr ? nullptr : entry->make(events, facts);
}

}  // namespace plumbline
