#include "model/scoring/strays.hpp"

#include <algorithm>

namespace plumbline {
namespace {

/// Whether the strays are most cases of a value. `number_of`: a case's value; of fewer than two cases nothing can be said.
template <class NumberOf>
bool are_most_of_a_value(std::size_t numbers, std::span<const std::uint32_t> strays, std::span<const Evidence> evidence,
                         NumberOf number_of) {
  std::vector<std::size_t> cases(numbers), off(numbers);
  for (const auto& one : evidence)
    if (one.tells() || one.counted_nothing) ++cases[number_of(one.at)];
  for (const std::uint32_t at : strays) ++off[number_of(at)];
  for (std::size_t i = 0; i < numbers; ++i)
    if (cases[i] >= 2 && 2 * off[i] > cases[i]) return true;
  return false;
}

}  // namespace

bool have_a_cause(std::span<const std::uint32_t> strays, std::span<const Evidence> evidence, const FactorTable& factors) {
  if (strays.empty()) return false;
  if (are_most_of_a_value(factors.works(), strays, evidence, [&](std::uint32_t at) { return factors.work(at); })) return true;
  for (std::size_t f = 0; f < factor_count; ++f) {
    const auto factor = static_cast<Factor>(f);
    if (are_most_of_a_value(factors.values(factor), strays, evidence, [&](std::uint32_t at) { return factors.value(at, factor); }))
      return true;
  }
  return false;
}

}  // namespace plumbline
