// The transpose-free quasi-minimal residual method (Freund 1993) on a nonsymmetric sparse matrix, as PETSc's KSPTFQMR has it:
// preconditioned from the left by additive Schwarz, whose blocks overlap and are factored incompletely (PC_ASM_BASIC with ILU(0)). Blocks
// are as many planes of points, whatever the number of ranks and threads: so the iterations are the same on any, where PETSc has a block
// for each rank.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/solvers/schwarz_factors.hpp"
#include "proxies/solvers/solver_residuals.hpp"
#include "proxies/solvers/sparse_rows.hpp"
#include "proxies/solvers/tfqmr_grid.hpp"
#include "proxies/solvers/tfqmr_schedule.hpp"
#include "proxies/solvers/tfqmr_work.hpp"
#include "tfqmr.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class TfqmrCase final : public ApplicationData, public SolverResiduals {
 public:
  using Arguments = Tfqmr<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const SchwarzGrid grid = schwarz_grid_of(p);
    const std::uint64_t factor_entries = grid.blocks * (grid.lower_entries() + grid.upper_entries()), vectors = 9;
    ApplicationWork tfqmr;
    tfqmr.data_bytes = sparse_bytes<Real>(grid.own.points(), grid.entries()) + sparse_bytes<Real>(2 * grid.all_rows(), factor_entries) +
                       (2 * grid.all_rows() + 3 * grid.with_neighbours() + vectors * grid.own.points() + edge_points(grid)) * sizeof(Real);
    const TfqmrSchedule schedule(p.integer("iterations"));
    for (const auto& [part, entries] : schedule.entries()) {
      Phase phase{.name = tfqmr_part_names[static_cast<std::size_t>(part)], .work = tfqmr_work<Real>(part, grid), .entries = entries};
      if (part == TfqmrPart::halo || part == TfqmrPart::edges) phase.messages = 2, phase.message_bytes = edge_points(grid) * sizeof(Real);
      if (part == TfqmrPart::sum) phase.messages = 1, phase.message_bytes = sizeof(double);
      tfqmr.phases.push_back(std::move(phase));
    }
    return tfqmr;
  }

  TfqmrCase(const Parameters& p, std::pmr::memory_resource& memory)
      : grid_(schwarz_grid_of(p)),
        schedule_(p.integer("iterations")),
        matrix_(grid_.own.points(), grid_.entries(), memory),
        lower_(grid_.all_rows(), grid_.blocks * grid_.lower_entries(), memory),
        upper_(grid_.all_rows(), grid_.blocks * grid_.upper_entries(), memory),
        inverse_(grid_.all_rows(), memory),
        of_blocks_(grid_.all_rows(), memory),
        edges_(edge_points(grid_), memory),
        direction_(grid_.with_neighbours(), memory),
        pair_(grid_.with_neighbours(), memory),
        right_(grid_.with_neighbours(), memory),
        known_(grid_.own.points(), memory),
        residual_(known_.size(), memory),
        shadow_(known_.size(), memory),
        half_(known_.size(), memory),
        other_half_(known_.size(), memory),
        gained_(known_.size(), memory),
        lost_(known_.size(), memory),
        update_(known_.size(), memory),
        found_(known_.size(), memory),
        of_planes_(grid_.own.planes, memory),
        scalars_(tfqmr_scalars, memory) {
    residuals_.reserve(p.integer("iterations") + 1);
    for (const TfqmrMove& move : schedule_.moves()) {
      Step next{.phase = phase_of(move.part)};
      if (move.part == TfqmrPart::halo)
        next.exchange = [this, vector = multiplied(move.what)](Peers& peers) { exchange_planes(*vector, peers); };
      else if (move.part == TfqmrPart::edges)
        next.exchange = [this](Peers& peers) { exchange_edges(peers); };
      else if (move.part == TfqmrPart::sum)
        next.exchange = [this, what = move.what](Peers& peers) { add_up(what, peers); };
      else
        next.arguments = &arguments_.emplace_back(arguments_of(move)), next.extent = extent_of(move.part);
      steps_.push_back(std::move(next));
    }
  }

  void take_place(int rank, int ranks) override {
    before_ = static_cast<std::size_t>(rank) * grid_.own.planes, ring_ = static_cast<std::size_t>(ranks) * grid_.own.planes;
  }
  const std::vector<Step>& steps() const override { return steps_; }

  /// Blocks.
  std::size_t extent() const override { return grid_.blocks; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t first = block * grid_.block_planes(), row = first * grid_.plane(), extended = block * grid_.extended_rows();
      const SparseMatrix own =
          rows_of_planes(first, grid_.block_planes(), first + ConvectionGrid::planes_before, grid_.own.planes + SchwarzGrid::reach);
      matrix_.fill(own, row, block * own.entries());
      const IncompleteFactors factors =
          factor_incompletely(rows_of_planes(first - ConvectionGrid::planes_before, grid_.extended_planes(), 0, grid_.extended_planes()));
      lower_.fill(factors.lower, extended, block * grid_.lower_entries());
      upper_.fill(factors.upper, extended, block * grid_.upper_entries());
      for (std::size_t r = 0; r < grid_.extended_rows(); ++r) inverse_[extended + r] = Real(factors.inverse[r]);
      own_points(block, block + 1, [&](std::size_t point) { known_[point] = Real(right_hand_side(point)); });
    }
    restore(begin, end);
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    own_points(begin, end, [&](std::size_t point) {
      found_[point] = update_[point] = Real(0);
      for (Array<Real>* vector : {&residual_, &shadow_, &half_, &other_half_, &gained_, &lost_}) (*vector)[point] = Real(0.5);
    });
    for (Array<Real>* vector : {&direction_, &pair_, &right_}) {
      const std::size_t block = grid_.plane() * grid_.block_planes(), from = begin == 0 ? 0 : own_part() + begin * block;
      vector->fill(from, end == grid_.blocks ? vector->size() : own_part() + end * block, [](std::size_t) { return Real(0.5); });
    }
    of_blocks_.fill(begin * grid_.extended_rows(), end * grid_.extended_rows(), [](std::size_t) { return Real(0.5); });
    if (begin != 0) return;  // what all share belongs to the first
    edges_.fill(0, edges_.size(), [](std::size_t) { return Real(0.5); });
    of_planes_.fill(0, of_planes_.size(), [](std::size_t) { return Real(0.5); });
    scalars_.fill(0, scalars_.size(), [](std::size_t) { return Real(0); });
    residuals_.clear();
  }

  /// The largest of these errors: of the last product with the matrix, of the blocks' solutions and of their sum, each beside arithmetic of
  /// higher precision; of the solution, which may be off by `far` times the residual that the iterations know of; and of that residual,
  /// where it is no half of the first.
  double error() const override {
    if (residuals_.empty()) return std::numeric_limits<double>::infinity();  // no sweep
    LargestError largest;
    const auto keeps_within = [&](double difference, double bound) { largest.compare(difference, 0, bound / tolerance()); };
    constexpr double far = 4;
    const double last = std::sqrt(residuals_.back()),
                 from_roundings = 8 * static_cast<double>(residuals_.size()) * static_cast<double>(grid_.plane()) * tolerance();
    keeps_within(last, std::sqrt(residuals_.front()) / 2 + from_roundings);
    for (std::size_t point = 0; point < found_.size(); ++point)
      keeps_within(static_cast<double>(found_[point]) - exact(before_ * grid_.plane() + point), far * last + from_roundings);
    compare_product(largest);
    for (std::size_t block = 0; block < grid_.blocks; ++block) compare_block(block, largest);
    compare_sum(largest);
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(32); }

  std::vector<double> residuals_squared() const override { return residuals_; }

 private:
  /// The smallest number that is not rounded more coarsely than its size allows.
  static constexpr double smallest = sizeof(Real) == sizeof(float) ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  /// A row's scale is no smaller than this: below it roundings are as large as those of the smallest number, each times the row's entries.
  static constexpr double smallest_row = 64 * smallest;

  static std::uint64_t edge_points(const SchwarzGrid& grid) { return SchwarzGrid::reach * grid.plane(); }
  /// The place of the first own point in a vector with neighbours' planes.
  std::size_t own_part() const { return ConvectionGrid::planes_before * grid_.plane(); }
  std::size_t phase_of(TfqmrPart part) const {
    return static_cast<std::size_t>(std::distance(schedule_.entries().begin(), schedule_.entries().find(part)));
  }
  Array<Real>* multiplied(TfqmrWhat what) {
    return what == TfqmrWhat::direction ? &direction_ : what == TfqmrWhat::pair ? &pair_ : &right_;
  }

  std::size_t extent_of(TfqmrPart part) const {
    switch (part) {
      case TfqmrPart::forward:
      case TfqmrPart::backward:
        return grid_.blocks;
      case TfqmrPart::gather:
      case TfqmrPart::dot:
      case TfqmrPart::norm:
        return grid_.own.planes;
      case TfqmrPart::total:
      case TfqmrPart::first:
      case TfqmrPart::ratio:
      case TfqmrPart::half:
      case TfqmrPart::whole:
        return 1;
      default:
        return grid_.own.points();
    }
  }

  Arguments arguments_of(const TfqmrMove& move) {
    Arguments a{.loop = TfqmrLoop::copy,
                .plane = grid_.plane(),
                .planes = grid_.own.planes,
                .block_planes = grid_.block_planes(),
                .blocks = grid_.blocks,
                .scalars = scalars_.data(),
                .least = Real(smallest),
                .one = Real(1)};
    const auto takes_rows = [&](TfqmrLoop loop, SparseRows<Real>& rows) {
      a.loop = loop, a.values = rows.values.data(), a.columns = rows.columns.data(), a.starts = rows.starts.data();
    };
    switch (move.part) {
      case TfqmrPart::product:
        takes_rows(TfqmrLoop::product, matrix_);
        a.in = multiplied(move.what)->data(), a.out = right_.data() + own_part();
        break;
      case TfqmrPart::forward:
        takes_rows(TfqmrLoop::forward, lower_);
        a.in = right_.data(), a.out = of_blocks_.data();
        break;
      case TfqmrPart::backward:
        takes_rows(TfqmrLoop::backward, upper_);
        a.inverse = inverse_.data(), a.out = of_blocks_.data();
        break;
      case TfqmrPart::gather:
        a.loop = TfqmrLoop::gather, a.in = of_blocks_.data(), a.other = edges_.data();
        a.out = (move.what == TfqmrWhat::known ? residual_ : move.what == TfqmrWhat::direction ? gained_ : lost_).data();
        break;
      case TfqmrPart::dot:
        a.loop = TfqmrLoop::dot, a.in = (move.what == TfqmrWhat::sigma ? gained_ : residual_).data(), a.other = shadow_.data();
        a.out = of_planes_.data();
        break;
      case TfqmrPart::norm:
        a.loop = TfqmrLoop::norm, a.in = residual_.data(), a.out = of_planes_.data();
        break;
      case TfqmrPart::total:
        a.loop = TfqmrLoop::total, a.in = of_planes_.data();
        break;
      case TfqmrPart::first:
        a.loop = TfqmrLoop::first;
        break;
      case TfqmrPart::ratio:
        a.loop = move.what == TfqmrWhat::step ? TfqmrLoop::step : TfqmrLoop::turn;
        break;
      case TfqmrPart::half:
        a.loop = TfqmrLoop::half_weight;
        break;
      case TfqmrPart::whole:
        a.loop = TfqmrLoop::whole_weight;
        break;
      case TfqmrPart::copy:
        a.in = known_.data(), a.out = right_.data() + own_part();
        break;
      case TfqmrPart::begin:
        a.loop = TfqmrLoop::begin, a.in = residual_.data();
        a.out = shadow_.data(), a.second = half_.data(), a.third = direction_.data() + own_part();
        break;
      case TfqmrPart::between:
        a.loop = TfqmrLoop::between, a.in = half_.data(), a.other = gained_.data();
        a.out = other_half_.data(), a.second = pair_.data() + own_part();
        break;
      case TfqmrPart::shorten:
        a.loop = TfqmrLoop::shorten, a.in = lost_.data(), a.out = residual_.data();
        break;
      case TfqmrPart::solution:
        a.loop = TfqmrLoop::solution, a.in = (move.what == TfqmrWhat::half ? half_ : other_half_).data();
        a.out = update_.data(), a.second = found_.data();
        break;
      case TfqmrPart::directions:
        a.loop = TfqmrLoop::directions, a.in = residual_.data(), a.other = other_half_.data();
        a.out = half_.data(), a.second = direction_.data() + own_part();
        break;
      case TfqmrPart::halo:
      case TfqmrPart::edges:
      case TfqmrPart::sum:
        break;  // no loops
    }
    return a;
  }

  /// One piece goes to the rank before and another to the one behind; theirs come the other way.
  static void exchange_both(const Real* to_before, Real* from_behind, std::size_t before_points, const Real* to_behind, Real* from_before,
                            std::size_t behind_points, Peers& peers) {
    const int before = (peers.rank() + peers.ranks() - 1) % peers.ranks(), behind = (peers.rank() + 1) % peers.ranks();
    const std::array<Peers::Message, 2> messages{
        {{.sent = to_before, .to = before, .received = from_behind, .from = behind, .bytes = before_points * sizeof(Real)},
         {.sent = to_behind, .to = behind, .received = from_before, .from = before, .bytes = behind_points * sizeof(Real)}}};
    peers.exchange(messages);
  }
  void exchange_planes(Array<Real>& vector, Peers& peers) {
    const std::size_t plane = grid_.plane(), own_end = own_part() + grid_.own.points();
    exchange_both(&vector[own_part()], &vector[own_end], plane, &vector[own_end - 2 * plane], &vector[0], 2 * plane, peers);
  }
  /// The first and the last block's solutions for other ranks' points go there.
  void exchange_edges(Peers& peers) {
    const std::size_t plane = grid_.plane();
    exchange_both(&of_blocks_[0], &edges_[0], 2 * plane, &of_blocks_[of_blocks_.size() - plane], &edges_[2 * plane], plane, peers);
  }
  void add_up(TfqmrWhat what, Peers& peers) {
    auto sum = static_cast<double>(scalars_[tfqmr_all]);
    peers.add_up({&sum, 1});
    if (what == TfqmrWhat::sigma) scalars_[tfqmr_sigma] = Real(sum);
    if (what == TfqmrWhat::known || what == TfqmrWhat::residual) scalars_[tfqmr_squares] = Real(sum);
    if (what == TfqmrWhat::known) scalars_[tfqmr_rho] = Real(sum), residuals_.push_back(sum);
    if (what != TfqmrWhat::rho) return;
    scalars_[tfqmr_last_rho] = scalars_[tfqmr_rho], scalars_[tfqmr_rho] = Real(sum);
    const auto tau = static_cast<double>(scalars_[tfqmr_tau]);
    residuals_.push_back(static_cast<double>(2 * residuals_.size() + 1) * tau * tau);
  }

  /// The number in the ring of all ranks' points of one that lies so many of this rank's planes away from its first.
  std::size_t in_ring(std::size_t plane, std::size_t in_plane) const {
    return (before_ + ring_ + plane) % ring_ * grid_.plane() + in_plane;
  }
  /// The rows of so many planes from `first` on, which may lie with a neighbour. Columns are places in `width` planes, of which the point
  /// of the first row is in plane `at`; what lies outside of them has no entry.
  SparseMatrix rows_of_planes(std::size_t first, std::size_t count, std::size_t at, std::size_t width) const {
    SparseMatrix matrix;
    matrix.width = width * grid_.plane();
    const auto offset = static_cast<std::ptrdiff_t>(at * grid_.plane());
    for (std::size_t row = 0; row < count * grid_.plane(); ++row) {
      const std::size_t in_plane = row % grid_.plane();
      for_convection_row(grid_.own, in_plane % grid_.own.n, in_plane / grid_.own.n, in_ring(first + row / grid_.plane(), in_plane),
                         [&](const ConvectionEntry& entry, double value) {
                           const std::ptrdiff_t column = offset + static_cast<std::ptrdiff_t>(row) + grid_.own.away(entry);
                           if (column >= 0 && column < static_cast<std::ptrdiff_t>(matrix.width))
                             matrix.add(static_cast<std::int32_t>(column), value);
                         });
      matrix.end_row();
    }
    return matrix;
  }

  /// Calls act(point) for the points of these blocks' own planes.
  template <class Act>
  void own_points(std::size_t begin, std::size_t end, Act act) const {
    const std::size_t block = grid_.plane() * grid_.block_planes();
    for (std::size_t point = begin * block; point < end * block; ++point) act(point);
  }

  /// The solution that the right-hand side was made from: varied.
  static double exact(std::size_t in_ring) { return varied(3, in_ring); }
  double right_hand_side(std::size_t point) const {
    const std::size_t in_plane = point % grid_.plane(), plane = point / grid_.plane(), place = in_ring(plane, in_plane);
    double sum = 0;
    for_convection_row(grid_.own, in_plane % grid_.own.n, in_plane / grid_.own.n, place, [&](const ConvectionEntry& entry, double value) {
      const auto there = static_cast<std::ptrdiff_t>(ring_ * grid_.plane() + place) + grid_.own.away(entry);
      sum += value * exact(static_cast<std::size_t>(there) % (ring_ * grid_.plane()));
    });
    return sum;
  }

  /// Takes a row's entries, times points of `x`, off `rest`; `scale` grows by their magnitudes.
  template <class Vector>
  static void take_off(const SparseRows<Real>& rows, std::size_t row, const Vector& x, std::size_t x_begin, long double& rest,
                       long double& scale) {
    for (auto entry = static_cast<std::size_t>(rows.starts[row]); entry < static_cast<std::size_t>(rows.starts[row + 1]); ++entry) {
      const long double term = static_cast<long double>(rows.values[entry]) *
                               static_cast<long double>(x[x_begin + static_cast<std::size_t>(rows.columns[entry])]);
      rest -= term, scale += std::fabs(term);
    }
  }
  void compare_product(LargestError& largest) const {
    for (std::size_t row = 0; row < known_.size(); ++row) {
      long double rest = 0, scale = smallest_row;
      take_off(matrix_, row, pair_, 0, rest, scale);
      largest.compare(right_[own_part() + row], -rest, scale);
    }
  }
  /// The factors times what a block found are what it divided.
  void compare_block(std::size_t block, LargestError& largest) const {
    const std::size_t rows = grid_.extended_rows(), begin = block * rows, in = block * grid_.block_planes() * grid_.plane();
    std::vector<long double> upper(rows), magnitude(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      upper[r] = -static_cast<long double>(of_blocks_[begin + r]) / static_cast<long double>(inverse_[begin + r]);
      magnitude[r] = std::fabs(upper[r]);
      take_off(upper_, begin + r, of_blocks_, begin, upper[r], magnitude[r]);
      upper[r] = -upper[r];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      long double rest = -upper[r], scale = magnitude[r] + smallest_row, unused = 0, of_magnitudes = 0;
      take_off(lower_, begin + r, upper, 0, rest, unused);
      take_off(lower_, begin + r, magnitude, 0, unused, of_magnitudes);
      largest.compare(right_[in + r], -rest, scale + of_magnitudes);
    }
  }
  /// Terms may cancel, so that their sum is as exact as they are large.
  void compare_sum(LargestError& largest) const {
    const std::size_t n = grid_.plane(), rows = grid_.extended_rows(), planes = grid_.block_planes();
    for (std::size_t point = 0; point < known_.size(); ++point) {
      const std::size_t plane = point / n, i = point % n, block = plane / planes, q = plane % planes;
      long double sum = 0, magnitude = 0;
      const auto add = [&](Real term) { sum += static_cast<long double>(term), magnitude += std::fabs(static_cast<long double>(term)); };
      const auto found = [&](std::size_t of_block, std::size_t of_plane) { return of_blocks_[of_block * rows + of_plane * n + i]; };
      const auto found_elsewhere = [&](std::size_t of_plane) { return edges_[of_plane * n + i]; };
      add(found(block, q + 2));
      if (q + 2 >= planes) add(block + 1 == grid_.blocks ? found_elsewhere(q + 2 - planes) : found(block + 1, q + 2 - planes));
      if (q == 0) add(block == 0 ? found_elsewhere(2) : found(block - 1, planes + 2));
      largest.compare(lost_[point], sum, magnitude + smallest_row);
    }
  }

  SchwarzGrid grid_;
  TfqmrSchedule schedule_;
  SparseRows<Real> matrix_, lower_, upper_;
  Array<Real> inverse_;
  Array<Real> of_blocks_, edges_;                     // what each block found; what other ranks' blocks found for points of this one
  Array<Real> direction_, pair_, right_;              // with neighbours' planes: p and t of the method, and what the blocks divide
  Array<Real> known_, residual_, shadow_;             // b, r, and the first residual
  Array<Real> half_, other_half_, gained_, lost_;     // u, q, and the preconditioned products v and auq
  Array<Real> update_, found_, of_planes_, scalars_;  // d, x
  std::vector<double> residuals_;
  std::size_t before_ = 0, ring_ = 0;  // planes before this rank's, and of all ranks
  std::deque<Arguments> arguments_;
  std::vector<Step> steps_;
};

