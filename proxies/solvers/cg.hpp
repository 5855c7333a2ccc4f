// Conjugate gradients as HPCG has them (Dongarra, Heroux, Luszczek 2015), on CPUs (cg.cpp) and GPUs (cg.cu): a matrix of 27 points on a
// box, stored with all its zeros, and a V-cycle of symmetric Gauss-Seidel before each step. Points of one color are smoothed together, and
// ranks exchange what others need of a color: so the iterations are the same on any number of threads and ranks, where HPCG's own are not.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/solvers/cg_grid.hpp"
#include "proxies/solvers/cg_level.hpp"
#include "proxies/solvers/cg_schedule.hpp"
#include "proxies/solvers/cg_work.hpp"
#include "proxies/solvers/solver_residuals.hpp"

namespace plumbline {

/// The data, the schedule and the check; what a part's loads cost is the space's.
template <class Real, template <class> class ArrayOf>
class CgData : public ApplicationData, public SolverResiduals {
 public:
  using Arguments = Cg<Real>;
  using Memory = typename ArrayOf<Real>::Memory;

  /// The phases, given work_of(part, grid).
  template <class WorkOf>
  static ApplicationWork phases(const Parameters& p, WorkOf work_of) {
    const std::vector<CgGrid> grids = cg_grids_of(p);
    const CgSchedule schedule(grids.size(), p.integer("iterations"));
    ApplicationWork cg;
    for (const CgGrid& grid : grids)
      cg.data_bytes += cg_row_bytes<Real>(grid.points()) + (2 * grid.points() + grid.with_neighbours()) * sizeof(Real);
    cg.data_bytes += (grids[0].with_neighbours() + 2 * grids[0].points()) * sizeof(Real);
    for (const auto& [key, entries] : schedule.phases()) {
      const auto [level, part] = key;
      const bool of_level = level < grids.size();
      Phase phase{.name = cg_part_names[static_cast<std::size_t>(part)], .work = work_of(part, grids[of_level ? level : 0])};
      phase.entries = entries;
      if (of_level) phase.name.append("@").append(std::to_string(level + 1));
      if (part == CgPart::halo)
        phase.messages = 1, phase.message_bytes = grids[level].plane() * sizeof(Real);
      else if (part == CgPart::sum)
        phase.messages = 1, phase.message_bytes = sizeof(double);
      cg.phases.push_back(std::move(phase));
    }
    return cg;
  }

  CgData(const Parameters& p, Memory& memory, const CgSpace& space)
      : order_(space.order),
        sums_{p.integer("iterations")},
        schedule_(p.integer("levels"), sums_.iterations),
        known_(cg_grids_of(p)[0].points(), memory),
        found_(known_.size(), memory),
        direction_(cg_grids_of(p)[0].with_neighbours(), memory),
        parts_(cg_grids_of(p)[0].planes * space.sums_of_a_plane, memory),
        factors_(factor_count, memory),
        all_sums_(sums_.count(), memory) {
    for (const CgGrid& grid : cg_grids_of(p)) levels_.emplace_back(grid, memory);
    for (const CgMove& move : schedule_.moves()) {
      Step next{.phase = schedule_.phase(move)};
      if (move.part == CgPart::halo)
        next.exchange = [this, move](Peers& peers) { exchange_plane(move, peers); };
      else if (move.part == CgPart::sum)
        next.exchange = [sum = sum_of(move)](Peers& peers) { peers.add_up({sum, 1}); };
      else
        next.arguments = &arguments_.emplace_back(arguments_of(move)), next.extent = extent_of(move);
      steps_.push_back(std::move(next));
    }
  }

  void take_place(int rank, int ranks) override {
    before_ = static_cast<std::size_t>(rank) * levels_[0].grid.planes, is_first_ = rank == 0, is_last_ = rank + 1 == ranks;
  }
  const std::vector<Step>& steps() const override { return steps_; }

