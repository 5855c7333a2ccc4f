// HPGMG-FV's Gauss-Seidel, red-black smoother: fourth order, variable coefficients, out of place, on boxes with ghost cells two deep (Yang,
// Kurth, Williams 2019, III.B). A sweep smooths once: the red cells, then the black ones, each after ghost cells have been exchanged. The
// same result by three loops: fp computes every cell and masks those of the other color out, branch skips them, stride2 steps over them.
#include <array>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "gsrb.flavors.hpp"
#include "proxies/grids/box_cells.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_arrays.hpp"
#include "proxies/grids/gsrb_loop.hpp"
#include "proxies/grids/gsrb_reference.hpp"
#include "proxies/grids/gsrb_work.hpp"

namespace plumbline {
namespace {

enum GsrbPhase : std::size_t { halo, ghosts, red, black };

template <class Real>
class GsrbCase final : public ApplicationData {
 public:
  using Arguments = Gsrb<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const BoxGrid grid = box_grid_of(p);
    return {.phases = {exchange_phase<Real>("halo", grid, 2),
                       {.name = "ghosts", .work = ghost_work<Real>(grid), .entries = 2},
                       {.name = "red", .work = update_work<Real>(grid, gsrb_loop_of(p), 0)},
                       {.name = "black", .work = update_work<Real>(grid, gsrb_loop_of(p), 1)}},
            .data_bytes = gsrb_data_bytes<Real>(grid)};
  }

  GsrbCase(const Parameters& p, std::pmr::memory_resource& memory) : arrays_(box_grid_of(p), memory) {
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
    restore(begin, end);
    for_own_cells(begin, end, [this](std::size_t at, bool is_cell, std::int64_t i, std::int64_t j, std::int64_t k) {
      for (int d = 0; d < 3; ++d) arrays_[Arrays::beta + static_cast<std::size_t>(d)][at] = Real(field_.beta(d, i, j, k));
      arrays_[Arrays::rhs][at] = Real(field_.rhs(i, j, k));
      arrays_[Arrays::diagonal][at] = Real(is_cell ? 1 / field_.diagonal(i, j, k) : 0.5);
    });
    if (begin == 0) arrays_.fill_mask();  // what all share belongs to the first
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for_own_cells(begin, end, [this](std::size_t at, bool is_cell, std::int64_t i, std::int64_t j, std::int64_t k) {
      arrays_[Arrays::x][at] = Real(is_cell ? field_.x(i, j, k) : 0.5);
      arrays_[Arrays::other][at] = Real(0.5);
    });
  }

  /// The largest error of a cell, relative to the largest sum of magnitudes that an update has: x and rhs are below 1, beta is at least
  /// 1/2.
  double error() const override {
    LargestError largest;
    const BoxGrid& grid = arrays_.grid;
    const auto side = static_cast<std::int64_t>(grid.side()), border = static_cast<std::int64_t>((grid.boxes + 1) / 2 * grid.n);
    for (const auto& [begin, end] : GsrbReference::compared(side, border))
      GsrbReference(field_, first_plane_).for_cells(begin, end, [&](std::int64_t i, std::int64_t j, std::int64_t k, long double exact) {
        largest.compare(arrays_[Arrays::x][grid.cell(i, j, k)], exact, largest_sum);
      });
    return largest.value();
  }
  /// Some 25 roundings stand between a cell and its update, and an error of the first update is at most 1.3 times as large in the second.
  double tolerance() const override { return rounding_bound<Real>(60); }

 private:
  using Arrays = GsrbArrays<Real>;
  static constexpr long double largest_sum = 6;

  /// Calls act(place in an array, whether it is no ghost, place in the whole grid) for each cell of the rows [begin, end).
  template <class Act>
  void for_own_cells(std::size_t begin, std::size_t end, Act act) const {
    for_cells(arrays_.grid, begin, end, [&](std::size_t at, bool is_cell, std::int64_t i, std::int64_t j, std::int64_t k) {
      act(at, is_cell, i, j, first_plane_ + k);
    });
  }

  Arrays arrays_;
  std::array<Arguments, 4> arguments_{};
  std::vector<Step> schedule_;
  std::int64_t first_plane_ = 0;
  GsrbField field_{1, 1};
};

Parameters smoothing(const char* variant, std::int64_t boxes, std::int64_t n) {
  return {{"variant", std::string(variant)}, {"boxes", boxes}, {"n", n}};
}

const Register<GsrbCase> registered{
    "proxies/gsrb",
    "Gauss-Seidel red-black smoother, 4th order, variable coefficients, out of place (HPGMG-FV; Yang, Kurth, Williams 2019)",
    {gsrb_variants(),
     {.name = "boxes", .preset = std::int64_t{2}, .description = "boxes of each side of a rank's cube (2: eight boxes)", .max = 64},
     {.name = "n", .preset = std::int64_t{32}, .description = "cells of each side of a box", .min = 2, .max = 1024}},
    gsrb_flavors,
    // 19: long enough for every unrolled loop, and odd
    {.edges = {smoothing("fp", 1, 19), smoothing("branch", 1, 19), smoothing("stride2", 1, 19)},
     .caches = {smoothing("fp", 1, 6), smoothing("branch", 2, 6), smoothing("fp", 1, 19), smoothing("stride2", 1, 40)},
     .at_most = {{"boxes", std::int64_t{2}}, {"n", std::int64_t{5}}}}};

}  // namespace
}  // namespace plumbline
