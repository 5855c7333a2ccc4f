#include "model/statistics/nonnegative.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plumbline {
namespace {

using Columns = std::vector<std::size_t>;

/// Cholesky's factor of the Gram matrix of some columns; nullopt where they depend on each other.
std::optional<std::vector<double>> factor_of(const NormalEquations& equations, const Columns& columns) {
  const std::size_t k = columns.size();
  std::vector<double> l(k * k);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = equations.gram(columns[i], columns[j]);
      for (std::size_t m = 0; m < j; ++m) sum -= l[i * k + m] * l[j * k + m];
      if (i != j) {
        l[i * k + j] = sum / l[j * k + j];
      } else {
        if (sum <= 1e-12 * equations.gram(columns[i], columns[i])) return std::nullopt;
        l[i * k + i] = std::sqrt(sum);
      }
    }
  return l;
}

std::vector<double> solved(const std::vector<double>& l, std::vector<double> right) {
  const std::size_t k = right.size();
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t m = 0; m < i; ++m) right[i] -= l[i * k + m] * right[m];
    right[i] /= l[i * k + i];
  }
  for (std::size_t i = k; i-- > 0;) {
    for (std::size_t m = i + 1; m < k; ++m) right[i] -= l[m * k + i] * right[m];
    right[i] /= l[i * k + i];
  }
  return right;
}

double gradient(const NormalEquations& equations, const std::vector<double>& weights, std::size_t column) {
  double sum = equations.right(column);
  for (std::size_t j = 0; j < weights.size(); ++j) sum -= equations.gram(column, j) * weights[j];
  return sum;
}

/// Unrestrained least squares on some columns; nullopt where they depend on each other.
std::optional<std::vector<double>> free_fit(const NormalEquations& equations, const Columns& columns) {
  const auto l = factor_of(equations, columns);
  if (!l) return std::nullopt;
  std::vector<double> right;
  for (const std::size_t column : columns) right.push_back(equations.right(column));
  return solved(*l, right);
}

/// Settles the weights by Lawson and Hanson's inner loop: as far towards the free fit as no weight becomes negative; what reaches nothing
/// leaves.
void settle(const NormalEquations& equations, Columns& passive, std::vector<double>& weights) {
  while (!passive.empty()) {
    const auto wanted = free_fit(equations, passive);
    if (!wanted) {
      passive.pop_back();  // the newest depends on the others
      continue;
    }
    double step = 1;
    for (std::size_t i = 0; i < passive.size(); ++i)
      if ((*wanted)[i] <= 0) step = std::min(step, weights[passive[i]] / (weights[passive[i]] - (*wanted)[i]));
    for (std::size_t i = 0; i < passive.size(); ++i) weights[passive[i]] += step * ((*wanted)[i] - weights[passive[i]]);
    if (step == 1) return;
    std::erase_if(passive, [&](std::size_t column) {
      if (weights[column] > 1e-14) return false;
      weights[column] = 0;
      return true;
    });
  }
}

std::vector<double> errors_of(const NormalEquations& equations, const Columns& passive, double residual) {
  std::vector<double> errors(equations.unknowns(), absent);
  const auto l = factor_of(equations, passive);
  if (!l || equations.rows() <= passive.size()) return errors;
  const auto rows = static_cast<double>(equations.rows()), free = rows - static_cast<double>(passive.size());
  for (std::size_t i = 0; i < passive.size(); ++i) {
    std::vector<double> unit(passive.size());
    unit[i] = 1;
    errors[passive[i]] = residual * std::sqrt(rows / free * solved(*l, unit)[i]);
  }
  return errors;
}

double residual_of(const NormalEquations& equations, const std::vector<double>& weights) {
  double squares = equations.squares();
  for (std::size_t i = 0; i < weights.size(); ++i) squares -= weights[i] * (equations.right(i) + gradient(equations, weights, i));
  return std::sqrt(std::max(0.0, squares) / static_cast<double>(std::max<std::size_t>(1, equations.rows())));
}

}  // namespace

void NormalEquations::add(const std::vector<double>& row, double value) {
  ++rows_;
  squares_ += value * value;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    right_[i] += row[i] * value;
    for (std::size_t j = 0; j < unknowns_; ++j) gram_[i * unknowns_ + j] += row[i] * row[j];
  }
}

NonNegativeFit fit_non_negative(const NormalEquations& equations) {
  NonNegativeFit fit{.weights = std::vector<double>(equations.unknowns())};
  Columns passive;
  for (std::size_t round = 0; round < 3 * equations.unknowns(); ++round) {
    std::optional<std::size_t> steepest;
    double most = 0;
    for (std::size_t j = 0; j < equations.unknowns(); ++j) {
      if (equations.gram(j, j) <= 0 || std::find(passive.begin(), passive.end(), j) != passive.end()) continue;
      const double slope = gradient(equations, fit.weights, j) / std::sqrt(equations.gram(j, j));
      if (slope > std::max(most, 1e-10 * std::sqrt(equations.squares()))) most = slope, steepest = j;
    }
    if (!steepest) break;
    passive.push_back(*steepest);
    settle(equations, passive, fit.weights);
  }
  fit.residual = residual_of(equations, fit.weights);
  fit.errors = errors_of(equations, passive, fit.residual);
  return fit;
}

bool is_told_apart(const NormalEquations& equations, std::size_t column, double part) {
  const double length = equations.gram(column, column);
  if (length <= 0) return false;
  Columns others;
  for (std::size_t j = 0; j < equations.unknowns(); ++j) {
    if (j == column || equations.gram(j, j) <= 0) continue;
    others.push_back(j);
    if (!factor_of(equations, others)) others.pop_back();
  }
  if (others.empty()) return true;
  std::vector<double> right;
  for (const std::size_t j : others) right.push_back(equations.gram(j, column));
  const std::vector<double> parts = solved(*factor_of(equations, others), right);
  double rest = length;
  for (std::size_t i = 0; i < others.size(); ++i) rest -= parts[i] * right[i];
  return rest > part * part * length;
}

}  // namespace plumbline
