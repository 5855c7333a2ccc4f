// A counter may be moved by factors beside the amount that it should count: compiler, level, precision, size, and so on. They are kept as
// numbers, once for all counters.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enumerators.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// The factors. `order` is the series' n, `size` every other integer parameter, `form` every parameter that is a word; `regime` the
/// innermost cache that holds the working set, as the model's own flows say.
enum class Factor { compiler, level, isa, precision, kernel, form, order, size, team, node, regime };
inline constexpr std::size_t factor_count = enumerator_count<Factor>();
std::string_view to_string(Factor factor);
/// The factor's name for people: "optimization level".
std::string_view in_words(Factor factor);

/// The values of all factors in all cases, as numbers.
class FactorTable {
 public:
  explicit FactorTable(const Measurements& measurements);

  std::size_t cases() const { return of_case_.size(); }
  /// The value that a factor has in a case, as a number; its word is what people read.
  std::uint32_t value(std::size_t at, Factor factor) const { return of_case_[at][static_cast<std::size_t>(factor)]; }
  const std::string& word(Factor factor, std::uint32_t value) const { return words_[static_cast<std::size_t>(factor)][value]; }
  std::size_t values(Factor factor) const { return words_[static_cast<std::size_t>(factor)].size(); }
  /// The number of the work id: cases of the same work are not independent of each other.
  std::uint32_t work(std::size_t at) const { return work_[at]; }
  std::size_t works() const { return work_words_.size(); }

  /// The case's id.
  const std::string& name(std::size_t at) const { return *names_[at]; }
  /// Whether the case belongs to the half that confirms what the other half shows: every second work of each value of the factor.
  bool is_held_out(std::size_t at, Factor factor) const { return held_out_[static_cast<std::size_t>(factor)][work_[at]]; }

  /// Groups of cases that agree in everything but the factor, next to each other, by its value: begin of each group, and the end.
  struct Matched {
    std::vector<std::uint32_t> cases = {};
    std::vector<std::size_t> begins = {};
  };
  const Matched& matched(Factor factor) const { return matched_[static_cast<std::size_t>(factor)]; }

 private:
  void match(Factor factor);
  void halve(Factor factor);

  std::vector<std::array<std::uint32_t, factor_count>> of_case_;
  std::array<std::vector<std::string>, factor_count> words_;
  std::vector<std::uint32_t> work_;
  std::vector<std::string> work_words_;
  std::vector<const std::string*> names_;  // borrowed from the Results
  std::array<std::vector<bool>, factor_count> held_out_;
  std::array<Matched, factor_count> matched_;
};

/// The regime: "L1", "L2", "L3" or "mem", the first level behind which no more than slack passes; "edge of L2" where the model leaves it
/// open; empty where the model does not say.
std::string regime_of(const Measured& measured);

/// The most bytes across a boundary that the model leaves to stack, constants and the harness's own, for the whole team.
double slack_bytes(const CaseRow& row);

}  // namespace plumbline
