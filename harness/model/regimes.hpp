// Where a counter that is not good everywhere is good: values of one factor whose cases alone would be trusted, or steady by one factor.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/evidence.hpp"
#include "model/factors.hpp"

namespace plumbline {

/// Values of one factor whose cases all have one common factor from the model.
struct Regimes {
  Factor factor = Factor::level;
  std::vector<std::string> good = {};
  char grade = '-';
  double bias = absent;
  std::size_t cases = 0;     // in the good ones
  bool confirmed = false;    // found on one half of the works, and the other half bears the same factor
  std::size_t held_out = 0;  // cases of that half
};

/// A factor of which every value has a bias of its own: what the counter counts is something else, of which a table could be made.
struct LookUp {
  Factor factor = Factor::level;
  std::vector<std::string> values = {};
  std::vector<double> biases = {};
};

/// One summary for each value of a factor.
std::vector<Summary> summaries_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// By the factor whose good values hold the most cases of one half of the works, tried on the other half; nothing where these are too
/// few, or where no factor parts good from bad.
std::optional<Regimes> good_regimes(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

std::optional<LookUp> look_up(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// "level O3, O2 (B, x 0.5)"
std::string in_words(const Regimes& regimes, Kind kind);
/// "its factor is another for each order: n=2 x 4, n=8 x 16"
std::string in_words(const LookUp& table);

/// The value in which nearly all cases counted nothing, and hardly any other case did: "level O0". Empty where there is none.
std::string where_nothing_is_counted(std::span<const Evidence> evidence, const FactorTable& factors);

}  // namespace plumbline