  /// Lines of the finest grid.
  std::size_t extent() const override { return levels_[0].grid.lines(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for_levels(begin, end,
               [&](Level& level, std::size_t first, std::size_t last) { level.fill_rows(order_, first, last, is_first_, is_last_); });
    const std::size_t n = levels_[0].grid.n;
    known_.fill(begin * n, end * n, [&](std::size_t point) {
      double sum = 0;
      for_row(point,
              [&](const CgEntry& entry, double value) { sum += value * exact(entry.i, entry.j, entry.k, entry.di, entry.dj, entry.dk); });
      return Real(sum);
    });
    CgData::restore(begin, end);
    if (begin != 0) return;
    factors_.fill(minus_one, factor_count, [](std::size_t) { return Real(-1); });
    all_sums_.fill(sums_.gain(0), sums_.gain(1), [](std::size_t) { return 1.0; });
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for_unknowns(begin, end, [](auto& array, std::size_t from, std::size_t to, double value) {
      array.fill(from, to, [&](std::size_t) { return std::remove_reference_t<decltype(*array.data())>(value); });
    });
  }

  /// The largest of three errors: of the residual that the iterations have carried along, at points beside which no other rank's lie; of
  /// the solution, as far as that residual allows; and the residual itself, where it is no half of the first.
  double error() const override {
    const CgGrid& grid = levels_[0].grid;
    const auto known = known_.to_host(), found = found_.to_host(), right = levels_[0].right.to_host();
    const std::vector<double> squares = residuals_squared();
    LargestError largest;
    const auto keeps_within = [&](double difference, double bound) { largest.compare(difference, 0, bound / tolerance()); };
    const double last = std::sqrt(squares.back()), from_roundings = 2 * own_entry * tolerance();
    keeps_within(last, std::sqrt(squares.front()) / 2 + from_roundings);
    for (std::size_t point = 0; point < grid.points(); ++point) {
      const auto [i, j, k] = place_of(point);
      keeps_within(static_cast<double>(found[point]) - exact(i, j, k), grid.inverse_norm() * (last + from_roundings));
      if ((k == 0 && !is_first_) || (k + 1 == grid.planes && !is_last_)) continue;
      auto rest = static_cast<long double>(known[point]), scale = std::fabs(rest);
      for_row(point, [&](const CgEntry& entry, double value) {
        const long double term = value * static_cast<long double>(found[static_cast<std::size_t>(entry.column(grid))]);
        rest -= term, scale += std::fabs(term);
      });
      largest.compare(right[point], rest, scale);
    }
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(cg_entries * (2 * sums_.iterations + 2))); }

  std::vector<double> residuals_squared() const override {
    std::vector<double> squares;
    all_sums_.read(sums_.residual(0), sums_.residual(sums_.iterations) + 1, [&](std::size_t, double square) { squares.push_back(square); });
    return squares;
  }

 protected:
  using Level = CgLevel<Real, ArrayOf>;

  /// Calls act(array, begin, end, value) for what these lines of the finest level have of each array that a sweep changes: as it finds it
  /// or, where it computes it before it uses it, a number that none of it is to be. A vector's neighbours' planes belong to its first and
  /// last lines.
  template <class Act>
  void for_unknowns(std::size_t begin, std::size_t end, Act act) {
    const auto with_neighbours = [&](const CgGrid& grid, ArrayOf<Real>& vector, std::size_t first, std::size_t last) {
      act(vector, first == 0 ? 0 : grid.plane() + first * grid.n, last == grid.lines() ? vector.size() : grid.plane() + last * grid.n, 0.0);
    };
    for_levels(begin, end, [&](Level& level, std::size_t first, std::size_t last) {
      with_neighbours(level.grid, level.solution, first, last);
      for (ArrayOf<Real>* const vector : {&level.right, &level.product}) act(*vector, first * level.grid.n, last * level.grid.n, 0.5);
    });
    with_neighbours(levels_[0].grid, direction_, begin, end);
    act(found_, begin * levels_[0].grid.n, end * levels_[0].grid.n, 0.0);
    if (begin != 0) return;  // what all share belongs to the first
    act(parts_, std::size_t{0}, parts_.size(), 0.5);
    act(factors_, std::size_t{0}, std::size_t{minus_one}, 1.0);
    act(all_sums_, std::size_t{0}, sums_.gain(0), 1.0);
    act(all_sums_, sums_.gain(1), all_sums_.size(), 1.0);
  }

