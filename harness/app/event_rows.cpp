#include "app/event_rows.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "app/paths.hpp"
#include "counters/perf_event.hpp"

namespace plumbline::app {

EventTables all_event_tables() {
  const char* users = std::getenv("PLUMBLINE_EVENTS_PATH");
  return read_event_tables(find_shared("harness/counters/events"), users == nullptr ? "" : users);
}

void tell_perf_event(const Topology& topology) {
  PerfFacts facts;
  facts.table = counters_for(all_event_tables(), identity_of(this_cpu())).counters;
  for (const auto& cpu : topology.cpus) facts.package_of_cpu[cpu.cpu] = cpu.package;
  set_perf_facts(std::move(facts));
}

CpuIdentity identity_of(const Cpu& cpu) { return {cpu.vendor, cpu.family, cpu.model, cpu.stepping}; }

std::string terms_text(const Counter& counter) {
  std::string text;
  for (const auto& term : counter.terms)
    text += (text.empty() ? "" : " + ") + (term.weight == 1 ? "" : fmt::format("{:g} x ", term.weight)) + term.event;
  return text;
}

Json table_row(const std::string& family, const TableCounter& counter) {
  Json terms = Json::array();
  for (std::size_t i = 0; i < counter.events.size(); ++i)
    terms.push_back({{"event", counter.events[i].name},
                     {"raw", counter.events[i].raw ? Json(fmt::format("0x{:x}", *counter.events[i].raw)) : Json()},
                     {"weight", counter.counter.terms[i].weight},
                     {"pmu", counter.events[i].pmu.empty() ? "cpu" : counter.events[i].pmu}});
  return {{"kind", "table"},
          {"name", counter.counter.name},
          {"backend", counter.counter.backend},
          {"unit", counter.counter.kind == Kind::bytes ? "bytes" : "operations"},
          {"description", fmt::format("{} by {}", counter.counter.claim(), terms_text(counter.counter))},
          {"family", family},
          {"sees", counter.counter.quantities},
          {"terms", terms},
          {"slots", counter.slots},
          {"scope", to_string(counter.scope)},
          {"errata", counter.errata},
          {"source", counter.source},
          {"checked", counter.checked},
          {"written_at", counter.written_at}};
}

std::string table_text(const KnownCounters& known) {
  constexpr std::size_t width = 116;
  std::string text;
  for (const auto& row : known.counters) {
    text += row.counter.name + "\n";
    text += wrapped(fmt::format("{} = {}", row.counter.claim(), terms_text(row.counter)), width, "    ") + "\n";
    text += fmt::format("    {} counter{} of the {}; code {}\n", row.slots, row.slots == 1 ? "" : "s", to_string(row.scope),
                        row.checked.starts_with("libpfm4") ? "as " + row.checked + " encodes it" : "from a " + row.checked);
    for (const auto& one : row.errata) text += wrapped("! " + one, width, "    ") + "\n";
    text += wrapped("from " + row.source, width, "    ") + "\n";
  }
  for (const auto& note : known.notes) text += note + "\n";
  return text;
}

}  // namespace plumbline::app
