// Geometric multigrid as HPGMG-FV has it: -div(beta grad x) = rhs by finite volumes of fourth order, smoothed by GSRB on boxes (gsrb.cpp),
// with each level a row of its own (Yang, Kurth, Williams 2019, III.B). The grid is periodic, so that x is known up to a constant.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "multigrid.flavors.hpp"
#include "proxies/grids/box_cells.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_arrays.hpp"
#include "proxies/grids/gsrb_work.hpp"
#include "proxies/grids/multigrid_cycle.hpp"
#include "proxies/grids/multigrid_loop.hpp"
#include "proxies/grids/multigrid_waves.hpp"

namespace plumbline {
namespace {

/// The grids from the finest to the coarsest. Throws std::invalid_argument where a box cannot be halved so often, or holds no wave.
std::vector<BoxGrid> grids_of(const Parameters& p) {
  const auto [boxes, n] = box_grid_of(p);
  const std::uint64_t levels = p.integer("levels"), halvings = levels - 1;
  if (halvings >= 63 || n % (std::uint64_t{1} << halvings) != 0 || (n >> halvings) < 2)
    throw std::invalid_argument("n = " + std::to_string(n) + " cannot be halved " + std::to_string(halvings) +
                                " times to 2 cells or more (levels = " + std::to_string(levels) + "): take n = " +
                                std::to_string(std::uint64_t{2} << std::min<std::uint64_t>(halvings, 9)) + ", or fewer levels");
  if (n * boxes < 8)
    throw std::invalid_argument("boxes = " + std::to_string(boxes) + " of n = " + std::to_string(n) +
                                " cells a side are fewer than the 8 cells that a wave needs: take a larger n");
  std::vector<BoxGrid> grids;
  for (std::uint64_t level = 0; level < levels; ++level) grids.push_back({.boxes = boxes, .n = n >> level});
  return grids;
}

MultigridCycle cycle_of(const Parameters& p) {
  MultigridCycle cycle(p.integer("levels"), p.integer("smooths"), p.integer("bottom"));
  if (p.word("cycle") == "f") cycle.go_up_from_the_coarsest();
  for (std::uint64_t time = p.word("cycle") == "f" ? 1 : 0; time < p.integer("cycles"); ++time) cycle.go_down_and_up();
  return cycle;
}

/// The work of the residual at every cell: the operator, and its difference to the right-hand side.
template <class Real>
Work residual_work(const BoxGrid& grid) {
  const std::uint64_t lines = cell_lines<Real>(grid), count = grid.cells();
  Work work{.flops = {{flops<Real>("add"), 84 * count}, {flops<Real>("mul"), 27 * count}}};
  work.streams = stencil_streams<Real>(grid, every_cell(grid));
  work.streams.push_back({.array = "rhs", .footprint_bytes = lines, .read = true, .loads = count, .element_bytes = sizeof(Real)});
  work.streams.push_back({.array = "out", .footprint_bytes = lines, .written = true, .stores = count, .element_bytes = sizeof(Real)});
  work.add_outer_loop(grid.count() * grid.n * grid.n, crowded_rows * grid.row() * sizeof(Real));
  return work;
}

/// The work of averaging eight cells to one of the coarser level.
template <class Real>
Work restriction_work(const BoxGrid& fine, const BoxGrid& coarse) {
  const std::uint64_t cells = coarse.cells(), real = sizeof(Real), rows = coarse.count() * coarse.n * coarse.n;
  const std::uint64_t written = cell_lines<Real>(coarse);
  Work work{.flops = {{flops<Real>("add"), 7 * cells}, {flops<Real>("mul"), cells}}};
  work.streams = {{.array = "fine", .footprint_bytes = cell_lines<Real>(fine), .read = true, .loads = 8 * cells, .element_bytes = real},
                  {.array = "rhs", .footprint_bytes = written, .written = true, .stores = cells, .element_bytes = real},
                  {.array = "x", .footprint_bytes = written, .written = true, .stores = cells, .element_bytes = real}};
  work.add_outer_loop(rows, (4 * fine.row() + 2 * coarse.row()) * real);
  return work;
}

constexpr RowRead rows_around[] = {{.of_k = -1, .of_j = -1, .before = 1, .after = 1}, {.of_k = -1, .of_j = 0, .before = 1, .after = 1},
                                   {.of_k = -1, .of_j = 1, .before = 1, .after = 1},  {.of_k = 0, .of_j = -1, .before = 1, .after = 1},
                                   {.of_k = 0, .of_j = 0, .before = 1, .after = 1},   {.of_k = 0, .of_j = 1, .before = 1, .after = 1},
                                   {.of_k = 1, .of_j = -1, .before = 1, .after = 1},  {.of_k = 1, .of_j = 0, .before = 1, .after = 1},
                                   {.of_k = 1, .of_j = 1, .before = 1, .after = 1}};

/// The work of interpolating: for each coarse cell 9 rows, 6 of halves and 4 of quarters are halved (three sums, one product), and eight
/// cells gain.
template <class Real>
Work interpolation_work(const BoxGrid& fine, const BoxGrid& coarse) {
  const std::uint64_t cells = coarse.cells(), real = sizeof(Real);
  const std::uint64_t rows = (9 * coarse.row() + 4 * fine.row()) * real, planes = (3 * coarse.row() + 4 * fine.row()) * coarse.n * real;
  const LinesTouched around = lines_touched(coarse, rows_around, real, every_cell(coarse));
  Work work{.flops = {{flops<Real>("add"), (3 * 19 + 8) * cells}, {flops<Real>("mul"), 19 * cells}}};
  work.streams = {
      {.array = "coarse",
       .footprint_bytes = around.once,
       .read = true,
       .loads = 27 * cells,
       .element_bytes = real,
       .layers = {{.reuse_bytes = rows, .fetched_bytes = around.by_rows}, {.reuse_bytes = planes, .fetched_bytes = around.by_planes}}},
      {.array = "x",
       .footprint_bytes = cell_lines<Real>(fine),
       .read = true,
       .written = true,
       .loads = 8 * cells,
       .stores = 8 * cells,
       .element_bytes = real}};
  work.add_outer_loop(coarse.count() * coarse.n * coarse.n, rows);
  return work;
}

template <class Real>
class MultigridCase final : public ApplicationData {
 public:
  using Arguments = Multigrid<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::vector<BoxGrid> grids = grids_of(p);
    const std::vector<std::uint64_t> entries = cycle_of(p).entries();
    const GsrbLoop loop = gsrb_loop_of(p);
    ApplicationWork all;
    const auto name = [&](MultigridPart part, std::size_t level) {
      return part_names[static_cast<std::size_t>(part)] + ("@" + std::to_string(level + 1));
    };
    for (std::size_t level = 0; level < grids.size(); ++level) {
      const BoxGrid& grid = grids[level];
      const auto add = [&](MultigridPart part, Work work) {
        all.phases.push_back({.name = name(part, level), .work = std::move(work), .entries = entries[MultigridMove{part, level}.phase()]});
      };
      const MultigridMove halo{MultigridPart::halo, level};
      all.phases.push_back(exchange_phase<Real>(name(halo.part, level), grid, entries[halo.phase()]));
      add(MultigridPart::ghosts, ghost_work<Real>(grid));
      add(MultigridPart::red, update_work<Real>(grid, loop, 0));
      add(MultigridPart::black, update_work<Real>(grid, loop, 1));
      all.data_bytes += gsrb_data_bytes<Real>(grid);
      if (level + 1 == grids.size()) continue;
      add(MultigridPart::residual, residual_work<Real>(grid));
      add(MultigridPart::restriction, restriction_work<Real>(grid, grids[level + 1]));
      add(MultigridPart::interpolation, interpolation_work<Real>(grid, grids[level + 1]));
    }
    return all;
  }

