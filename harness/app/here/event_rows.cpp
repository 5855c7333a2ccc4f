#include "app/here/event_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "app/here/gpus.hpp"
#include "app/here/paths.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"
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

BackendFacts backend_facts(const Topology& topology) {
  BackendFacts facts{.tables = all_event_tables(), .code_of = code_of_module};
  facts.perf.table = counters_for(facts.tables, identity_of(this_cpu())).counters;
  facts.perf.virtual_machine = this_cpu().virtual_machine;
  for (const auto& cpu : topology.cpus) facts.perf.package_of_cpu[cpu.cpu] = cpu.package;
  return facts;
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

namespace {

/// A term of a row, with whether the row is of a GPU.
struct ToldTerm {
  const TableEvent* event;
  const Term* term;
  bool of_gpu;
};

Columns<ToldTerm> term_columns() {
  using Row = ToldTerm;
  return {{"event", "event or metric", [](const Row& row) { return row.event->name; }},
          {"raw", "its code, where the table has one",
           [](const Row& row) { return OrNull{row.event->raw ? fmt::format("0x{:x}", *row.event->raw) : ""}; }},
          {"weight", "how much one count of it is", [](const Row& row) { return row.term->weight; }},
          {"kind", "arithmetic that it counts, add, mul or fma; null: another one, or several",
           [](const Row& row) { return OrNull{row.term->kind}; }},
          {"pmu", "unit of the CPU that counts it; null for GPUs",
           [](const Row& row) {
             return OrNull{row.of_gpu ? "" : row.event->pmu.empty() ? "cpu" : row.event->pmu};
           }},
          {"only_slots", "hardware counters that can count it; null: any",
           [](const Row& row) { return row.event->only_slots.empty() ? std::nullopt : std::optional(row.event->only_slots); }}};
}

std::vector<ToldTerm> terms_of(const ToldCounter& row) {
  std::vector<ToldTerm> terms;
  for (std::size_t i = 0; i < row.counter->events.size(); ++i)
    terms.push_back({&row.counter->events[i], &row.counter->counter.terms[i], of_gpu(*row.counter)});
  return terms;
}

}  // namespace

Columns<ToldCounter> table_columns() {
  using Row = ToldCounter;
  return {
      {"kind", "table: a counter of an event table", Json{{"const", "table"}}, [](const Row&) { return "table"; }},
      Column<Row>("name", "name of the counter", [](const Row& row) { return row.counter->counter.name; }).in_row("counter", Align::left),
      {"backend", "what counts it", [](const Row& row) { return row.counter->counter.backend; }},
      {"unit", "what it counts", [](const Row& row) { return unit_of(row.counter->counter.quantities.front()); }},
      Column<Row>("description", "what it claims to see, and by which events",
                  [](const Row& row) { return fmt::format("{} by {}", row.counter->counter.claim(), terms_text(row.counter->counter)); })
          .in_row("counts", Align::left),
      {"family", "family of the event table", &Row::family},
      {"sees", "quantities whose sum it claims to see", [](const Row& row) { return row.counter->counter.quantities; }},
      list_column<Row>("terms", "the events, weighted", term_columns(), terms_of),
      {"slots", "hardware counters that it takes at once; null for GPUs",
       [](const Row& row) { return of_gpu(*row.counter) ? std::nullopt : std::optional(row.counter->slots); }},
      {"scope", "whom it counts for", [](const Row& row) { return to_string(row.counter->scope); }},
      {"not_with", "counters that it cannot stand beside", [](const Row& row) { return row.counter->not_with; }},
      {"errata", "what is known to be wrong with it", [](const Row& row) { return row.counter->errata; }},
      Column<Row>("source", "the document that says so", [](const Row& row) { return row.counter->source; }).in_row("from", Align::left),
      {"checked", "what its codes were checked against", [](const Row& row) { return row.counter->checked; }},
      {"origin", "plumbline, or user", [](const Row& row) { return row.counter->of_user ? "user" : "plumbline"; }},
      {"written_at", "file and line", [](const Row& row) { return row.counter->written_at; }},
      Column<Row>("passes", "passes in which the chip counts it; null: it cannot", [](const Row& row) {
        return *row.passes;
      }).when([](const Row& row) { return row.passes.has_value(); })};
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

/// Says which arithmetic each term of a row counts, where they count different ones: "its terms count add, mul, fma", or nothing.
std::string kinds_text(const Counter& counter) {
  std::vector<std::string> kinds;
  for (const auto& term : counter.terms)
    if (!term.kind.empty() && std::find(kinds.begin(), kinds.end(), term.kind) == kinds.end()) kinds.push_back(term.kind);
  return kinds.size() < 2 ? "" : fmt::format("    its terms count {}\n", fmt::join(kinds, ", "));
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
    text += kinds_text(row.counter);
    for (const auto& one : row.errata) text += wrapped("! " + one, width, "    ") + "\n";
    text += wrapped("from " + row.source, width, "    ") + "\n";
  }
  for (const auto& note : known.notes) text += note + "\n";
  return text;
}

}  // namespace plumbline::app
