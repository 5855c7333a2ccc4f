// The event tables are listed as this program finds them, with the rows for the CPU that runs it.
#pragma once
#include "app/terminal/table.hpp"
#include "counters/tables/event_table.hpp"
#include "machine/cpu.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The event tables that are ours (installed, or in the source tree) and those that PLUMBLINE_EVENTS_PATH names. Throws Error (user) on a
/// bad one.
EventTables all_event_tables();

CpuIdentity identity_of(const Cpu& cpu);

/// Tells perf_event what this CPU's events are called and where its CPUs lie, and CUPTI which table is whose chip's. It is called before
/// backends are made.
void tell_backends(const Topology& topology);

/// The weighted sum of a counter as text: "4 x EVENT + 8 x EVENT".
std::string terms_text(const Counter& counter);

/// A row of a listing for programs, and all rows for people: what is counted, how, and what is known to be wrong with it.
Json table_row(const std::string& family, const TableCounter& counter);
std::string table_text(const KnownCounters& known);

}  // namespace plumbline::app
