// The command `plumbline ceilings` has a part on GPUs.
#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/table.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {

/// The GPU that a node's ceilings of a device are of, and how it fared meanwhile.
struct GpuPlace {
  std::string pci, uuid;   // empty where the file does not say
  std::string conditions;  // of all rounds, links left out, as machine/gpu_watch.hpp writes a span; empty where no round was watched
};
/// The GPUs by node and device (core/gpu_device.hpp), from the outcomes of their rounds.
using GpuPlaces = std::map<std::pair<std::string, int>, GpuPlace>;
GpuPlaces gpu_places(std::span<const OutcomeRow> outcomes);
/// The GPU of a ceiling as JSON: {"device":"GPU1","pci":"0000:65:00.0","uuid":"GPU-..."}; null where it is no GPU's.
Json gpu_json(const Ceiling& ceiling, const GpuPlaces& places);
/// A row for each GPU that has ceilings: node, device, name, multiprocessors, compute_capability, pci, uuid, and conditions
/// ({"before":{...},"during":{"sm_clock_mhz":{"readings":..,"least":..,"mean":..,"most":..},...},"after":{...}}); null where it is not
/// known.
Json gpus_json(std::span<const Ceiling> ceilings, const GpuPlaces& places);

/// A table for each GPU of each node with name, level, value, unit, spread, samples, clock, and part of the limit at that clock; empty
/// where there is none.
std::string gpu_ceilings_text(std::span<const Ceiling> ceilings, const GpuPlaces& places);
/// Notes on how to read the table, and on what cannot be right.
std::vector<std::string> gpu_ceilings_notes(std::span<const Ceiling> ceilings);

}  // namespace plumbline::app