 private:
  enum Factor : std::size_t { step, turn, minus_one, factor_count };

  std::size_t extent_of(const CgMove& move) const {
    const CgGrid& grid = levels_[move.level].grid;
    switch (move.part) {
      case CgPart::smooth:
      case CgPart::restriction:
      case CgPart::prolongation:
        return grid.lines() / 4;
      case CgPart::product:
        return grid.lines();
      case CgPart::dot:
      case CgPart::norm:
        return grid.planes;
      case CgPart::scaled_sum:
      case CgPart::update:
        return grid.points();
      case CgPart::total:
      case CgPart::ratio:
      case CgPart::halo:
      case CgPart::sum:
        break;
    }
    return 1;
  }

  Real* own_direction() { return direction_.data() + levels_[0].grid.plane(); }
  double* sum_of(const CgMove& move) { return all_sums_.data() + sums_.of(move); }

  Arguments arguments_of(const CgMove& move) {
    Level& level = levels_[move.level];
    constexpr double least = sizeof(Real) == sizeof(float) ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    Arguments a{.loop = CgLoop::smoother, .n = level.grid.n, .planes = level.grid.planes, .color = move.color, .least = Real(least)};
    a.values = level.values.data(), a.columns = level.columns.data();
    switch (move.part) {
      case CgPart::smooth:
        a.in = level.right.data(), a.out = level.solution.data();
        break;
      case CgPart::product:
        a.loop = CgLoop::product;
        a.in = (move.what == CgWhat::solution ? level.solution : direction_).data();
        a.out = (move.what == CgWhat::residual ? level.right : level.product).data();
        break;
      case CgPart::restriction:
        a.loop = CgLoop::restriction;
        a.in = level.right.data(), a.other = level.product.data();
        a.out = levels_[move.level + 1].right.data(), a.cleared = levels_[move.level + 1].own_solution();
        break;
      case CgPart::prolongation:
        a.loop = CgLoop::prolongation;
        a.in = levels_[move.level + 1].own_solution(), a.out = level.own_solution();
        break;
      case CgPart::dot:
        a.loop = CgLoop::dot;
        a.in = move.what == CgWhat::gain ? level.right.data() : own_direction();
        a.other = move.what == CgWhat::gain ? level.own_solution() : level.product.data();
        a.out = parts_.data();
        break;
      case CgPart::norm:
        a.loop = CgLoop::norm, a.in = level.right.data(), a.out = parts_.data();
        break;
      case CgPart::total:
        a.loop = CgLoop::total, a.in = parts_.data(), a.sum = sum_of(move);
        break;
      case CgPart::ratio: {
        const bool of_step = move.what == CgWhat::step;
        const double* const sums = all_sums_.data();
        a.loop = CgLoop::ratio, a.numerator = sums + sums_.gain(move.iteration);
        a.denominator = sums + (of_step ? sums_.curvature(move.iteration) : sums_.gain(move.iteration - 1));
        a.out = factors_.data() + (of_step ? step : turn);
        break;
      }
      case CgPart::scaled_sum:
        a.loop = CgLoop::scaled_sum;
        a.in = move.what == CgWhat::residual ? known_.data() : level.own_solution();
        a.out = move.what == CgWhat::residual ? level.right.data() : own_direction();
        a.factor = factors_.data() + (move.what == CgWhat::residual ? minus_one : turn);
        break;
      case CgPart::update:
        a.loop = CgLoop::update;
        a.in = own_direction(), a.other = level.product.data(), a.factor = factors_.data() + step;
        a.out = found_.data(), a.updated = level.right.data(), a.cleared = level.own_solution();
        break;
      case CgPart::halo:
      case CgPart::sum:
        break;  // no loops
    }
    return a;
  }

