// plumbline list ceilings: the ceilings that campaigns measure on this machine, by mode.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/listing.hpp"
#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "core/kernel.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {
namespace {

struct PlannedCeiling {
  std::string name, precision, level, pattern, unit;
  std::size_t points = 0;
  std::string mode, needs, kernel, flavor;  // needs: what this machine may lack for it
};

Columns<PlannedCeiling> planned_columns() {
  using Row = PlannedCeiling;
  return {Column<Row>("ceiling", "name of the ceiling", &Row::name).in_row("ceiling", Align::left),
          Column<Row>("precision", "number format of its arithmetic", &Row::precision).in_row("precision", Align::left),
          Column<Row>("level", "what it is a rate of: compute, a level of memory, mpi", &Row::level).in_row("level", Align::left),
          Column<Row>("pattern", "pattern of its accesses, instructions or messages", &Row::pattern).in_row("pattern", Align::left),
          Column<Row>("unit", "unit of its value", &Row::unit).in_row("unit", Align::left),
          Column<Row>("points", "working sets or sizes that are measured for it", &Row::points).in_row("points"),
          Column<Row>("mode", "modes that measure it", &Row::mode).in_row("mode", Align::left),
          {"needs", "what this machine may lack for it; empty: nothing", &Row::needs},
          Column<Row>("kernel", "what is run", &Row::kernel)
              .in_row("kernel", Align::left,
                      [](const Row& row) { return row.needs.empty() ? row.kernel : fmt::format("{}; needs {}", row.kernel, row.needs); }),
          {"flavor", "how it was compiled", &Row::flavor}};
}

/// A row for each ceiling of a full plan.
void add_ceilings(std::span<const CeilingCase> all, std::span<const CeilingCase> quick, const std::string& needs,
                  std::vector<PlannedCeiling>& rows) {
  const auto same = [](const CeilingCase& a, const CeilingCase& b) {
    return a.name == b.name && a.precision == b.precision && a.level == b.level && a.pattern == b.pattern;
  };
  for (auto one = all.begin(); one != all.end(); ++one) {
    const auto is_it = [&](const auto& other) { return same(other, *one); };
    if (std::any_of(all.begin(), one, is_it)) continue;
    const auto points = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_it));
    const char* mode = std::any_of(quick.begin(), quick.end(), is_it) ? "quick, full" : "full";
    rows.push_back({one->name, one->precision, one->level, one->pattern, one->unit, points, mode, needs, one->measured.kernel->name,
                    std::string(one->measured.flavor.name)});
  }
}

}  // namespace

Json listed_ceiling_schema() { return row_schema(planned_columns()); }

Listing list_ceilings() {
  Listing listing;
  const Topology node = this_topology();
  const CeilingTeam alone{.team = {1, 1}};
  const auto of_mode = [&](CeilingMode mode) {
    return plan_ceilings(mode, this_cpu().isas, last_caches_of(node), memory_available_bytes(), std::span(&alone, 1));
  };
  const auto all = of_mode(CeilingMode::full);
  std::vector<PlannedCeiling> rows;
  add_ceilings(all, of_mode(CeilingMode::quick), "", rows);
  add_ceilings(ceilings_of_any_gpu(CeilingMode::full), ceilings_of_any_gpu(CeilingMode::quick), "a GPU", rows);
  if (Communicator::has_mpi())
    for (const auto& one : plan_mpi_ceilings(CeilingsMode::full))
      rows.push_back({one.name, "-", "mpi", one.pattern, one.unit, static_cast<std::size_t>(one.points), "quick, full",
                      lacking({}, one.reach), "messages", "-"});
  if (all.empty()) listing.notes.push_back("no flavor of the ceiling kernels runs on this CPU");
  listing.add(planned_columns(), rows);
  listing.text = aligned(planned_columns(), rows);
  return listing;
}

}  // namespace plumbline::app
