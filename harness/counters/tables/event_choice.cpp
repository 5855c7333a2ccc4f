// Some of the tables' counters are this CPU's. This needs no TOML, as all that works on the structs alone.
#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {
namespace {

// A user's row of the same name stands in the place of ours.
void add(KnownCounters& known, const TableCounter& row, bool users) {
  const auto same = [&](const TableCounter& other) { return other.counter.name == row.counter.name; };
  const auto found = std::find_if(known.counters.begin(), known.counters.end(), same);
  if (found == known.counters.end()) {
    known.counters.push_back(row);
    return;
  }
  if (users) known.notes.push_back("'" + row.counter.name + "' of " + row.written_at + " replaces the row of " + found->written_at);
  *found = row;
}

bool same_code(const TableEvent& a, const TableEvent& b) { return a.pmu == b.pmu && a.raw == b.raw; }

// Counts are kept by the event's name: it must mean one thing.
void require_one_meaning(const KnownCounters& known) {
  std::map<std::string, std::pair<const TableEvent*, const TableCounter*>> met;
  for (const auto& row : known.counters)
    for (const auto& event : row.events) {
      const auto [first, is_new] = met.emplace(event.name, std::pair(&event, &row));
      if (is_new || same_code(*first->second.first, event)) continue;
      throw user_error("event tables: '" + event.name + "' has one code in '" + row.counter.name + "' (" + row.written_at +
                       ") and another one in '" + first->second.second->counter.name + "' (" + first->second.second->written_at +
                       "); counts are kept by name: call one of them otherwise");
    }
}

std::string text_of(const CpuIdentity& cpu) {
  return cpu.vendor + " family " + std::to_string(cpu.family) + " model " + std::to_string(cpu.model);
}

void note_unknown_neighbours(KnownCounters& known) {
  for (const auto& row : known.counters)
    for (const auto& other : row.not_with)
      if (std::none_of(known.counters.begin(), known.counters.end(), [&](const TableCounter& c) { return c.counter.name == other; }))
        known.notes.push_back("'" + row.counter.name + "' of " + row.written_at + " is not_with '" + other +
                              "', which is no counter of this CPU");
}

template <class Wanted>
KnownCounters choose(const EventTables& tables, const Wanted& wanted) {
  KnownCounters known;
  for (const bool users : {false, true})
    for (const auto& table : users ? tables.users : tables.ours) {
      if (!wanted(table)) continue;
      if (known.family.empty()) known.family = table.family, known.chips = table.chips;
      for (TableCounter row : table.counters) {
        row.of_user = users;
        row.table_hash = table.hash;
        add(known, row, users);
      }
    }
  require_one_meaning(known);
  note_unknown_neighbours(known);
  return known;
}

}  // namespace

std::string_view to_string(Scope scope) {
  constexpr std::string_view names[] = {"core", "socket", "sm", "device"};
  return names[static_cast<std::size_t>(scope)];
}

bool CpuMatch::fits(const CpuIdentity& cpu) const {
  return vendor == cpu.vendor && (!family || *family == cpu.family) && first_model <= cpu.model && cpu.model <= last_model &&
         first_stepping <= cpu.stepping && cpu.stepping <= last_stepping;
}

bool EventTable::fits(const CpuIdentity& cpu) const {
  return chips.empty() &&
         (matches.empty() || std::any_of(matches.begin(), matches.end(), [&](const CpuMatch& match) { return match.fits(cpu); }));
}

KnownCounters counters_for(const EventTables& tables, const CpuIdentity& cpu, std::string_view backend) {
  auto known = choose(tables, [&](const EventTable& table) { return table.backend == backend && table.fits(cpu); });
  for (const auto& table : tables.users)
    if (table.backend == backend && !table.fits(cpu))
      known.notes.push_back(table.file + " (" + table.family + ") is for another CPU: its 'match' does not fit " + text_of(cpu));
  return known;
}

KnownCounters counters_for_chip(const EventTables& tables, std::string_view chip) {
  return choose(tables,
                [&](const EventTable& table) { return std::find(table.chips.begin(), table.chips.end(), chip) != table.chips.end(); });
}

KnownCounters counters_of_family(const EventTables& tables, std::string_view family) {
  const auto known = choose(tables, [&](const EventTable& table) { return table.family == family; });
  if (!known.family.empty()) return known;
  std::string families;
  for (const auto* list : {&tables.ours, &tables.users})
    for (const auto& table : *list)
      if (families.find(table.family) == families.npos) families += (families.empty() ? "" : ", ") + table.family;
  throw user_error("there is no event table of family '" + std::string(family) + "'; known are " + (families.empty() ? "none" : families));
}

}  // namespace plumbline
