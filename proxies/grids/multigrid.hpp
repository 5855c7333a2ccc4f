// Geometric multigrid as HPGMG-FV has it: -div(beta grad x) = rhs by finite volumes of fourth order, smoothed by GSRB on boxes (gsrb.hpp),
// with each level a row of its own (Yang, Kurth, Williams 2019, III.B), on CPUs (multigrid.cpp) and GPUs (multigrid.cu). The grid is
// periodic, so that x is known up to a constant.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/grids/box_cells.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_arrays.hpp"
#include "proxies/grids/gsrb_work.hpp"
#include "proxies/grids/multigrid_cycle.hpp"
#include "proxies/grids/multigrid_loop.hpp"
#include "proxies/grids/multigrid_waves.hpp"
#include "proxies/grids/multigrid_work.hpp"

namespace plumbline {

inline MultigridCycle multigrid_cycle_of(const Parameters& p) {
  MultigridCycle cycle(p.integer("levels"), p.integer("smooths"), p.integer("bottom"));
  if (p.word("cycle") == "f") cycle.go_up_from_the_coarsest();
  for (std::uint64_t time = p.word("cycle") == "f" ? 1 : 0; time < p.integer("cycles"); ++time) cycle.go_down_and_up();
  return cycle;
}

/// The arguments of a step's loop, behind which a GPU's launch finds whether it is the host's.
template <class Real>
struct MultigridLaunch {
  Multigrid<Real> loop;
  bool on_host;
};

/// The places of the coarser of two levels: its unknowns and its right-hand side.
template <class Real>
struct CoarserCells {
  Real *x = nullptr, *rhs = nullptr;
};

/// The data, the schedule and the check; what a part's loads cost is the space's.
template <class Real, template <class> class ArrayOf>
class MultigridData : public ApplicationData {
 public:
  using Arguments = Multigrid<Real>;
  using Memory = typename ArrayOf<Real>::Memory;
  static constexpr std::size_t no_level = std::numeric_limits<std::size_t>::max();

  /// The phases, given work_of(part, grids, level, smoother). Those of the levels from `host_from` on (0 the finest) are the host's.
  template <class WorkOf>
  static ApplicationWork phases(const Parameters& p, WorkOf work_of, std::size_t host_from = no_level) {
    const std::vector<BoxGrid> grids = multigrid_grids_of(p);
    const std::vector<std::uint64_t> entries = multigrid_cycle_of(p).entries();
    ApplicationWork all;
    for (std::size_t level = 0; level < grids.size(); ++level) {
      all.data_bytes += gsrb_data_bytes<Real>(grids[level]);
      for (std::size_t i = 0; i < (level + 1 < grids.size() ? parts_of_level : parts_of_coarsest); ++i) {
        const MultigridMove move{static_cast<MultigridPart>(i), level};
        std::string name = part_names[i];
        name.append("@").append(std::to_string(level + 1));
        const bool is_halo = move.part == MultigridPart::halo;
        all.phases.push_back(is_halo ? exchange_phase<Real>(std::move(name), grids[level], entries[move.phase()])
                                     : Phase{std::move(name), work_of(move.part, grids, level, gsrb_loop_of(p)), entries[move.phase()]});
        all.phases.back().on_host = level >= host_from;
      }
    }
    return all;
  }

