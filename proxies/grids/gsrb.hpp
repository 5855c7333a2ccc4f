// HPGMG-FV's Gauss-Seidel, red-black smoother: fourth order, variable coefficients, out of place, on boxes with ghost cells two deep (Yang,
// Kurth, Williams 2019, III.B), on CPUs (gsrb.cpp) and GPUs (gsrb.cu). A sweep smooths once: the red cells, then the black ones, each after
// ghost cells have been exchanged. The same result by three loops: fp computes every cell and masks those of the other color out, branch
// skips them, stride2 steps over them.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/grids/box_cells.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_arrays.hpp"
#include "proxies/grids/gsrb_loop.hpp"
#include "proxies/grids/gsrb_reference.hpp"
#include "proxies/grids/gsrb_work.hpp"

namespace plumbline {

/// The data, the schedule and the check; what an update's loads cost is the space's.
template <class Real, template <class> class ArrayOf>
class GsrbData : public ApplicationData {
 public:
  using Arguments = Gsrb<Real>;
  using Memory = typename ArrayOf<Real>::Memory;

  static ApplicationWork phases(const BoxGrid& grid, Work of_ghosts, Work of_red, Work of_black) {
    return {.phases = {exchange_phase<Real>("halo", grid, 2),
                       {.name = "ghosts", .work = std::move(of_ghosts), .entries = 2},
                       {.name = "red", .work = std::move(of_red)},
                       {.name = "black", .work = std::move(of_black)}},
            .data_bytes = gsrb_data_bytes<Real>(grid)};
  }

  GsrbData(const Parameters& p, Memory& memory) : arrays_(box_grid_of(p), memory) {
    for (const std::size_t color : {0U, 1U}) {
      const BoxGrid& grid = arrays_.grid;
      Arguments &copied = arguments_[2 * color], &updated = arguments_[2 * color + 1];
      copied = arrays_.loop(GsrbLoop::ghosts, color, 1), updated = arrays_.loop(gsrb_loop_of(p), color, 1);
      schedule_.push_back({.phase = halo, .exchange = [&](Peers& peers) { exchange_planes(arrays_.grid, copied.x, peers); }});
      schedule_.push_back({.phase = ghosts, .arguments = &copied, .extent = grid.rows()});
      schedule_.push_back({.phase = red + color, .arguments = &updated, .extent = grid.count() * grid.n * grid.n});
    }
  }

  void take_place(int rank, int ranks) override {
    first_plane_ = static_cast<std::int64_t>(arrays_.grid.side()) * rank;
    field_ = {.side = arrays_.grid.side(), .planes = arrays_.grid.side() * static_cast<std::uint64_t>(ranks)};
  }
  const std::vector<Step>& steps() const override { return schedule_; }

  /// Rows of all boxes, those of ghost cells among them.
  std::size_t extent() const override { return arrays_.grid.rows(); }
  void initialise(std::size_t begin, std::size_t end) override {
    fill_unknowns(begin, end);
    for (int d = 0; d < 3; ++d)
      fill(Arrays::beta + static_cast<std::size_t>(d), begin, end, [this, d](const BoxCell& c) { return field_.beta(d, c.i, c.j, c.k); });
    fill(Arrays::rhs, begin, end, [this](const BoxCell& c) { return field_.rhs(c.i, c.j, c.k); });
    fill(Arrays::diagonal, begin, end, [this](const BoxCell& c) { return c.is_cell ? 1 / field_.diagonal(c.i, c.j, c.k) : 0.5; });
    if (begin == 0) arrays_.fill_mask();  // what all share belongs to the first
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override { fill_unknowns(begin, end); }

  /// The largest error of a cell, relative to the largest sum of magnitudes that an update has: x and rhs are below 1, beta is at least
  /// 1/2.
  double error() const override {
    LargestError largest;
    const BoxGrid& grid = arrays_.grid;
    const auto x = arrays_[Arrays::x].to_host();
    const auto side = static_cast<std::int64_t>(grid.side()), border = static_cast<std::int64_t>((grid.boxes + 1) / 2 * grid.n);
    for (const auto& [begin, end] : GsrbReference::compared(side, border))
      GsrbReference(field_, first_plane_).for_cells(begin, end, [&](std::int64_t i, std::int64_t j, std::int64_t k, long double exact) {
        largest.compare(x[grid.cell(i, j, k)], exact, largest_sum);
      });
    return largest.value();
  }
  /// Some 25 roundings stand between a cell and its update, and an error of the first update is at most 1.3 times as large in the second.
  double tolerance() const override { return rounding_bound<Real>(60); }

 protected:
  using Arrays = GsrbArrays<Real, ArrayOf>;
  Arrays& arrays() { return arrays_; }
  /// x as a sweep finds it, and the array that it alternates with, in the rows [begin, end) of all boxes.
  void fill_unknowns(std::size_t begin, std::size_t end) {
    fill(Arrays::x, begin, end, [this](const BoxCell& c) { return c.is_cell ? field_.x(c.i, c.j, c.k) : 0.5; });
    fill(Arrays::other, begin, end, [](const BoxCell&) { return 0.5; });
  }

 private:
  enum Phases : std::size_t { halo, ghosts, red, black };
  static constexpr long double largest_sum = 6;

  /// Sets the cells of the rows [begin, end), ghost cells among them, to value(cell), k counted from the first of the whole grid.
  template <class Value>
  void fill(std::size_t which, std::size_t begin, std::size_t end, Value value) {
    fill_cells(arrays_[which], arrays_.grid, begin, end, [&](BoxCell cell) {
      cell.k += first_plane_;
      return Real(value(cell));
    });
  }

  Arrays arrays_;
  std::array<Arguments, 4> arguments_{};
  std::vector<Step> schedule_;
  std::int64_t first_plane_ = 0;
  GsrbField field_{1, 1};
};

inline KernelFacts gsrb_facts() {
  const auto smoothing = [](const char* variant, std::int64_t boxes, std::int64_t n) {
    return Parameters{{"variant", std::string(variant)}, {"boxes", boxes}, {"n", n}};
  };
  return {"proxies/gsrb",
          "Gauss-Seidel red-black smoother, 4th order, variable coefficients, out of place (HPGMG-FV; Yang, Kurth, Williams 2019)",
          {gsrb_variants(),
           {.name = "boxes", .preset = std::int64_t{2}, .description = "boxes of each side of a rank's cube (2: eight boxes)", .max = 64},
           {.name = "n", .preset = std::int64_t{32}, .description = "cells of each side of a box", .min = 2, .max = 1024}},
          // 19: long enough for every unrolled loop, and odd; 12: even, so that a GPU's threads all have a cell of the color
          {.edges = {smoothing("fp", 1, 19), smoothing("branch", 1, 19), smoothing("stride2", 1, 19), smoothing("stride2", 1, 12)},
           .caches = {smoothing("fp", 1, 6), smoothing("branch", 2, 6), smoothing("fp", 1, 19), smoothing("stride2", 1, 40)},
           .at_most = {{"boxes", std::int64_t{2}}, {"n", std::int64_t{5}}}}};
}

}  // namespace plumbline
