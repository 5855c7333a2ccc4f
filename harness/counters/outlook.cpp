#include "counters/outlook.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "core/quantity_parts.hpp"

namespace plumbline {
namespace {

// An obstacle is what stands in the way of a counter, and what to do about it.
struct Obstacle {
  Status status = Status::ok;
  std::string reason = {}, next = {};
};

const char* const use_the_emulator = "count with the emulated counters, which need no PMU";

std::string paranoid_text(const CountingFacts& facts) {
  return facts.paranoid ? "kernel.perf_event_paranoid is " + std::to_string(*facts.paranoid) : "this kernel has no perf_event";
}

Obstacle permission(const CountingFacts& facts, int needed, const std::string& what) {
  return {Status::permission, paranoid_text(facts) + ", " + what + " needs " + std::to_string(needed) + " or less",
          "as root: sysctl kernel.perf_event_paranoid=" + std::to_string(needed) +
              " (in a container also allow the system call perf_event_open)"};
}

// The core's own counters: the same for each of them.
Obstacle core_obstacle(const CountingFacts& facts) {
  if (!facts.paranoid) return {Status::unavailable, paranoid_text(facts), std::string("a kernel with perf_event; or ") + use_the_emulator};
  switch (facts.pmu_error) {
    case 0:
      return {};
    case EACCES:
    case EPERM:
      if (*facts.paranoid > 2 && !facts.privileged) return permission(facts, 2, "counting one's own user code");
      return {Status::permission, std::string("perf_event_open: ") + std::strerror(facts.pmu_error) + " although " + paranoid_text(facts),
              "in a container allow the system call perf_event_open (docker --cap-add PERFMON, or its seccomp profile)"};
    case EBUSY:
      return {Status::stolen, "another user holds the PMU",
              "end other profilers on this node (perf, a monitoring daemon), or ask for an exclusive one"};
    case ENODATA:
      return {Status::masked, "the PMU opens, but its counters stay at 0: a hypervisor masks them",
              std::string("a bare-metal node; or ") + use_the_emulator};
    default:
      return {Status::unavailable,
              facts.virtual_machine ? "this virtual machine's host shows no PMU"
                                    : std::string("no PMU: perf_event_open: ") + std::strerror(facts.pmu_error),
              std::string("a bare-metal node; or ") + use_the_emulator};
  }
}

bool has_pmu(const CountingFacts& facts, const std::string& kind) {
  return std::any_of(facts.pmus.begin(), facts.pmus.end(), [&](const std::string& name) {
    return name == kind || (name.starts_with(kind + "_") && name.find_first_not_of("0123456789", kind.size() + 1) == name.npos);
  });
}

Obstacle socket_obstacle(const CountingFacts& facts, const TableCounter& row) {
  if (!facts.paranoid) return core_obstacle(facts);
  for (const auto& event : row.events)
    if (!has_pmu(facts, event.pmu))
      return {Status::unavailable,
              "no PMU " + event.pmu + " in /sys/bus/event_source/devices" +
                  (facts.virtual_machine ? ": this virtual machine's host shows none" : ""),
              facts.virtual_machine ? std::string("a bare-metal node; or ") + use_the_emulator
                                    : "load the kernel's driver for it (modprobe), or a newer kernel; or " + std::string(use_the_emulator)};
  if (!facts.privileged && *facts.paranoid > 0) return permission(facts, 0, "a counter that the whole socket shares");
  return {};
}

bool is_of(const std::string& name, const std::string& quantity) { return name == quantity || name.starts_with(quantity + "."); }

bool sees(const TableCounter& row, const std::string& quantity) {
  const auto& all = row.counter.quantities;
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return is_of(one, quantity); });
}

bool any_sees(const std::vector<TableCounter>& rows, const std::string& quantity) {
  return std::any_of(rows.begin(), rows.end(), [&](const TableCounter& row) { return sees(row, quantity); });
}

std::vector<std::string> quantities_of(const CountingFacts& facts) {
  std::vector<std::string> all{"flops.fp64", "flops.fp32"};
  for (const char* narrow : {"flops.fp16", "flops.bf16"})
    if (any_sees(facts.known.counters, narrow)) all.emplace_back(narrow);
  for (const auto& boundary : facts.boundaries) all.push_back("bytes." + boundary);
  return all;
}

// A core's counters are 4 (Intel with two threads a core, POWER), 6 (AMD, Arm) or 8: where 4 are needed, a lost one matters.
constexpr int slots_everywhere = 4;

