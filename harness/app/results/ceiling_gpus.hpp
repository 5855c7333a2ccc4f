// Ceilings of GPUs are of certain devices of nodes, which programs get with them.
#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/columns.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/ceilings/gpu_limits.hpp"

namespace plumbline::app {

/// The GPU that a node's ceilings of a device are of, and how it fared meanwhile.
struct GpuPlace {
  std::string pci, uuid;   // empty where the file does not say
  std::string conditions;  // of all rounds, links left out, as machine/gpu_watch.hpp writes a span; empty where no round was watched
};
/// The GPUs by node and device (core/gpu_device.hpp), from the outcomes of their rounds.
using GpuPlaces = std::map<std::pair<std::string, int>, GpuPlace>;
GpuPlaces gpu_places(std::span<const OutcomeRow> outcomes);

/// A GPU that ceilings are of.
struct MeasuredGpu {
  std::string node;
  int device = 0;
  GpuIdentity identity = {};
  GpuPlace place = {};
};
/// The GPUs of these ceilings, each once.
std::vector<MeasuredGpu> measured_gpus(std::span<const Ceiling> ceilings, const GpuPlaces& places);
Columns<MeasuredGpu> gpu_columns();
/// Adds a column that says which GPU a ceiling is of, and those that say why none.
void add_gpu(Columns<Ceiling>& columns, const GpuPlaces& places);

}  // namespace plumbline::app
