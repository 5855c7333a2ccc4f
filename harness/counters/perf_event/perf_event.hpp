// Hardware and software counters are read by the kernel's perf_event alone: one pinned group at a time, and a count only where it ran all
// the time.
#pragma once
#include <memory>

#include "counters/backend/backend.hpp"
#include "counters/perf_event/perf_kernel.hpp"
#include "counters/perf_event/perf_names.hpp"
#include "counters/registry.hpp"

namespace plumbline {

/// Sets what this process counts with; called once, before backends are made. Without it there is no event table, and this process reads
/// every socket's shared PMUs.
void set_perf_facts(PerfFacts facts);
/// Sets who else counts at the same time on this node, and which of them this is: backends made from now on read only the sockets that are
/// this rank's, and say of others who counts them.
void set_perf_team(const std::vector<RankCpus>& ranks, int rank);

/// Makes a backend for these events; for none, for cycles, instructions and the rows of the event table, as far as they can be counted here
/// (software events are counted when they are named). Groups hold what opens and runs together, found by trying; in a virtual machine,
/// whose host may lack the counters that it shows, no more than four events, and merge events alone.
std::unique_ptr<Backend> perf_event_backend(const EventNames& events);
/// The events that it knows here, each with what stands in its way.
std::vector<EventDescription> perf_event_events();
/// The code of each opening of an event: "type 4 config 0x1f03".
std::string perf_event_code(const std::string& event);

inline constexpr std::size_t any_number_of_events = static_cast<std::size_t>(-1);
/// Makes a backend on another kernel, of other events: for tests.
std::unique_ptr<Backend> perf_event_backend_on(PerfKernel& kernel, std::vector<PerfEvent> events,
                                               std::size_t most_together = any_number_of_events);

}  // namespace plumbline
