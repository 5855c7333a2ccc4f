// Conjugate gradients as HPCG has them (Dongarra, Heroux, Luszczek 2015): a matrix of 27 points on a box, stored row by row, and a V-cycle
// of symmetric Gauss-Seidel before each step. Points of one color are smoothed together, and ranks exchange what others need of a color: so
// the iterations are the same on any number of threads and ranks, where HPCG's own are not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cg.flavors.hpp"
#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/solvers/cg_grid.hpp"
#include "proxies/solvers/cg_level.hpp"
#include "proxies/solvers/cg_schedule.hpp"
#include "proxies/solvers/cg_work.hpp"
#include "proxies/solvers/solver_residuals.hpp"
#include "proxies/solvers/vector_work.hpp"

namespace plumbline {
namespace {

template <class Real>
class CgCase final : public ApplicationData, public SolverResiduals {
 public:
  using Arguments = Cg<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::vector<CgGrid> grids = cg_grids_of(p);
    const CgSchedule schedule(grids.size(), p.integer("iterations"));
    ApplicationWork cg;
    for (const CgGrid& grid : grids)
      cg.data_bytes += cg_row_bytes<Real>(grid.points()) + (2 * grid.points() + grid.with_neighbours()) * sizeof(Real);
    cg.data_bytes += (grids[0].with_neighbours() + 2 * grids[0].points()) * sizeof(Real);
    for (const auto& [key, entries] : schedule.phases()) {
      const auto [level, part] = key;
      const bool of_level = level < grids.size();
      Phase phase{.name = cg_part_names[static_cast<std::size_t>(part)], .entries = entries};
      if (of_level) phase.name += "@" + std::to_string(level + 1);
      const CgGrid& grid = grids[of_level ? level : 0];
      if (part == CgPart::halo)
        phase.messages = 1, phase.message_bytes = grid.plane() * sizeof(Real);
      else if (part == CgPart::sum)
        phase.messages = 1, phase.message_bytes = sizeof(double);
      else
        phase.work = work_of(part, grid);
      cg.phases.push_back(std::move(phase));
    }
    return cg;
  }

  CgCase(const Parameters& p, std::pmr::memory_resource& memory)
      : iterations_(p.integer("iterations")),
        schedule_(p.integer("levels"), iterations_),
        known_(cg_grids_of(p)[0].points(), memory),
        found_(known_.size(), memory),
        direction_(cg_grids_of(p)[0].with_neighbours(), memory),
        of_planes_(cg_grids_of(p)[0].planes, memory),
        scalars_(scalar_count, memory) {
    for (const CgGrid& grid : cg_grids_of(p)) levels_.emplace_back(grid, memory);
    residuals_.reserve(iterations_ + 1);
    for (const CgMove& move : schedule_.moves()) {
      Step next{.phase = schedule_.phase(move)};
      if (move.part == CgPart::halo)
        next.exchange = [this, move](Peers& peers) { exchange_plane(move, peers); };
      else if (move.part == CgPart::sum)
        next.exchange = [this, what = move.what](Peers& peers) { add_up(what, peers); };
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
               [&](CgLevel<Real>& level, std::size_t first, std::size_t last) { level.fill_rows(first, last, is_first_, is_last_); });
    levels_[0].for_points(begin, end, [&](std::size_t point, std::size_t i, std::size_t j, std::size_t k) {
      double sum = own_entry * exact(i, j, k);
      for (int dk = -1; dk <= 1; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di)
            if (di != 0 || dj != 0 || dk != 0) sum += other_entry * exact(i, j, k, di, dj, dk);
      known_[point] = Real(sum);
    });
    restore(begin, end);
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for_levels(begin, end, [&](CgLevel<Real>& level, std::size_t first, std::size_t last) {
      clear(level.grid, level.solution, first, last);
      level.for_points(first, last, [&](std::size_t point, auto...) { level.right[point] = level.product[point] = Real(0.5); });
    });
    clear(levels_[0].grid, direction_, begin, end);
    levels_[0].for_points(begin, end, [&](std::size_t point, auto...) { found_[point] = Real(0); });
    if (begin != 0) return;  // what all share belongs to the first
    of_planes_.fill(0, of_planes_.size(), [](std::size_t) { return Real(0.5); });
    scalars_.fill(0, scalars_.size(), [](std::size_t which) { return Real(which == minus_one ? -1 : 1); });
    residuals_.clear();
  }