CountingWay way_of(const CountingFacts& facts, const TableCounter& row, const std::string& quantity, const Obstacle& core) {
  const Obstacle obstacle = row.scope == Scope::socket ? socket_obstacle(facts, row) : core;
  CountingWay way{quantity,        row.counter.backend, row.counter.name, row.counter.claim(),   obstacle.status,
                  obstacle.reason, obstacle.next,       row.errata,       row.counter.quantities};
  if (facts.watchdog && row.scope == Scope::core && row.slots >= slots_everywhere)
    way.caveats.push_back("the NMI watchdog holds a counter, and this one needs " + std::to_string(row.slots) +
                          ": it may be split into two groups (as root: sysctl kernel.nmi_watchdog=0)");
  return way;
}

CountingWay emulated_way(const CountingFacts& facts, const std::string& quantity) {
  CountingWay way{quantity, "emulated", "emulated." + quantity, quantity, facts.emulated.status, facts.emulated.reason, "", {}, {quantity}};
  const auto& events = facts.emulated_events;
  if (!facts.emulated.ok()) {
    way.next = "apt-get install valgrind; build with -DPLUMBLINE_WITH_EMULATOR=ON";
  } else if (std::none_of(events.begin(), events.end(), [&](const std::string& event) { return is_of(event, quantity); })) {
    way.status = Status::unavailable;
    way.reason = "the emulated counters have no event for it";
  }
  if (quantity.starts_with("bytes.") && quantity != "bytes.reg-L1") way.caveats.emplace_back("by simulated caches");
  return way;
}

CountingWay no_row(const CountingFacts& facts, const std::string& quantity) {
  CountingWay way{quantity, "perf_event", "", "", Status::unavailable, "", "", {}};
  if (facts.known.family.empty()) {
    way.reason = "no event table for " + facts.cpu;
    way.next = "name one of your own in PLUMBLINE_EVENTS_PATH (harness/counters/events/README.md)";
  } else {
    way.reason = "no event of " + facts.known.family + " is known to see it";
    way.next = "plumbline list counters; a row of your own in PLUMBLINE_EVENTS_PATH";
  }
  return way;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Parts of a quantity that nothing which works sees; all of them where `emulated` or the machine's own counters see none.
std::vector<std::string> unseen_parts(const CountingOutlook& outlook, const std::string& quantity, bool emulated) {
  std::set<std::string> seen;
  for (const auto& way : outlook.ways)
    if (way.quantity == quantity && way.status == Status::ok && (way.backend == "emulated") == emulated)
      seen.merge(parts_seen(way.claims, area_of(quantity)));
  auto parts = needed_parts(quantity);
  std::erase_if(parts, [&](const std::string& part) { return seen.contains(part); });
  return parts;
}

// Adds notes that say plainly what is missing, and what works all the same.
void add_notes(const std::vector<std::string>& quantities, CountingOutlook& outlook) {
  std::vector<std::string> hardware, nothing;
  for (const auto& quantity : quantities) {
    const auto unseen = unseen_parts(outlook, quantity, false);
    if (unseen.empty()) continue;
    const bool seen_in_part = unseen.size() < needed_parts(quantity).size();
    if (seen_in_part)
      outlook.notes.push_back("the machine's own counters see " + quantity + " only in part: nothing here counts " + joined(unseen));
    if (unseen_parts(outlook, quantity, true).empty())
      hardware.push_back(quantity);
    else if (!seen_in_part)
      nothing.push_back(quantity);
  }
  if (!hardware.empty()) outlook.notes.push_back("only the emulated counters count " + joined(hardware) + " here");
  if (nothing.empty()) return;
  outlook.notes.push_back((nothing.size() == quantities.size() ? "nothing here can count: no witness for " : "nothing here counts ") +
                          joined(nothing) + "; ceilings and timings still work, and kernels' arithmetic intensity is the model's");
}

}  // namespace

CountingOutlook look_out(const CountingFacts& facts) {
  const auto quantities = quantities_of(facts);
  const Obstacle core = core_obstacle(facts);
  CountingOutlook outlook;
  for (const auto& quantity : quantities) {
    outlook.ways.push_back(emulated_way(facts, quantity));
    for (const auto& row : facts.known.counters)
      if (sees(row, quantity)) outlook.ways.push_back(way_of(facts, row, quantity, core));
    if (!any_sees(facts.known.counters, quantity)) outlook.ways.push_back(no_row(facts, quantity));
  }
  add_notes(quantities, outlook);
  outlook.notes.insert(outlook.notes.end(), facts.known.notes.begin(), facts.known.notes.end());
  return outlook;
}

}  // namespace plumbline
