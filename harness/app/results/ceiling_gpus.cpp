#include "app/results/ceiling_gpus.hpp"

#include <fmt/format.h>

#include "core/gpu_device.hpp"
#include "core/records.hpp"
#include "machine/gpu_watch.hpp"

namespace plumbline::app {
namespace {

GpuPlace gpu_place(const std::string& node, int device, const GpuPlaces& places) {
  const auto found = places.find({node, device});
  return found == places.end() ? GpuPlace{} : found->second;
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

std::vector<MeasuredGpu> measured_gpus(std::span<const Ceiling> ceilings, const GpuPlaces& places) {
  std::map<std::pair<std::string, int>, MeasuredGpu> gpus;
  for (const auto& c : ceilings)
    if (const auto gpu = gpu_of_method(c.method))
      gpus.try_emplace({c.node, c.device}, MeasuredGpu{c.node, c.device, *gpu, gpu_place(c.node, c.device, places)});
  std::vector<MeasuredGpu> all;
  for (auto& [which, gpu] : gpus) all.push_back(std::move(gpu));
  return all;
}

Columns<MeasuredGpu> gpu_columns() {
  using Row = MeasuredGpu;
  return {{"node", "node that it is in", &Row::node},
          {"device", "which of the node's GPUs it is, as GPU0", [](const Row& gpu) { return gpu_word(gpu.device); }},
          {"name", "name of its model", [](const Row& gpu) { return gpu.identity.name; }},
          {"multiprocessors", "how many multiprocessors it has", [](const Row& gpu) { return gpu.identity.multiprocessors; }},
          {"compute_capability", "compute capability of its multiprocessors, as 9.0",
           [](const Row& gpu) { return fmt::format("{}.{}", gpu.identity.major, gpu.identity.minor); }},
          {"pci", "its address on the PCI bus", [](const Row& gpu) { return OrNull{gpu.place.pci}; }},
          {"uuid", "its UUID", [](const Row& gpu) { return OrNull{gpu.place.uuid}; }},
          {"conditions", "its clocks, power and temperature before, during and after the rounds", Json{{"type", {"object", "null"}}},
           [](const Row& gpu) { return gpu.place.conditions.empty() ? Json() : Json::parse(gpu.place.conditions); }}};
}

void add_gpu(Columns<Ceiling>& columns, const GpuPlaces& places) {
  const auto which = chosen(gpu_columns(), {{"device"}, {"pci"}, {"uuid"}});
  columns.push_back({"gpu", "GPU that it is a ceiling of", nullable(row_schema(which)), [which, places](const Ceiling& c) {
                       if (c.scope != gpu_scope) return Json();
                       return row_json(which, MeasuredGpu{c.node, c.device, {}, gpu_place(c.node, c.device, places)});
                     }});
  add_explained(columns, "gpu", "gpu", [](const Ceiling& c) -> std::pair<Status, std::string> {
    if (c.scope == gpu_scope) return {Status::ok, ""};
    return {Status::skipped, "a ceiling of CPUs"};
  });
}

}  // namespace plumbline::app