  /// The largest of three errors: of the residual that the iterations have carried along, at points beside which no other rank's lie; of
  /// the solution, as far as that residual allows; and the residual itself, where it is no half of the first.
  double error() const override {
    if (residuals_.empty()) return std::numeric_limits<double>::infinity();  // no sweep
    const CgLevel<Real>& finest = levels_[0];
    const CgGrid& grid = finest.grid;
    LargestError largest;
    const auto keeps_within = [&](double difference, double bound) { largest.compare(difference, 0, bound / tolerance()); };
    const double last = std::sqrt(residuals_.back()), from_roundings = 2 * own_entry * tolerance();
    keeps_within(last, std::sqrt(residuals_.front()) / 2 + from_roundings);
    finest.for_points(0, grid.lines(), [&](std::size_t point, std::size_t i, std::size_t j, std::size_t k) {
      keeps_within(static_cast<double>(found_[point]) - exact(i, j, k), grid.inverse_norm() * (last + from_roundings));
      if ((k == 0 && !is_first_) || (k + 1 == grid.planes && !is_last_)) return;
      auto rest = static_cast<long double>(known_[point]), scale = std::fabs(rest);
      finest.for_entries(point, [&](Real value, std::size_t column) {
        const long double term = static_cast<long double>(value) * static_cast<long double>(found_[column - grid.plane()]);
        rest -= term, scale += std::fabs(term);
      });
      largest.compare(finest.right[point], rest, scale);
    });
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(cg_entries * (2 * iterations_ + 2))); }

  std::span<const double> residuals_squared() const override { return residuals_; }

 private:
  enum Scalar : std::size_t { all, gain, last_gain, curvature, step, turn, minus_one, scalar_count };

  static Work work_of(CgPart part, const CgGrid& grid) {
    switch (part) {
      case CgPart::smooth:
        return cg_smooth_work<Real>(grid);
      case CgPart::product:
        return cg_product_work<Real>(grid);
      case CgPart::restriction:
        return cg_restriction_work<Real>(grid);
      case CgPart::prolongation:
        return cg_prolongation_work<Real>(grid);
      case CgPart::dot:
        return plane_sums_work<Real>(grid.points(), grid.planes, 2);
      case CgPart::norm:
        return plane_sums_work<Real>(grid.points(), grid.planes, 1);
      case CgPart::total:
        return total_work<Real>(grid.planes);
      case CgPart::ratio:
        return cg_ratio_work<Real>();
      case CgPart::scaled_sum:
        return cg_scaled_sum_work<Real>(grid);
      case CgPart::update:
        return cg_update_work<Real>(grid);
      case CgPart::halo:
      case CgPart::sum:
        break;
    }
    return {};
  }

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

  Arguments arguments_of(const CgMove& move) {
    CgLevel<Real>& level = levels_[move.level];
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
        a.out = of_planes_.data();
        break;
      case CgPart::norm:
        a.loop = CgLoop::norm, a.in = level.right.data(), a.out = of_planes_.data();
        break;
      case CgPart::total:
        a.loop = CgLoop::total, a.in = of_planes_.data(), a.out = &scalars_[all];
        break;
      case CgPart::ratio:
        a.loop = CgLoop::ratio, a.in = &scalars_[gain];
        a.other = &scalars_[move.what == CgWhat::step ? curvature : last_gain], a.out = &scalars_[move.what == CgWhat::step ? step : turn];
        break;
      case CgPart::scaled_sum:
        a.loop = CgLoop::scaled_sum;
        a.in = move.what == CgWhat::residual ? known_.data() : level.own_solution();
        a.out = move.what == CgWhat::residual ? level.right.data() : own_direction();
        a.factor = &scalars_[move.what == CgWhat::residual ? minus_one : turn];
        break;
      case CgPart::update:
        a.loop = CgLoop::update;
        a.in = own_direction(), a.other = level.product.data(), a.factor = &scalars_[step];
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
    CgLevel<Real>& level = levels_[move.level];
    Real* const vector = (move.what == CgWhat::solution ? level.solution : direction_).data();
    const std::size_t plane = level.grid.plane(), last = level.grid.planes * plane;
    const int before = (peers.rank() + peers.ranks() - 1) % peers.ranks(), behind = (peers.rank() + 1) % peers.ranks();
    Peers::Message message{.sent = vector + last, .to = behind, .received = vector, .from = before, .bytes = plane * sizeof(Real)};
    if (move.from_behind)
      message.sent = vector + plane, message.to = before, message.received = vector + last + plane, message.from = behind;
    peers.exchange({&message, 1});
  }
  void add_up(CgWhat what, Peers& peers) {
    auto sum = static_cast<double>(scalars_[all]);
    peers.add_up({&sum, 1});
    if (what == CgWhat::residual) residuals_.push_back(sum);
    if (what == CgWhat::curvature) scalars_[curvature] = Real(sum);
    if (what == CgWhat::gain) scalars_[last_gain] = scalars_[gain], scalars_[gain] = Real(sum);
  }

