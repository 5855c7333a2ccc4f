#include "app/here/event_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "app/here/gpus.hpp"
#include "app/here/paths.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"
#include "counters/cupti/cupti.hpp"
#include "counters/perf_event/perf_event.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {

namespace {

/// Scores and sets name counters: a row's name must not be that of one of this program's own counters.
void require_names_of_their_own(const EventTables& tables) {
  for (const auto& table : tables.users)
    for (const auto& row : table.counters)
      for (const auto& own : known_counters())
        if (own.name == row.counter.name)
          throw user_error(
              fmt::format("{}: '{}' is the name of one of this program's own counters; call it otherwise", row.written_at, own.name));
}

}  // namespace

EventTables all_event_tables() {
  const char* users = std::getenv("PLUMBLINE_EVENTS_PATH");
  EventTables tables = read_event_tables(find_shared("harness/counters/events"), users == nullptr ? "" : users);
  require_names_of_their_own(tables);
  return tables;
}

void tell_backends(const Topology& topology) {
  PerfFacts facts;
  facts.table = counters_for(all_event_tables(), identity_of(this_cpu())).counters;
  facts.virtual_machine = this_cpu().virtual_machine;
  for (const auto& cpu : topology.cpus) facts.package_of_cpu[cpu.cpu] = cpu.package;
  set_perf_facts(std::move(facts));
  set_cupti_rows([](const std::string& chip) { return counters_for_chip(all_event_tables(), chip).counters; });
  set_code_place(code_of_module);
}

CpuIdentity identity_of(const Cpu& cpu) { return {cpu.vendor, cpu.family, cpu.model, cpu.stepping}; }

std::string terms_text(const Counter& counter) {
  std::string text;
  for (const auto& term : counter.terms)
    text += (text.empty() ? "" : " + ") + (term.weight == 1 ? "" : fmt::format("{:g} x ", term.weight)) + term.event;
  return text;
}

namespace {

bool of_gpu(const TableCounter& row) { return row.scope == Scope::sm || row.scope == Scope::device; }

}  // namespace

Json table_row(const std::string& family, const TableCounter& counter) {
  Json terms = Json::array();
  for (std::size_t i = 0; i < counter.events.size(); ++i)
    terms.push_back({{"event", counter.events[i].name},
                     {"raw", counter.events[i].raw ? Json(fmt::format("0x{:x}", *counter.events[i].raw)) : Json()},
                     {"weight", counter.counter.terms[i].weight},
                     {"pmu", of_gpu(counter) ? Json() : Json(counter.events[i].pmu.empty() ? "cpu" : counter.events[i].pmu)},
                     {"only_slots", counter.events[i].only_slots.empty() ? Json() : Json(counter.events[i].only_slots)}});
  return {{"kind", "table"},
          {"name", counter.counter.name},
          {"backend", counter.counter.backend},
          {"unit", unit_of(counter.counter.quantities.front())},
          {"description", fmt::format("{} by {}", counter.counter.claim(), terms_text(counter.counter))},
          {"family", family},
          {"sees", counter.counter.quantities},
          {"terms", terms},
          {"slots", of_gpu(counter) ? Json() : Json(counter.slots)},
          {"scope", to_string(counter.scope)},
          {"not_with", counter.not_with},
          {"errata", counter.errata},
          {"source", counter.source},
          {"checked", counter.checked},
          {"origin", counter.of_user ? "user" : "plumbline"},
          {"written_at", counter.written_at}};
}

namespace {

/// Says where the code of a row is from. Only our own rows are held against the library again by a test.
std::string origin_of_code(const TableCounter& row) {
  if (row.checked.starts_with("vendor manual")) return "from a " + row.checked;
  const std::string as = "as " + row.checked + (of_gpu(row) ? " knows it" : " encodes it");
  return row.of_user ? "said to be " + as + " (not checked here)" : as;
}

/// Says where an event may be counted: ", only on 0, 1, 2, 3", ", not beside l1_fills".
std::string places_text(const TableCounter& row) {
  std::string text;
  std::vector<std::vector<int>> told;
  for (const auto& event : row.events) {
    if (event.only_slots.empty() || std::find(told.begin(), told.end(), event.only_slots) != told.end()) continue;
    text += fmt::format("{}only on {}", text.empty() ? ", " : " and ", fmt::join(event.only_slots, ", "));
    told.push_back(event.only_slots);
  }
  return text + (row.not_with.empty() ? "" : fmt::format(", not beside {}", fmt::join(row.not_with, ", ")));
}

}  // namespace

std::string table_text(const KnownCounters& known) {
  constexpr std::size_t width = 116;
  std::string text;
  for (const auto& row : known.counters) {
    text += row.counter.name + "\n";
    text += wrapped(fmt::format("{} = {}", row.counter.claim(), terms_text(row.counter)), width, "    ") + "\n";
    if (of_gpu(row))
      text += fmt::format("    counted {}; {}\n", row.scope == Scope::sm ? "in the SMs" : "for the whole device", origin_of_code(row));
    else
      text += fmt::format("    {} counter{} of the {}{}; code {}\n", row.slots, row.slots == 1 ? "" : "s", to_string(row.scope),
                          places_text(row), origin_of_code(row));
    for (const auto& one : row.errata) text += wrapped("! " + one, width, "    ") + "\n";
    text += wrapped("from " + row.source, width, "    ") + "\n";
  }
  for (const auto& note : known.notes) text += note + "\n";
  return text;
}

}  // namespace plumbline::app
