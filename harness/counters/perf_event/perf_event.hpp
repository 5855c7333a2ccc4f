// Hardware and software counters are read by the kernel's perf_event alone: one pinned group at a time, and a count only where it ran all
// the time.
#pragma once
#include <memory>

#include "counters/backend/backend.hpp"
#include "counters/perf_event/perf_kernel.hpp"
#include "counters/perf_event/perf_names.hpp"

namespace plumbline {

/// A backend for these events; for none, cycles, instructions and the event table's rows, as far as they count here (software events
/// are counted when they are named). Groups hold what opens and runs together, found by trying; in a virtual machine, whose host may lack
/// the counters that it shows, no more than four events, and merge events alone.
std::unique_ptr<Backend> perf_event_backend(const EventNames& events, const PerfFacts& facts = {});
/// All it knows here, each with what stands in its way.
std::vector<EventDescription> perf_event_events(const PerfFacts& facts = {});
/// The code of an event, "type 4 config 0x1f03", for each of its openings.
std::string perf_event_code(const std::string& event, const PerfFacts& facts);

inline constexpr std::size_t any_number_of_events = static_cast<std::size_t>(-1);
/// Makes a backend on another kernel, of other events: for tests.
std::unique_ptr<Backend> perf_event_backend_on(PerfKernel& kernel, std::vector<PerfEvent> events,
                                               std::size_t most_together = any_number_of_events);

}  // namespace plumbline
