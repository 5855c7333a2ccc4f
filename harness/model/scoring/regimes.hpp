// A counter that is not good everywhere may be good in regimes: values of one factor whose cases alone would be trusted, or steady by one
// factor.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"
#include "model/statistics/interval.hpp"

namespace plumbline {

/// Values of one factor whose cases all have one common factor from the model, while cases of other values that agree in all else differ.
struct Regimes {
  Factor factor = Factor::level;
  std::vector<std::string> good = {}, others = {};
  char grade = '-';
  double bias = absent;
  Interval steady_interval = {};  // of the bias without strays (bias_interval.hpp); absent for one kernel
  std::size_t cases = 0;          // in the good ones
  bool confirmed = false;         // without any one kernel the others show the same

  /// Whether the exceptions are fewer than the good ones, as where most kernels are good: then those that are not are told.
  bool are_exceptions_shorter() const { return factor == Factor::kernel && others.size() < good.size(); }
};

/// A factor of which every value has a bias of its own: what the counter counts is something else, of which a table could be made.
struct LookUp {
  Factor factor = Factor::level;
  std::vector<std::string> values = {};
  std::vector<double> biases = {};
};

/// Sums the evidence up, once for each value of a factor.
std::vector<Summary> summaries_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// The regimes by the factor whose good values hold the most cases among those that kernels outside of where they were found confirm; where
/// none is, the best that is not. Nothing where no factor parts good from bad in matched cases.
std::optional<Regimes> good_regimes(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

std::optional<LookUp> look_up(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// The regimes in words: "only for level O3, O2 (B, x 0.5)"; "except kernel validation/dot (A)".
std::string in_words(const Regimes& regimes, Kind kind);
/// The table in words: "its factor is another for each order: n=2 x 4, n=8 x 16".
std::string in_words(const LookUp& table);

/// The value in which nearly all cases counted nothing, and hardly any other case did: "level O0". Empty where there is none.
std::string where_nothing_is_counted(std::span<const Evidence> evidence, const FactorTable& factors);

}  // namespace plumbline