  /// Shifts planes along the ring of ranks. What the first and the last get from each other meets zeros in the matrix.
  void exchange_plane(const CgMove& move, Peers& peers) {
    Level& level = levels_[move.level];
    Real* const vector = (move.what == CgWhat::solution ? level.solution : direction_).data();
    const std::size_t plane = level.grid.plane(), last = level.grid.planes * plane;
    const int before = (peers.rank() + peers.ranks() - 1) % peers.ranks(), behind = (peers.rank() + 1) % peers.ranks();
    Peers::Message message{.sent = vector + last, .to = behind, .received = vector, .from = before, .bytes = plane * sizeof(Real)};
    if (move.from_behind)
      message.sent = vector + plane, message.to = before, message.received = vector + last + plane, message.from = behind;
    peers.exchange({&message, 1});
  }

  std::array<std::size_t, 3> place_of(std::size_t point) const {
    const std::size_t n = levels_[0].grid.n, line = point / n;
    return {point % n, line % n, line / n};
  }
  /// Calls act(entry, value) for the entries of a point's row that are no zeros.
  template <class Act>
  void for_row(std::size_t point, Act act) const {
    const auto [i, j, k] = place_of(point);
    for (std::size_t in_row = 0; in_row < cg_entries; ++in_row) {
      const CgEntry entry(i, j, k, in_row);
      if (const double value = entry.value(levels_[0].grid, is_first_, is_last_); value != 0) act(entry, value);
    }
  }

  /// The solution that the right-hand side was made from, at this point moved by so much: varied over all ranks' points.
  double exact(std::size_t i, std::size_t j, std::size_t k, int di = 0, int dj = 0, int dk = 0) const {
    const std::size_t n = levels_[0].grid.n, point = ((before_ + k) * n + j) * n + i;
    return varied(0, point + static_cast<std::size_t>((dk * static_cast<std::ptrdiff_t>(n) + dj) * static_cast<std::ptrdiff_t>(n) + di));
  }

  /// Calls act(level, first line, last line) for the parts of all levels that belong to these lines of the finest.
  template <class Act>
  void for_levels(std::size_t begin, std::size_t end, Act act) {
    const std::size_t finest = extent();
    for (Level& level : levels_) {
      const std::size_t lines = level.grid.lines();
      act(level, begin * lines / finest, end * lines / finest);
    }
  }

  CgOrder order_;
  CgSums sums_;
  CgSchedule schedule_;
  std::deque<Level> levels_;  // the finest level's right-hand side is the residual, its solution the preconditioned one
  ArrayOf<Real> known_, found_, direction_, parts_, factors_;
  ArrayOf<double> all_sums_;
  std::size_t before_ = 0;  // points before this rank's, along z
  bool is_first_ = true, is_last_ = true;
  std::deque<Arguments> arguments_;
  std::vector<Step> steps_;
};

inline KernelFacts cg_facts() {
  const auto cg = [](std::int64_t n, std::int64_t planes, std::int64_t levels, std::int64_t iterations) {
    return Parameters{{"n", n}, {"planes", planes}, {"levels", levels}, {"iterations", iterations}};
  };
  return {"proxies/cg",
          "Conjugate gradients, 27-point operator, a V-cycle of symmetric Gauss-Seidel as preconditioner (HPCG)",
          {{.name = "n", .preset = std::int64_t{64}, .description = "points of a line, and lines of a plane", .min = 2, .max = 1024},
           {.name = "planes", .preset = std::int64_t{0}, .description = "planes of a rank; 0: as many as lines", .min = 0, .max = 1024},
           {.name = "levels",
            .preset = std::int64_t{4},
            .description = "grids of the preconditioner, each of half the points a side",
            .max = 8},
           {.name = "iterations", .preset = std::int64_t{10}, .description = "iterations, however close they come", .max = 1000}},
          {.edges = {cg(8, 4, 2, 2)},
           .caches = {cg(8, 0, 2, 1), cg(16, 0, 2, 1), cg(24, 0, 1, 1)},
           .at_most = {{"n", std::int64_t{8}}, {"planes", std::int64_t{8}}, {"levels", std::int64_t{2}}, {"iterations", std::int64_t{2}}}}};
}

}  // namespace plumbline
