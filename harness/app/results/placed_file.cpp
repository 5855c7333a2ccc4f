#include "app/results/placed_file.hpp"

#include "model/ceilings/ceiling_limits.hpp"
#include "model/placement/node_ceilings.hpp"

namespace plumbline::app {

PlacedFile::PlacedFile(const std::string& file, const std::string& kernel, std::vector<std::string>& notes)
    : results(load_selected({.file = file, .kernel = kernel, .node = {}})),
      nodes(node_facts(results, notes)),
      ceilings(fit_ceilings(results.ceilings, nodes)),
      measurements(measurements_of(results)) {
  hold_to_limits(ceilings, results.ceilings, nodes);
  const auto set = chosen_counters(results, "");
  placements = place(measurements, ceilings, set ? &*set : nullptr);
}

}  // namespace plumbline::app
