#include "app/here/counting_outlook.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/here/event_rows.hpp"
#include "counters/emulated/emulated.hpp"
#include "counters/perf_event/pmu_sysfs.hpp"
#include "machine/capability.hpp"
#include "machine/system_file.hpp"
#include "machine/topology.hpp"
#include "measure/emulator_installation.hpp"

namespace plumbline::app {
namespace {

// CAP_PERFMON, or CAP_SYS_ADMIN, which held this right before.
bool may_use_perf() {
  const auto held = field_of("/proc/self/status", "CapEff");
  const std::uint64_t capabilities = held ? std::strtoull(held->c_str(), nullptr, 16) : 0;
  return (capabilities >> 38U & 1U) != 0 || (capabilities >> 21U & 1U) != 0;
}

std::vector<std::string> boundaries_of(const Topology& topology) {
  std::vector<std::string> all{"reg-L1"};
  const auto levels = cache_levels(topology);
  for (std::size_t i = 0; i < levels.size(); ++i)
    all.push_back(levels[i].name + "-" + (i + 1 < levels.size() ? levels[i + 1].name : "mem"));
  return levels.empty() ? CountingFacts{}.boundaries : all;
}

}  // namespace

CountingFacts counting_facts_here() {
  const Cpu& cpu = this_cpu();
  const PmuAttempt attempt = try_pmu(cpu);
  CountingFacts facts;
  facts.cpu = fmt::format("{} ({} family {} model {})", cpu.name, cpu.vendor, cpu.family, cpu.model);
  facts.virtual_machine = cpu.virtual_machine;
  facts.pmu_error = attempt.error;
  facts.paranoid = attempt.paranoid;
  facts.privileged = may_use_perf();
  facts.watchdog = first_line("/proc/sys/kernel/nmi_watchdog").value_or("0") != "0";
  for (const auto& pmu : read_pmus()) facts.pmus.push_back(pmu.name);
  facts.known = counters_for(all_event_tables(), identity_of(cpu));
  facts.emulated = find_emulator().availability;
  for (const auto& event : emulated_events()) facts.emulated_events.emplace_back(event.name);
  facts.boundaries = boundaries_of(this_topology());
  return facts;
}

namespace {

/// A way with what its line says of it; `obstacle` counts from 1.
struct ShownWay {
  const CountingWay* way;
  bool is_first;  // of its quantity
  std::size_t obstacle;
};

/// The obstacle in words, and what to do about it on a line of its own.
std::string obstacle_of(const CountingWay& way) { return way.next.empty() ? way.reason : way.reason + "\n-> " + way.next; }

/// The ways, and each obstacle once.
std::pair<std::vector<ShownWay>, std::vector<std::string>> shown_ways(const CountingOutlook& outlook) {
  std::vector<ShownWay> ways;
  std::vector<std::string> obstacles;
  for (const auto& way : outlook.ways) {
    ways.push_back({&way, ways.empty() || ways.back().way->quantity != way.quantity, 0});
    if (way.status == Status::ok) continue;
    auto found = std::find(obstacles.begin(), obstacles.end(), obstacle_of(way));
    if (found == obstacles.end()) found = obstacles.insert(obstacles.end(), obstacle_of(way));
    ways.back().obstacle = static_cast<std::size_t>(found - obstacles.begin()) + 1;
  }
  return {std::move(ways), std::move(obstacles)};
}

std::string status_text(const ShownWay& row) {
  return row.obstacle == 0 ? "ok" : fmt::format("{} [{}]", to_string(row.way->status), row.obstacle);
}

std::string caveats_text(const ShownWay& row) { return row.way->caveats.empty() ? "" : std::to_string(row.way->caveats.size()); }

auto text_or_dash(std::string CountingWay::*text) {
  return [text](const ShownWay& row) { return (row.way->*text).empty() ? "-" : row.way->*text; };
}

auto or_null(std::string CountingWay::*text) {
  return [text](const ShownWay& row) { return OrNull{row.way->*text}; };
}

Columns<ShownWay> way_columns() {
  using Row = ShownWay;
  using Way = CountingWay;
  return {Column<Row>("quantity", "what is to be counted", [](const Row& row) { return row.way->quantity; })
              .in_row("quantity", Align::left, [](const Row& row) { return row.is_first ? row.way->quantity : ""; }),
          Column<Row>("backend", "who could count it", [](const Row& row) { return row.way->backend; }).in_row("backend", Align::left),
          Column<Row>("counter", "name of the counter", or_null(&Way::counter)).in_row("counter", Align::left, text_or_dash(&Way::counter)),
          Column<Row>("sees", "what of the quantity it sees", or_null(&Way::sees)).in_row("sees", Align::left, text_or_dash(&Way::sees)),
          Column<Row>("status", "ok, or in a word what stands in the way", [](const Row& row) { return row.way->status; })
              .in_row("status", Align::left, status_text),
          {"reason", "what stands in the way", or_null(&Way::reason)},
          {"next", "what to do about it", or_null(&Way::next)},
          Column<Row>("caveats", "what is known of it although it can be used", [](const Row& row) {
            return row.way->caveats;
          }).in_row("caveats", Align::right, caveats_text)};
}

}  // namespace

Column<CountingOutlook> counting_column() {
  return list_column<CountingOutlook>("counting", "ways to count, by quantity", way_columns(),
                                      [](const CountingOutlook& outlook) { return shown_ways(outlook).first; });
}

std::string outlook_text(const CountingOutlook& outlook) {
  constexpr std::size_t width = 116;
  const auto [ways, obstacles] = shown_ways(outlook);
  std::string text = aligned(way_columns(), ways);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    const auto end = std::min(obstacles[i].find('\n'), obstacles[i].size());
    text += wrapped(fmt::format("[{}] {}", i + 1, obstacles[i].substr(0, end)), width, "  ") + "\n";
    if (end < obstacles[i].size()) text += wrapped(obstacles[i].substr(end + 1), width, "      ") + "\n";
  }
  text += "what the caveats say: plumbline list counters\n";
  for (const auto& note : outlook.notes) text += wrapped("note: " + note, width, "") + "\n";
  return text;
}

}  // namespace plumbline::app
