// Where a counter that is not good everywhere is good: the values of one factor whose cases alone would be trusted or steady.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/evidence.hpp"
#include "model/factors.hpp"

namespace plumbline {

struct Regime {
  std::string value = {};
  char grade = '-';
  std::size_t cases = 0;
  double bias = absent;
};

struct Regimes {
  Factor factor = Factor::level;
  std::vector<Regime> good = {};
  std::vector<std::string> others = {};
  std::size_t cases = 0;  // in the good ones
};

/// One summary for each value of a factor.
std::vector<Summary> summaries_by(Factor factor, std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// By the factor whose good values hold the most cases; nothing where these are too few, or where no factor parts good from bad.
std::optional<Regimes> good_regimes(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// "O3 (A), O2 (B, x 0.5)"
std::string in_words(const Regimes& regimes);

/// The value in which nearly all cases counted nothing, and hardly any other case did: "level O0". Empty where there is none.
std::string where_nothing_is_counted(std::span<const Evidence> evidence, const FactorTable& factors);

}  // namespace plumbline