  MultigridData(const Parameters& p, Memory& memory) : MultigridData(p, memory, no_level, memory) {
    const MultigridCycle cycle = multigrid_cycle_of(p);
    for (const MultigridMove& move : cycle.moves()) add(move);
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
    fill_unknowns(begin, end);
    for_levels(begin, end, [&](Level& level, std::size_t first, std::size_t last) {
      const Waves& waves = waves_of(level);
      for (std::size_t d = 0; d < 3; ++d)
        fill(level, Level::beta + d, first, last, [&](bool, const Waves::Cell& cell) { return waves.beta(d, cell); });
      fill(level, Level::diagonal, first, last,
           [&](bool is_cell, const Waves::Cell& cell) { return is_cell ? 1 / waves.diagonal(cell) : 0.5; });
      if (&level == &finest()) fill(level, Level::rhs, first, last, [&](bool, const Waves::Cell& cell) { return waves.f(cell); });
      if (begin == 0) level.fill_mask();  // what all share belongs to the first
    });
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override { fill_unknowns(begin, end); }

  /// The largest difference to the solution, which is below 1, when the mean is taken off that a periodic grid leaves open.
  double error() const override {
    const Level& finest = levels_[0];
    const auto x = finest[Level::x].to_host();
    long double sum = 0;
    const auto for_own = [&](auto act) {
      for_cells(finest.grid, 0, finest.grid.rows(), [&](std::size_t at, bool is_cell, std::int64_t i, std::int64_t j, std::int64_t k) {
        if (is_cell) act(static_cast<long double>(x[at]), Waves::Cell{i, j, first_plane(finest) + k});
      });
    };
    for_own([&](long double value, const Waves::Cell&) { sum += value; });
    const long double mean = sum / static_cast<long double>(finest.grid.cells());
    LargestError largest;
    for_own([&](long double value, const Waves::Cell& cell) {
      largest.compare(value - mean, static_cast<long double>(waves_[0].u(cell)), 1.0L);
    });
    return largest.value();
  }
  /// The discretization's error, what the cycles leave of the error at first, and roundings, of which the operator makes 1 / h^2.
  double tolerance() const override {
    const double side = static_cast<double>(levels_[0].grid.side()), of_wave = 2 * std::numbers::pi / side;
    return discretization * std::pow(of_wave, 4) + std::pow(cycle_factor, static_cast<double>(cycles_)) +
           rounding_bound<Real>(100 * side * side);
  }

 protected:
  using Level = GsrbArrays<Real, ArrayOf>;

  /// The data whose levels from `host_from` on lie in the host's memory, without a schedule: its steps are to be added.
  MultigridData(const Parameters& p, Memory& memory, std::size_t host_from, Memory& host)
      : smoother_(gsrb_loop_of(p)), cycles_(p.integer("cycles")), host_from_(host_from) {
    for (const BoxGrid& grid : multigrid_grids_of(p)) levels_.emplace_back(grid, levels_.size() < host_from ? memory : host);
  }
  /// Adds a step; `coarser` are the arrays in which a restriction or an interpolation finds the coarser level, where not those of it.
  void add(const MultigridMove& move, const CoarserCells<Real>& coarser = {}) {
    Level& level = levels_[move.level];
    Step step{.phase = move.phase(), .on_host = is_of_host(level)};
    if (move.part == MultigridPart::halo) {
      ArrayOf<Real>& cells = level[move.from_other ? Level::other : Level::x];
      step.exchange = [&](Peers& peers) { exchange_planes(level.grid, cells.data(), peers); };
    } else {
      const auto [at, added] =
          arguments_.try_emplace({move.phase(), move.from_other}, MultigridLaunch<Real>{arguments_of(move, coarser), step.on_host});
      step.arguments = &at->second.loop, step.extent = extent_of(move);
    }
    add(std::move(step));
  }
  void add(Step step) { schedule_.push_back(std::move(step)); }

  Level& finest() { return levels_[0]; }
  Level& level(std::size_t number) { return levels_[number]; }
  bool is_of_host(const Level& level) const { return number_of(level) >= host_from_; }
  /// The unknowns of a level's rows as a sweep finds them, and what it computes before it uses it as no cell of it is to be.
  void fill_unknowns_of(Level& level, std::size_t first, std::size_t last) {
    const auto all = [&](std::size_t which, double number) {
      fill(level, which, first, last, [number](bool, const Waves::Cell&) { return number; });
    };
    all(Level::x, 0), all(Level::other, 0.5);
    if (&level != &finest()) all(Level::rhs, 0.5);
  }
  /// Calls act(level, first row, last row) for each level's part of these rows of the finest.
  template <class Act>
  void for_levels(std::size_t begin, std::size_t end, Act act) {
    const std::size_t finest = extent();
    for (Level& level : levels_) {
      const std::size_t rows = level.grid.rows();
      act(level, begin * rows / finest, end * rows / finest);
    }
  }

 private:
  static constexpr double discretization = 0.1, cycle_factor = 0.1;

  std::size_t number_of(const Level& level) const {
    std::size_t number = 0;
    while (&levels_[number] != &level) ++number;
    return number;
  }
  const Waves& waves_of(const Level& level) const { return waves_[number_of(level)]; }
  std::int64_t first_plane(const Level& level) const { return static_cast<std::int64_t>(rank_ * level.grid.side()); }

  /// Sets the cells of the rows [begin, end) of a level's array, ghost cells among them, to value(whether it is none, its place in the
  /// whole grid).
  template <class Value>
  void fill(Level& level, std::size_t which, std::size_t begin, std::size_t end, Value value) {
    fill_cells(level[which], level.grid, begin, end, [&, plane = first_plane(level)](const BoxCell& c) {
      return Real(value(c.is_cell, Waves::Cell{c.i, c.j, plane + c.k}));
    });
  }
  void fill_unknowns(std::size_t begin, std::size_t end) {
    for_levels(begin, end, [&](Level& level, std::size_t first, std::size_t last) { fill_unknowns_of(level, first, last); });
  }

  std::size_t extent_of(const MultigridMove& move) const {
    const bool coarse = move.part == MultigridPart::restriction || move.part == MultigridPart::interpolation;
    const BoxGrid& grid = levels_[move.level + (coarse ? 1 : 0)].grid;
    return move.part == MultigridPart::ghosts ? grid.rows() : grid.count() * grid.n * grid.n;
  }

  Multigrid<Real> arguments_of(const MultigridMove& move, CoarserCells<Real> coarser) {
    if (coarser.x == nullptr && move.level + 1 < levels_.size())
      coarser = {levels_[move.level + 1][Level::x].data(), levels_[move.level + 1][Level::rhs].data()};
    Level& level = levels_[move.level];
    const auto cells = static_cast<double>(level.grid.side());
    const std::size_t color = move.part == MultigridPart::black || move.from_other ? 1 : 0;
    Multigrid<Real> arguments{.loop = MultigridLoop::smoother,
                              .level = level.loop(move.part == MultigridPart::ghosts ? GsrbLoop::ghosts : smoother_, color, cells * cells),
                              .from = nullptr,
                              .to = nullptr,
                              .cleared = nullptr,
                              .eighth = Real(0.125)};
    if (move.part == MultigridPart::residual) arguments.loop = MultigridLoop::residual;
    if (move.part == MultigridPart::restriction) {
      arguments.loop = MultigridLoop::restriction;
      arguments.from = level[move.from_other ? Level::other : Level::rhs].data();
      arguments.to = coarser.rhs, arguments.cleared = coarser.x;
    }
    if (move.part == MultigridPart::interpolation) {
      arguments.loop = MultigridLoop::interpolation;
      arguments.from = coarser.x, arguments.to = level[Level::x].data();
    }
    return arguments;
  }

  GsrbLoop smoother_;
  std::uint64_t cycles_, rank_ = 0, ranks_ = 1;
  std::size_t host_from_;
  std::deque<Level> levels_;
  std::vector<Waves> waves_;
  std::map<std::pair<std::size_t, bool>, MultigridLaunch<Real>> arguments_;  // of a phase, and whether it reads the other array
  std::vector<Step> schedule_;
};

inline KernelFacts multigrid_facts() {
  const auto multigrid = [](const char* variant, const char* cycle, std::int64_t boxes, std::int64_t n, std::int64_t levels) {
    return Parameters{
        {"variant", std::string(variant)}, {"cycle", std::string(cycle)}, {"boxes", boxes},           {"n", n}, {"levels", levels},
        {"cycles", std::int64_t{1}},       {"smooths", std::int64_t{2}},  {"bottom", std::int64_t{4}}};
  };
  return {
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
      {.edges = {multigrid("fp", "v", 1, 12, 3), multigrid("branch", "f", 1, 8, 2), multigrid("stride2", "f", 2, 4, 2)},
       .caches = {multigrid("fp", "v", 1, 12, 2), multigrid("branch", "f", 2, 8, 3), multigrid("stride2", "v", 1, 24, 3)},
       .at_most = {{"boxes", std::int64_t{1}},
                   {"n", std::int64_t{8}},
                   {"levels", std::int64_t{2}},
                   {"cycles", std::int64_t{1}},
                   {"smooths", std::int64_t{1}},
                   {"bottom", std::int64_t{4}}}}};
}

}  // namespace plumbline
