// The order of the transpose-free solver's steps (Freund 1993, as PETSc's KSPTFQMR has it, preconditioned from the left).
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace plumbline {

enum class TfqmrPart : std::uint8_t {
  halo,
  product,
  forward,
  backward,
  edges,
  gather,
  dot,
  norm,
  total,
  sum,
  first,
  ratio,
  half,
  whole,
  copy,
  begin,
  between,
  shorten,
  solution,
  directions
};
inline constexpr const char* tfqmr_part_names[] = {"halo", "product", "forward", "backward", "edges",    "gather",    "dot",
                                                   "norm", "total",   "sum",     "first",    "ratio",    "half",      "whole",
                                                   "copy", "begin",   "between", "shorten",  "solution", "directions"};

/// The vector or the number that a step is about, where its part alone does not say it.
enum class TfqmrWhat : std::uint8_t {
  known,      // gather: the right-hand side's, the first residual; sum: its norm
  direction,  // halo, product: p; gather: v
  pair,       // halo, product: t, the two halves of a step together; gather: what the residual loses
  right,      // halo: what the blocks divide
  sigma,      // dot, sum: v with the first residual
  rho,        // dot, sum: the residual with the first residual
  residual,   // sum: its norm
  step,       // ratio: how far to go
  turn,       // ratio: how much of the last direction is in the next
  half,       // solution: the first half of a step
  whole       // solution: the second
};

struct TfqmrMove {
  TfqmrPart part;
  TfqmrWhat what = TfqmrWhat::known;
};

/// All steps of so many iterations. The solution begins at zero.
class TfqmrSchedule {
 public:
  explicit TfqmrSchedule(std::uint64_t iterations) {
    add(TfqmrPart::copy);
    precondition(TfqmrWhat::known);
    add(TfqmrPart::begin);
    sum_up(TfqmrPart::norm, TfqmrWhat::known);
    add(TfqmrPart::first);
    for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
      apply(TfqmrWhat::direction);
      sum_up(TfqmrPart::dot, TfqmrWhat::sigma);
      add(TfqmrPart::ratio, TfqmrWhat::step);
      add(TfqmrPart::between);
      apply(TfqmrWhat::pair);
      add(TfqmrPart::shorten);
      sum_up(TfqmrPart::norm, TfqmrWhat::residual);
      add(TfqmrPart::half);
      add(TfqmrPart::solution, TfqmrWhat::half);
      add(TfqmrPart::whole);
      add(TfqmrPart::solution, TfqmrWhat::whole);
      sum_up(TfqmrPart::dot, TfqmrWhat::rho);
      add(TfqmrPart::ratio, TfqmrWhat::turn);
      add(TfqmrPart::directions);
    }
  }
  const std::vector<TfqmrMove>& moves() const { return moves_; }
  /// The parts, and how often a sweep takes each.
  const std::map<TfqmrPart, std::uint64_t>& entries() const { return entries_; }

 private:
  void add(TfqmrPart part, TfqmrWhat what = TfqmrWhat::known) {
    moves_.push_back({part, what});
    ++entries_[part];
  }
  void sum_up(TfqmrPart part, TfqmrWhat what) {
    add(part, what);
    add(TfqmrPart::total);
    add(TfqmrPart::sum, what);
  }
  /// The matrix, and then the preconditioner.
  void apply(TfqmrWhat what) {
    add(TfqmrPart::halo, what);
    add(TfqmrPart::product, what);
    precondition(what);
  }
  void precondition(TfqmrWhat what) {
    add(TfqmrPart::halo, TfqmrWhat::right);
    add(TfqmrPart::forward);
    add(TfqmrPart::backward);
    add(TfqmrPart::edges);
    add(TfqmrPart::gather, what);
  }

  std::vector<TfqmrMove> moves_;
  std::map<TfqmrPart, std::uint64_t> entries_;
};

}  // namespace plumbline