Parameters tfqmr(std::int64_t n, std::int64_t lines, std::int64_t planes, std::int64_t blocks, std::int64_t iterations) {
  return {{"n", n}, {"lines", lines}, {"planes", planes}, {"blocks", blocks}, {"iterations", iterations}};
}

const Register<TfqmrCase> registered{
    "proxies/tfqmr",
    "Transpose-free QMR on a nonsymmetric sparse matrix, preconditioned by additive Schwarz (PETSc's tfqmr and asm)",
    {{.name = "n", .preset = std::int64_t{48}, .description = "points of a line", .min = 2, .max = 65536},
     {.name = "lines",
      .preset = std::int64_t{0},
      .description = "lines of a plane; 0: as many as points, 1: in two dimensions",
      .min = 0,
      .max = 4096},
     {.name = "planes",
      .preset = std::int64_t{0},
      .description = "planes of a rank; 0: as many as points of a line",
      .min = 0,
      .max = 65536},
     {.name = "blocks", .preset = std::int64_t{4}, .description = "blocks of a rank, which threads share", .max = 1024},
     {.name = "iterations", .preset = std::int64_t{10}, .description = "iterations, however close they come", .max = 1000}},
    tfqmr_flavors,
    {.edges = {tfqmr(6, 2, 4, 2, 2), tfqmr(12, 1, 9, 3, 1), tfqmr(3, 4, 5, 1, 1)},
     .caches = {tfqmr(8, 0, 0, 2, 1), tfqmr(16, 0, 12, 2, 1), tfqmr(16, 0, 0, 1, 1)},
     .at_most = {{"n", std::int64_t{8}}, {"planes", std::int64_t{8}}, {"iterations", std::int64_t{2}}}}};

}  // namespace
}  // namespace plumbline
