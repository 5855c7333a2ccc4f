#include "app/results/placed_file.hpp"

#include <fmt/format.h>

#include "app/here/profiler_metrics.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "model/placement/node_ceilings.hpp"

namespace plumbline::app {
namespace {

/// Says that a program's counts were made with a smaller input and multiplied.
void note_scaled_work(const std::string& file, const Results& results, std::vector<std::string>& notes) {
  constexpr std::string_view scaled = "/work=x";
  for (const auto& row : results.cases) {
    const auto at = row.id.find(scaled);
    if (at == row.id.npos) continue;
    const auto begin = at + scaled.size();
    notes.push_back(fmt::format("{}: its counts are those of a smaller input times {} (--scale-work), not what was executed", file,
                                row.id.substr(begin, row.id.find('/', begin) - begin)));
    return;
  }
}

}  // namespace

PlacedFile::PlacedFile(const std::string& file, const std::string& kernel, std::vector<std::string>& notes)
    : results(load_selected({.file = file, .kernel = kernel, .node = {}})),
      nodes(node_facts(results, notes)),
      ceilings(fit_ceilings(results.ceilings, nodes)),
      measurements(measurements_of(results)) {
  note_scaled_work(file, results, notes);
  hold_to_limits(ceilings, results.ceilings, nodes);
  const auto set = chosen_counters(results, "");
  placements = place(measurements, ceilings, set ? &*set : nullptr, profiler_metrics_for(results));
}

}  // namespace plumbline::app
