// The order of conjugate gradients' steps (Hestenes and Stiefel 1952; preconditioned by one V-cycle, as HPCG has it).
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace plumbline {

/// The first five, up to the prolongation, are a level's.
enum class CgPart : std::uint8_t { halo, smooth, product, restriction, prolongation, dot, norm, total, sum, ratio, scaled_sum, update };
inline constexpr const char* cg_part_names[] = {"halo", "smooth", "product", "restrict", "prolong", "dot",
                                                "norm", "total",  "sum",     "ratio",    "scale",   "update"};

/// The vector or the number that a step is about, where its part alone does not say it.
enum class CgWhat : std::uint8_t {
  solution,   // halo, product: of the level
  direction,  // halo, product: of the search
  residual,   // product, scale: the first residual, from the direction; total, sum: its norm
  gain,       // dot, total, sum: residual times solution, r'z
  curvature,  // dot, total, sum: direction times its product, p'Ap
  step,       // ratio: how far the solution goes in the direction
  turn        // ratio, scale: how much of the last direction is in the next one
};

struct CgMove {
  CgPart part;
  std::size_t level = 0;
  CgWhat what = CgWhat::solution;
  std::size_t color = 0;        // smooth
  bool from_behind = false;     // halo: the plane comes from the rank behind, else from the one before
  std::uint64_t iteration = 0;  // total, sum, ratio: counted from 1; 0: before all
};

/// The places of all sums of so many iterations: each has one of its own, so that none is read or moved by the host.
struct CgSums {
  std::uint64_t iterations;

  std::size_t count() const { return 3 * iterations + 2; }
  /// The squares of the residual's norms come first, from that before all iterations on; there is no gain before the first, which counts
  /// as 1.
  std::size_t residual(std::uint64_t iteration) const { return iteration; }
  std::size_t gain(std::uint64_t iteration) const { return iterations + 1 + iteration; }
  std::size_t curvature(std::uint64_t iteration) const { return 2 * iterations + 1 + iteration; }
  std::size_t of(const CgMove& move) const {
    return move.what == CgWhat::residual ? residual(move.iteration)
           : move.what == CgWhat::gain   ? gain(move.iteration)
                                         : curvature(move.iteration);
  }
};

/// All steps of so many iterations. A right-hand side is known; the solution begins at zero.
class CgSchedule {
 public:
  CgSchedule(std::size_t levels, std::uint64_t iterations) : levels_(levels) {
    multiply(0, CgWhat::direction, CgWhat::residual);
    add({.part = CgPart::scaled_sum, .what = CgWhat::residual});
    sum_up(CgPart::norm, CgWhat::residual, 0);
    for (std::uint64_t iteration = 1; iteration <= iterations; ++iteration) {
      precondition(0);
      sum_up(CgPart::dot, CgWhat::gain, iteration);
      add({.part = CgPart::ratio, .what = CgWhat::turn, .iteration = iteration});
      add({.part = CgPart::scaled_sum, .what = CgWhat::turn});
      multiply(0, CgWhat::direction, CgWhat::direction);
      sum_up(CgPart::dot, CgWhat::curvature, iteration);
      add({.part = CgPart::ratio, .what = CgWhat::step, .iteration = iteration});
      add({.part = CgPart::update});
      sum_up(CgPart::norm, CgWhat::residual, iteration);
    }
  }
  const std::vector<CgMove>& moves() const { return moves_; }

  /// The phases, those of the finest level first and those without a level last, and how often a sweep enters each.
  using Phases = std::map<std::pair<std::size_t, CgPart>, std::uint64_t>;
  const Phases& phases() const { return phases_; }
  /// A step's place among them.
  std::size_t phase(const CgMove& move) const {
    return static_cast<std::size_t>(std::distance(phases_.begin(), phases_.find(phase_of(move))));
  }

 private:
  Phases::key_type phase_of(const CgMove& move) const { return {move.part > CgPart::prolongation ? levels_ : move.level, move.part}; }
  void add(const CgMove& move) {
    moves_.push_back(move);
    ++phases_[phase_of(move)];
  }
  void exchange(std::size_t level, CgWhat what, bool from_behind) {
    add({.part = CgPart::halo, .level = level, .what = what, .from_behind = from_behind});
  }
  void multiply(std::size_t level, CgWhat vector, CgWhat what) {
    exchange(level, vector, false);
    exchange(level, vector, true);
    add({.part = CgPart::product, .level = level, .what = what});
  }
  void sum_up(CgPart part, CgWhat what, std::uint64_t iteration) {
    add({.part = part, .what = what});
    add({.part = CgPart::total, .what = what, .iteration = iteration});
    add({.part = CgPart::sum, .what = what, .iteration = iteration});
  }
  /// Colors in one order, and in the other. Points that the coarser level has, of color 0, come in the middle: where a color is the last
  /// to be smoothed no residual is left for the coarser level. Odd planes need the plane behind, even ones the plane before, which odd
  /// planes alone change.
  void smooth(std::size_t level) {
    constexpr std::size_t colors = 8, half = colors / 2;
    const auto pass = [&](std::size_t color) { add({.part = CgPart::smooth, .level = level, .color = color}); };
    exchange(level, CgWhat::solution, true);
    for (std::size_t color = colors; color-- > half;) pass(color);
    exchange(level, CgWhat::solution, false);
    for (std::size_t color = half; color-- > 0;) pass(color);
    for (std::size_t color = 0; color < half; ++color) pass(color);
    exchange(level, CgWhat::solution, true);
    for (std::size_t color = half; color < colors; ++color) pass(color);
  }
  void precondition(std::size_t level) {
    smooth(level);
    if (level + 1 == levels_) return;
    multiply(level, CgWhat::solution, CgWhat::solution);
    add({.part = CgPart::restriction, .level = level});
    precondition(level + 1);
    add({.part = CgPart::prolongation, .level = level});
    smooth(level);
  }

  std::size_t levels_;
  std::vector<CgMove> moves_;
  Phases phases_;
};

}  // namespace plumbline
