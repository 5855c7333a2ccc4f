// The quantity of an expectation is a formula over measured rows: "flops(fp) / flops(branch)", "fit(ai.L3(gpp), param("nw", gpp))".
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::app {

/// A number, an operation, a function or a quantity of rows, with the formulas that it is of.
///
///   formula  = product { ("+" | "-") product }        product = factor { ("*" | "/") factor }
///   factor   = NUMBER | "-" factor | "(" formula ")" | FUNCTION "(" formula {"," formula} ")" | QUANTITY "(" ["\"NAME\"" ","] ROWS ")"
///
/// A quantity of rows is a list of numbers, one for each row; operations and functions work on lists, a single number with each of a list.
struct Formula {
  enum class Kind { number, negative, sum, difference, product, quotient, function, quantity };
  Kind kind = Kind::number;
  double number = 0;
  std::string word = {};         // of a function or a quantity: "fit", "ai.L3"
  std::string name = {};         // in quotes: of a parameter, a counter or the model's quantity
  std::string rows = {};         // of a quantity
  std::vector<Formula> of = {};  // operands
};

using Numbers = std::vector<double>;

/// A formula has no value, and why.
class NoValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault of a formula: its column, from 1, and in `message` what is wrong and what is allowed.
struct FormulaFault {
  std::size_t column = 0;
  std::string message = {};
};

/// Reads a formula over rows of these names. Throws FormulaFault.
Formula parse_formula(std::string_view text, const std::vector<std::string>& rows);

/// The numbers of a formula, where `numbers_of` gives those of its quantities. Throws NoValue where lists do not fit, and where a function
/// has too few numbers.
Numbers evaluate(const Formula& formula, const std::function<Numbers(const Formula& quantity)>& numbers_of);

/// Calls with each quantity in a formula.
void each_quantity(const Formula& formula, const std::function<void(const Formula& quantity)>& call);

/// A word of formulas and its meaning, for the page and for messages.
struct FormulaWord {
  std::string_view word, meaning;
};
/// The functions; those of y and x fit along x.
std::span<const FormulaWord> formula_functions();
/// The quantities; ".LEVEL" stands for one of formula_levels().
std::span<const FormulaWord> formula_quantities();
/// The levels: L1, L2, L3, mem, shared.
std::span<const std::string_view> formula_levels();

}  // namespace plumbline::app
