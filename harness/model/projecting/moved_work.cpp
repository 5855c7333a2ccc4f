#include "model/projecting/moved_work.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

/// The parts of a working set's traffic that cross behind a cache of that size: none that fits, all that does not, between them in steps.
double crossing(double working_set, double size) {
  if (!(size > 0)) return 1;
  const double least = held_up_to * size, most = size / held_up_to;
  return std::clamp((working_set - least) / (most - least), 0.0, 1.0);
}

/// The working set as which caches hold it at home says: the size of the first that lets nothing through.
double shown_working_set(const WorkPart& part, const NodeSide& home) {
  for (std::size_t i = 0; i + 1 < home.levels.size(); ++i) {
    const auto behind = part.bytes.find(home.levels[i + 1].name);
    if (behind != part.bytes.end() && behind->second == 0 && std::isfinite(home.levels[i].size_bytes))
      return held_up_to * home.levels[i].size_bytes;
  }
  return absent;
}

/// Tells vector instructions of the home's width as those of the target's; gives how many times as many instructions there are then.
double widen(WorkPart& part, const NodeSide& home, const NodeSide& target) {
  if (part.mix.empty() || home.vector_bytes == target.vector_bytes) return 1;
  const std::string& precision = part.mix.begin()->first;
  const double scalar = part.scalar_part > 0 ? part.scalar_part : 0, ratio = lanes(home, precision) / lanes(target, precision);
  const double left = scalar + (1 - scalar) * ratio;
  part.instructions *= left;
  if (part.scalar_part > 0) part.scalar_part = scalar / left;
  return left;
}

}  // namespace

MovedWork moved_work(const WorkPart& counted, const NodeSide& home, const NodeSide& target) {
  MovedWork all{.part = counted};
  WorkPart& part = all.part;
  all.instructions_ratio = widen(part, home, target);
  const double working_set = std::isfinite(part.working_set_bytes) ? part.working_set_bytes : shown_working_set(part, home);
  if (!std::isfinite(working_set)) return all;
  for (std::size_t i = 0; i + 1 < target.levels.size(); ++i) {
    const SideLevel& cache = target.levels[i];
    const SideLevel* const here = level_named(home, cache.name);
    const auto inside = part.bytes.find(cache.name), behind = part.bytes.find(target.levels[i + 1].name);
    if (here == nullptr || inside == part.bytes.end() || behind == part.bytes.end()) continue;
    if (!std::isfinite(cache.size_bytes) || !std::isfinite(here->size_bytes) || cache.size_bytes == here->size_bytes) continue;
    const double before = crossing(working_set, here->size_bytes), after = crossing(working_set, cache.size_bytes);
    if (after == before) continue;
    all.moved.push_back(cache.name);
    all.is_uncertain = all.is_uncertain || (after > 0 && after < 1);
    behind->second = before > 0 ? std::min(behind->second * after / before, inside->second) : inside->second * after;
  }
  return all;
}

void take_code(MovedWork& moved, const WorkPart& code_there, double instructions_here) {
  if (!std::isfinite(code_there.instructions) || !std::isfinite(instructions_here)) return;
  moved.instructions_ratio = code_there.instructions / instructions_here;
  moved.part.mix = code_there.mix;
  moved.part.scalar_part = code_there.scalar_part;
  moved.part.instructions = code_there.instructions;
  const auto registers = code_there.bytes.find("L1");
  if (registers != code_there.bytes.end()) moved.part.bytes["L1"] = registers->second;
}

}  // namespace plumbline
