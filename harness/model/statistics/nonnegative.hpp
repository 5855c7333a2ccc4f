// Least squares are found with weights that cannot be negative (Lawson and Hanson 1974), for the handful of unknowns of a cross-talk fit.
#pragma once
#include <cstddef>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The sums that a fit needs, formed row by row: a million rows cost no memory.
class NormalEquations {
 public:
  explicit NormalEquations(std::size_t unknowns) : unknowns_(unknowns), gram_(unknowns * unknowns), right_(unknowns) {}
  void add(const std::vector<double>& row, double value);

  std::size_t unknowns() const { return unknowns_; }
  std::size_t rows() const { return rows_; }
  double gram(std::size_t i, std::size_t j) const { return gram_[i * unknowns_ + j]; }
  double right(std::size_t i) const { return right_[i]; }
  double squares() const { return squares_; }  // of the values

 private:
  std::size_t unknowns_, rows_ = 0;
  std::vector<double> gram_, right_;
  double squares_ = 0;
};

/// A fit: its weights, and what they leave.
struct NonNegativeFit {
  std::vector<double> weights = {};
  std::vector<double> errors = {};  // standard errors; absent for a weight held at nothing, and for one that cannot be told from others
  double residual = absent;         // root mean square
};

NonNegativeFit fit_non_negative(const NormalEquations& equations);

/// Whether a column is told apart from the others: it is not where, but for so small a part of its length, it is a sum of them, and its
/// weight then says nothing.
bool is_told_apart(const NormalEquations& equations, std::size_t column, double part = 0.03);

}  // namespace plumbline