  MultigridCase(const Parameters& p, std::pmr::memory_resource& memory) : smoother_(gsrb_loop_of(p)), cycles_(p.integer("cycles")) {
    for (const BoxGrid& grid : grids_of(p)) levels_.emplace_back(grid, memory);
    const MultigridCycle cycle = cycle_of(p);
    for (const MultigridMove& move : cycle.moves()) {
      Level& level = levels_[move.level];
      if (move.part == MultigridPart::halo) {
        Array<Real>& cells = level[move.from_other ? Level::other : Level::x];
        schedule_.push_back({.phase = move.phase(), .exchange = [&](Peers& peers) { exchange_planes(level.grid, cells.data(), peers); }});
      } else {
        const auto [arguments, added] = arguments_.try_emplace({move.phase(), move.from_other}, arguments_of(move));
        schedule_.push_back({.phase = move.phase(), .arguments = &arguments->second, .extent = extent_of(move)});
      }
    }
  }

  void take_place(int rank, int ranks) override {
    rank_ = static_cast<std::uint64_t>(rank), ranks_ = static_cast<std::uint64_t>(ranks);
    waves_.clear();
    for (const Level& level : levels_) waves_.emplace_back(level.grid.side(), level.grid.side() * ranks_);
  }
  const std::vector<Step>& steps() const override { return schedule_; }