  /// The solution that the right-hand side was made from, at this point moved by so much: varied, and zero outside of all ranks' points.
  double exact(std::size_t i, std::size_t j, std::size_t k, int di = 0, int dj = 0, int dk = 0) const {
    const CgGrid& grid = levels_[0].grid;
    if (!grid.has_neighbour(i, di, grid.n) || !grid.has_neighbour(j, dj, grid.n)) return 0;
    if (!grid.has_neighbour(k, dk, grid.planes) && (dk < 0 ? is_first_ : is_last_)) return 0;
    const std::size_t point = ((before_ + k) * grid.n + j) * grid.n + i;
    return varied(
        0, point + static_cast<std::size_t>((dk * static_cast<std::ptrdiff_t>(grid.n) + dj) * static_cast<std::ptrdiff_t>(grid.n) + di));
  }

  /// Calls act(level, first line, last line) for the parts of all levels that belong to these lines of the finest.
  template <class Act>
  void for_levels(std::size_t begin, std::size_t end, Act act) {
    const std::size_t finest = extent();
    for (CgLevel<Real>& level : levels_) {
      const std::size_t lines = level.grid.lines();
      act(level, begin * lines / finest, end * lines / finest);
    }
  }
  /// Clears these lines of a vector, and the neighbours' planes with the first and the last.
  static void clear(const CgGrid& grid, Array<Real>& vector, std::size_t begin, std::size_t end) {
    const std::size_t from = begin == 0 ? 0 : grid.plane() + begin * grid.n;
    const std::size_t to = end == grid.lines() ? vector.size() : grid.plane() + end * grid.n;
    vector.fill(from, to, [](std::size_t) { return Real(0); });
  }

  std::uint64_t iterations_;
  CgSchedule schedule_;
  std::deque<CgLevel<Real>> levels_;  // the finest level's right-hand side is the residual, its solution the preconditioned one
  Array<Real> known_, found_, direction_, of_planes_, scalars_;
  std::vector<double> residuals_;
  std::size_t before_ = 0;  // points before this rank's, along z
  bool is_first_ = true, is_last_ = true;
  std::deque<Arguments> arguments_;
  std::vector<Step> steps_;
};

Parameters cg(std::int64_t n, std::int64_t planes, std::int64_t levels, std::int64_t iterations) {
  return {{"n", n}, {"planes", planes}, {"levels", levels}, {"iterations", iterations}};
}

const Register<CgCase> registered{
    "proxies/cg",
    "Conjugate gradients, 27-point operator, a V-cycle of symmetric Gauss-Seidel as preconditioner (HPCG)",
    {{.name = "n", .preset = std::int64_t{64}, .description = "points of a line, and lines of a plane", .min = 2, .max = 1024},
     {.name = "planes", .preset = std::int64_t{0}, .description = "planes of a rank; 0: as many as lines", .min = 0, .max = 1024},
     {.name = "levels", .preset = std::int64_t{4}, .description = "grids of the preconditioner, each of half the points a side", .max = 8},
     {.name = "iterations", .preset = std::int64_t{10}, .description = "iterations, however close they come", .max = 1000}},
    cg_flavors,
    {.edges = {cg(8, 4, 2, 2)},
     .caches = {cg(8, 0, 2, 1), cg(16, 0, 2, 1), cg(24, 0, 1, 1)},
     .at_most = {{"n", std::int64_t{8}}, {"planes", std::int64_t{8}}, {"levels", std::int64_t{2}}, {"iterations", std::int64_t{2}}}}};

}  // namespace
}  // namespace plumbline
