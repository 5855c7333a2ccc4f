#include "app/results/gpu_ceilings_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "core/gpu_device.hpp"
#include "core/records.hpp"
#include "machine/gpu_watch.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/gpu_limits.hpp"

namespace plumbline::app {
namespace {

/// A unit as it is stored and as it is easily read, by level: latencies in ns, launches in us.
struct Shown {
  double value;
  const char* unit;
};
Shown shown(const Ceiling& c) {
  if (c.unit == "GFLOP/s" && c.value >= 1e3) return {1e-3 * c.value, c.precision == "tensor.int8" ? "TOP/s" : "TFLOP/s"};
  if (c.unit != "seconds") return {c.value, c.unit == "GFLOP/s" ? "GFLOP/s" : "GB/s"};
  if (c.level == CeilingKind::overhead) return {1e6 * c.value, "us"};
  return {1e9 * c.value, "ns"};
}

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.1f} %", 100 * part) : "-"; }

void add_row(Table& table, const Ceiling& c) {
  const auto [value, unit] = shown(c);
  if (c.status != Status::ok) {
    table.add({c.name, c.level.word(), "-", "", "", "", "", "", ""});
    table.add_line(wrapped(fmt::format("{}: {}", to_string(c.status), c.reason), 118, "    "));
    return;
  }
  const bool reaches = c.level == "L1" || c.level == "L2";
  table.add({c.name, c.level.word(), plain(value, 4), unit, percent(c.cv), std::to_string(c.n),
             std::isfinite(c.clock_hz) ? fmt::format("{:.0f} MHz", 1e-6 * c.clock_hz) : "-",
             std::isfinite(c.limit) ? percent(c.fraction_of_limit()) : "", reaches ? size_in_bytes(c.size_bytes) : ""});
}

}  // namespace

GpuPlaces gpu_places(std::span<const OutcomeRow> outcomes) {
  GpuPlaces places;
  for (const auto& row : outcomes) {
    if (!row.case_id.starts_with("ceilings/gpu")) continue;
    const Json placement = Json::parse(row.placement, nullptr, false);
    if (!placement.is_object()) continue;
    for (const auto& rank : placement.value("ranks", Json::array())) {
      const Json gpu = rank.value("gpu", Json::object());
      if (!gpu.contains("device")) continue;
      const Json uuid = gpu.value("uuid", Json());
      GpuPlace& place = places[{row.node, gpu_of_name(gpu["device"].get<std::string>())}];
      place.pci = gpu.value("pci", "");
      place.uuid = uuid.is_string() ? uuid.get<std::string>() : "";
      if (const auto span = gpu.find("conditions"); span != gpu.end())
        place.conditions = place.conditions.empty() ? span->dump() : joined_spans(place.conditions, span->dump());
    }
  }
  return places;
}

Json gpu_json(const Ceiling& ceiling, const GpuPlaces& places) {
  if (ceiling.scope != gpu_scope) return {};
  const int device = ceiling.device;
  const auto place = places.find({ceiling.node, device});
  Json gpu{{"device", gpu_word(device)}, {"pci", nullptr}, {"uuid", nullptr}};
  if (place != places.end()) gpu["pci"] = text_or_null(place->second.pci), gpu["uuid"] = text_or_null(place->second.uuid);
  return gpu;
}

Json gpus_json(std::span<const Ceiling> ceilings, const GpuPlaces& places) {
  std::map<std::pair<std::string, int>, GpuIdentity> gpus;
  for (const auto& ceiling : ceilings)
    if (const auto gpu = gpu_of_method(ceiling.method)) gpus.try_emplace({ceiling.node, ceiling.device}, *gpu);
  Json rows = Json::array();
  for (const auto& [which, gpu] : gpus) {
    const auto found = places.find(which);
    const GpuPlace place = found == places.end() ? GpuPlace{} : found->second;
    rows.push_back({{"node", which.first},
                    {"device", gpu_word(which.second)},
                    {"name", gpu.name},
                    {"multiprocessors", gpu.multiprocessors},
                    {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                    {"pci", text_or_null(place.pci)},
                    {"uuid", text_or_null(place.uuid)},
                    {"conditions", place.conditions.empty() ? Json() : Json::parse(place.conditions)}});
  }
  return rows;
}

std::string gpu_ceilings_text(std::span<const Ceiling> ceilings, const GpuPlaces& places) {
  std::map<std::pair<std::string, int>, std::vector<const Ceiling*>> gpus;
  for (const auto& ceiling : ceilings) gpus[{ceiling.node, ceiling.device}].push_back(&ceiling);
  std::string text;
  for (const auto& [which, members] : gpus) {
    const auto gpu = gpu_of_method(members.front()->method);
    const auto place = places.find(which);
    text += fmt::format("\n{}: {}{}", which.first, gpu_word(which.second), gpu ? ", " + gpu->name : "");
    if (place != places.end())
      text += fmt::format(", at {}{}{}", place->second.pci, place->second.uuid.empty() ? "" : ", ", place->second.uuid);
    text += "\n\n";
    Table table({{"ceiling", Align::left},
                 {"level", Align::left},
                 {"best"},
                 {"unit", Align::left},
                 {"CV"},
                 {"n"},
                 {"clock"},
                 {"of limit"},
                 {"reaches"}});
    for (const auto* ceiling : members) add_row(table, *ceiling);
    text += table.text();
  }
  return text;
}

std::vector<std::string> gpu_ceilings_notes(std::span<const Ceiling> ceilings) {
  std::vector<std::string> notes;
  if (ceilings.empty()) return notes;
  notes.emplace_back(
      "GPU: clock is the multiprocessors', measured by the kernel itself while it ran (of a library's kernels, copies and launches: right "
      "after them); of limit: of what they could do at that clock, by their vendor's documents. Cases on CPUs are never held against these "
      "ceilings, nor cases on GPUs against a CPU's");
  for (const auto& c : ceilings)
    if (c.fraction_of_limit() > most_of_limit)
      notes.push_back(fmt::format("{} of {} is {} of its limit: the clock beside it or the limit is wrong ({})", c.name, c.node,
                                  percent(c.fraction_of_limit()), c.limit_source));
  return notes;
}

}  // namespace plumbline::app