  /// Rows of the finest level's boxes, those of ghost cells among them.
  std::size_t extent() const override { return levels_[0].grid.rows(); }
  void initialise(std::size_t begin, std::size_t end) override {
    restore(begin, end);
    for (std::size_t number = 0; number < levels_.size(); ++number) {
      Level& level = levels_[number];
      const Waves& waves = waves_[number];
      for_cells_of(level, begin, end, [&](std::size_t at, bool is_cell, const Waves::Cell& cell) {
        for (std::size_t d = 0; d < 3; ++d) level[Level::beta + d][at] = Real(waves.beta(d, cell));
        level[Level::diagonal][at] = Real(is_cell ? 1 / waves.diagonal(cell) : 0.5);
        if (number == 0) level[Level::rhs][at] = Real(waves.f(cell));
      });
      if (begin == 0) level.fill_mask();  // what all share belongs to the first
    }
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for (Level& level : levels_)
      for_cells_of(level, begin, end, [&](std::size_t at, bool, const Waves::Cell&) {
        level[Level::x][at] = Real(0), level[Level::other][at] = Real(0.5);
        if (&level != &levels_[0]) level[Level::rhs][at] = Real(0.5);
      });
  }

  /// The largest difference to the solution, which is below 1, when the mean is taken off that a periodic grid leaves open.
  double error() const override {
    const Level& finest = levels_[0];
    long double sum = 0;
    const auto for_own = [&](auto act) {
      for_cells_of(finest, 0, finest.grid.rows(), [&](std::size_t at, bool is_cell, const Waves::Cell& cell) {
        if (is_cell) act(static_cast<long double>(finest[Level::x][at]), cell);
      });
    };
    for_own([&](long double x, const Waves::Cell&) { sum += x; });
    const long double mean = sum / static_cast<long double>(finest.grid.cells());
    LargestError largest;
    for_own([&](long double x, const Waves::Cell& cell) { largest.compare(x - mean, static_cast<long double>(waves_[0].u(cell)), 1.0L); });
    return largest.value();
  }
  /// The discretization's error, what the cycles leave of the error at first, and roundings, of which the operator makes 1 / h^2.
  double tolerance() const override {
    const double side = static_cast<double>(levels_[0].grid.side()), of_wave = 2 * std::numbers::pi / side;
    return discretization * std::pow(of_wave, 4) + std::pow(cycle_factor, static_cast<double>(cycles_)) +
           rounding_bound<Real>(100 * side * side);
  }

 private:
  using Level = GsrbArrays<Real>;
  static constexpr double discretization = 0.1, cycle_factor = 0.1;

  /// Calls act(place in an array, whether it is no ghost, place in the whole grid) for the level's part of these rows of the finest.
  template <class SomeLevel, class Act>
  void for_cells_of(SomeLevel& level, std::size_t begin, std::size_t end, Act act) const {
    const std::size_t rows = level.grid.rows(), finest = levels_[0].grid.rows();
    const auto first_plane = static_cast<std::int64_t>(rank_ * level.grid.side());
    for_cells(level.grid, begin * rows / finest, end * rows / finest,
              [&](std::size_t at, bool is_cell, std::int64_t i, std::int64_t j, std::int64_t k) {
                act(at, is_cell, Waves::Cell{i, j, first_plane + k});
              });
  }

