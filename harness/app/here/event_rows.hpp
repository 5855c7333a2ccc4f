// The event tables are listed as this program finds them, with the rows for the CPU that runs it.
#pragma once
#include "app/terminal/columns.hpp"
#include "counters/registry.hpp"
#include "counters/tables/event_table.hpp"
#include "machine/cpu.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The event tables that are ours (installed, or in the source tree) and those that PLUMBLINE_EVENTS_PATH names. Throws Error (user) on a
/// bad one.
EventTables all_event_tables();

CpuIdentity identity_of(const Cpu& cpu);

/// The facts for backends: this CPU's events and where its CPUs lie, for perf_event; the tables of GPUs' chips, for CUPTI; and where this
/// program's own code for GPUs lies.
BackendFacts backend_facts(const Topology& topology);

/// The weighted sum of a counter as text: "4 x EVENT + 8 x EVENT".
std::string terms_text(const Counter& counter);

/// A counter of an event table, as listings have it.
struct ToldCounter {
  std::string family;
  const TableCounter* counter;
  std::optional<std::optional<std::size_t>> passes =
      {};  // of a chip whose metrics were looked for; absent in it where it cannot be counted
};

/// A listing for programs; and all rows for people: what is counted, how, and what is known to be wrong with it.
Columns<ToldCounter> table_columns();
std::string table_text(const KnownCounters& known);

}  // namespace plumbline::app
