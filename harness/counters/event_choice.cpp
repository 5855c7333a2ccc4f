// Which of the tables' counters are this CPU's. Needs no TOML, as all that works on the structs alone.
#include <algorithm>

#include "core/error.hpp"
#include "counters/event_table.hpp"

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

template <class Wanted>
KnownCounters choose(const EventTables& tables, const Wanted& wanted) {
  KnownCounters known;
  for (const bool users : {false, true})
    for (const auto& table : users ? tables.users : tables.ours) {
      if (!wanted(table)) continue;
      if (known.family.empty()) known.family = table.family;
      for (const auto& row : table.counters) add(known, row, users);
    }
  return known;
}

}  // namespace

std::string_view to_string(Scope scope) { return scope == Scope::core ? "core" : "socket"; }

bool CpuMatch::fits(const CpuIdentity& cpu) const {
  return vendor == cpu.vendor && (!family || *family == cpu.family) && first_model <= cpu.model && cpu.model <= last_model &&
         first_stepping <= cpu.stepping && cpu.stepping <= last_stepping;
}

bool EventTable::fits(const CpuIdentity& cpu) const {
  return std::any_of(matches.begin(), matches.end(), [&](const CpuMatch& match) { return match.fits(cpu); });
}

KnownCounters counters_for(const EventTables& tables, const CpuIdentity& cpu) {
  return choose(tables, [&](const EventTable& table) { return table.fits(cpu); });
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