  std::size_t extent_of(const MultigridMove& move) const {
    const bool coarse = move.part == MultigridPart::restriction || move.part == MultigridPart::interpolation;
    const BoxGrid& grid = levels_[move.level + (coarse ? 1 : 0)].grid;
    return move.part == MultigridPart::ghosts ? grid.rows() : grid.count() * grid.n * grid.n;
  }

  Arguments arguments_of(const MultigridMove& move) {
    Level& level = levels_[move.level];
    const auto cells = static_cast<double>(level.grid.side());
    const std::size_t color = move.part == MultigridPart::black || move.from_other ? 1 : 0;
    Arguments arguments{.loop = MultigridLoop::smoother,
                        .level = level.loop(move.part == MultigridPart::ghosts ? GsrbLoop::ghosts : smoother_, color, cells * cells),
                        .from = nullptr,
                        .to = nullptr,
                        .cleared = nullptr,
                        .eighth = Real(0.125)};
    if (move.part == MultigridPart::residual) arguments.loop = MultigridLoop::residual;
    if (move.part == MultigridPart::restriction) {
      Level& coarser = levels_[move.level + 1];
      arguments.loop = MultigridLoop::restriction;
      arguments.from = level[move.from_other ? Level::other : Level::rhs].data();
      arguments.to = coarser[Level::rhs].data(), arguments.cleared = coarser[Level::x].data();
    }
    if (move.part == MultigridPart::interpolation) {
      arguments.loop = MultigridLoop::interpolation;
      arguments.from = levels_[move.level + 1][Level::x].data(), arguments.to = level[Level::x].data();
    }
    return arguments;
  }

  GsrbLoop smoother_;
  std::uint64_t cycles_, rank_ = 0, ranks_ = 1;
  std::deque<Level> levels_;
  std::vector<Waves> waves_;
  std::map<std::pair<std::size_t, bool>, Arguments> arguments_;  // of a phase, and whether it reads the other array
  std::vector<Step> schedule_;
};

Parameters multigrid(const char* variant, const char* cycle, std::int64_t boxes, std::int64_t n, std::int64_t levels) {
  return {{"variant", std::string(variant)}, {"cycle", std::string(cycle)}, {"boxes", boxes},           {"n", n}, {"levels", levels},
          {"cycles", std::int64_t{1}},       {"smooths", std::int64_t{2}},  {"bottom", std::int64_t{4}}};
}

const Register<MultigridCase> registered{
    "proxies/multigrid",
    "Geometric multigrid, 4th order, GSRB, V- and F-cycles, each level by itself (HPGMG-FV; Yang, Kurth, Williams 2019)",
    {gsrb_variants(),
     {.name = "cycle", .preset = std::string("v"), .description = "V-cycles, or an F-cycle first", .choices = {"v", "f"}},
     {.name = "boxes", .preset = std::int64_t{2}, .description = "boxes of each side of a rank's cube (2: eight boxes)", .max = 64},
     {.name = "n", .preset = std::int64_t{32}, .description = "cells of each side of a box at the finest level", .min = 2, .max = 1024},
     {.name = "levels", .preset = std::int64_t{5}, .description = "levels, each of half the cells a side", .min = 2, .max = 10},
     {.name = "cycles",
      .preset = std::int64_t{1},
      .description = "cycles; each goes from the finest level to the coarsest and back, an F-cycle first up from the coarsest",
      .max = 100},
     {.name = "smooths", .preset = std::int64_t{2}, .description = "smooths before and after a coarser level", .max = 100},
     {.name = "bottom", .preset = std::int64_t{16}, .description = "smooths at the coarsest level", .max = 1000}},
    multigrid_flavors,
    {.edges = {multigrid("fp", "v", 1, 12, 3), multigrid("branch", "f", 1, 8, 2), multigrid("stride2", "f", 2, 4, 2)},
     .caches = {multigrid("fp", "v", 1, 12, 2), multigrid("branch", "f", 2, 8, 3), multigrid("stride2", "v", 1, 24, 3)},
     .at_most = {{"boxes", std::int64_t{1}},
                 {"n", std::int64_t{8}},
                 {"levels", std::int64_t{2}},
                 {"cycles", std::int64_t{1}},
                 {"smooths", std::int64_t{1}},
                 {"bottom", std::int64_t{4}}}}};

}  // namespace
}  // namespace plumbline
