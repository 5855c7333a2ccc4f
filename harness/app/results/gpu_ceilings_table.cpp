#include "app/results/gpu_ceilings_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/results/ceiling_columns.hpp"
#include "core/gpu_device.hpp"

namespace plumbline::app {

std::string gpu_ceilings_text(std::span<const Ceiling> ceilings, const GpuPlaces& places, Format format) {
  std::map<std::pair<std::string, int>, std::vector<Ceiling>> gpus;
  for (const auto& ceiling : ceilings) gpus[{ceiling.node, ceiling.device}].push_back(ceiling);
  std::string text;
  for (const auto& [which, members] : gpus) {
    const auto gpu = gpu_of_method(members.front().method);
    const auto place = places.find(which);
    text += fmt::format("\n{}: {}{}", which.first, gpu_word(which.second), gpu ? ", " + gpu->name : "");
    if (place != places.end())
      text += fmt::format(", at {}{}{}", place->second.pci, place->second.uuid.empty() ? "" : ", ", place->second.uuid);
    text += "\n\n" + ceilings_text(CeilingTable::gpu, members, format);
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
  if (std::any_of(ceilings.begin(), ceilings.end(), [](const Ceiling& c) { return c.level == CeilingKind::sustained; }))
    notes.emplace_back(
        "GPU: a burst lasts some milliseconds, the best of three, before power and heat have moved the clock, and is the roof that cases "
        "are "
        "held against; a sustained sample lasts a second or more on a GPU that was at it for a while before: its clock and power are "
        "means of the driver's readings");
  for (const auto& c : ceilings)
    if (c.fraction_of_limit() > most_of_limit)
      notes.push_back(fmt::format("{} of {} is {} of its limit: the clock beside it or the limit is wrong ({})", c.name, c.node,
                                  percent_or_dash(c.fraction_of_limit()), c.limit_source));
  return notes;
}

}  // namespace plumbline::app
