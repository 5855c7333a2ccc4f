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

Json outlook_rows(const CountingOutlook& outlook) {
  Json rows = Json::array();
  for (const auto& way : outlook.ways)
    rows.push_back({{"quantity", way.quantity},
                    {"backend", way.backend},
                    {"counter", text_or_null(way.counter)},
                    {"sees", text_or_null(way.sees)},
                    {"status", to_string(way.status)},
                    {"reason", text_or_null(way.reason)},
                    {"next", text_or_null(way.next)},
                    {"caveats", way.caveats}});
  return rows;
}

std::string outlook_text(const CountingOutlook& outlook) {
  constexpr std::size_t width = 116;
  std::vector<std::string> obstacles;
  Table table({{"quantity", Align::left},
               {"backend", Align::left},
               {"counter", Align::left},
               {"sees", Align::left},
               {"status", Align::left},
               {"caveats"}});
  std::string last;
  for (const auto& way : outlook.ways) {
    std::string status(to_string(way.status)), known;
    if (way.status != Status::ok) {
      const std::string obstacle = way.next.empty() ? way.reason : way.reason + "\n-> " + way.next;
      auto found = std::find(obstacles.begin(), obstacles.end(), obstacle);
      if (found == obstacles.end()) found = obstacles.insert(obstacles.end(), obstacle);
      status += fmt::format(" [{}]", found - obstacles.begin() + 1);
    }
    if (!way.caveats.empty()) known = std::to_string(way.caveats.size());
    table.add({way.quantity == last ? "" : way.quantity, way.backend, way.counter.empty() ? "-" : way.counter,
               way.sees.empty() ? "-" : way.sees, status, known});
    last = way.quantity;
  }
  std::string text = table.text();
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
