#include "app/expectations/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "campaign/suggest.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

using Kind = Formula::Kind;

constexpr std::array<std::string_view, 6> levels{"L1", "L2", "L3", "mem", "shared", "system"};

constexpr std::array functions{FormulaWord{"min", "the least"},
                               FormulaWord{"max", "the largest"},
                               FormulaWord{"mean", "the mean"},
                               FormulaWord{"spread", "the largest over the least"},
                               FormulaWord{"cv", "standard deviation over mean"},
                               FormulaWord{"fit", "fit(y, x): how well a straight line fits, R^2; of three points or more"},
                               FormulaWord{"slope", "slope(y, x): of that line"},
                               FormulaWord{"rises", "rises(y, x): 1 where y rises with each step of x, else 0"}};

constexpr std::array quantities{
    FormulaWord{"seconds", "time of a sweep, or of a part of a profiled program, in seconds"},
    FormulaWord{"share", "part of the samples of a profiled program, 0 to 1"},
    FormulaWord{"gflops", "GFLOP/s"},
    FormulaWord{"flops", "FLOPs of a sweep"},
    FormulaWord{"bytes.LEVEL", "bytes of a sweep across the level's boundary towards the core"},
    FormulaWord{"ai.LEVEL", "arithmetic intensity there, FLOP/byte"},
    FormulaWord{"percent_of_roof", "part of the roof that bounds it, in percent"},
    FormulaWord{"fma_part", "FMAs among the instructions of the case's precision, 0 to 1"},
    FormulaWord{"percent_of_partial_fma", "part of the ceiling that this mix leaves of the FMA peak, in percent"},
    FormulaWord{"bound", "bound(\"LEVEL\", rows): 1 where the level (or compute) bounds it, else 0"},
    FormulaWord{"param", "param(\"NAME\", rows): a parameter"},
    FormulaWord{"model",
                "model(\"QUANTITY\", rows): what the kernel's model says, where it is exact: paper.flops, paper.bytes, bytes.reg-L1"},
    FormulaWord{"counted", "counted(\"COUNTER\", rows): what a counter said, trusted or not: \"refills x 64 B\", \"accesses x 16 B\""},
    FormulaWord{"best", "of a ceiling: the best sample, in its unit"}};

bool takes_two(std::string_view function) { return function == "fit" || function == "slope" || function == "rises"; }
bool takes_name(std::string_view quantity) {
  return quantity == "bound" || quantity == "param" || quantity == "model" || quantity == "counted";
}

std::vector<std::string> words_of_formulas() {
  std::vector<std::string> words;
  for (const auto& one : functions) words.emplace_back(one.word);
  for (const auto& one : quantities) {
    const auto dot = one.word.find(".LEVEL");
    if (dot == one.word.npos) words.emplace_back(one.word);
    for (const auto level : levels)
      if (dot != one.word.npos) words.push_back(std::string(one.word.substr(0, dot)) + "." + std::string(level));
  }
  return words;
}

/// Reads a formula from left to right.
class FormulaReader {
 public:
  FormulaReader(std::string_view text, const std::vector<std::string>& rows) : text_(text), rows_(rows) {}

  Formula whole() {
    Formula read = formula();
    if (next() != 0) refuse(fmt::format("{} is too much here; an operator or the end belongs here", in_quotes(text_.substr(at_))));
    return read;
  }

 private:
  [[noreturn]] void refuse_at(std::size_t at, std::string message) const { throw FormulaFault{at + 1, std::move(message)}; }
  [[noreturn]] void refuse(std::string message) const { refuse_at(at_, std::move(message)); }

  /// The next character that is no blank; 0 at the end.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) refuse(fmt::format("'{}' is missing", wanted));
  }

  Formula joined(Kind kind, Formula left, Formula right) {
    Formula both{.kind = kind};
    both.of = {std::move(left), std::move(right)};
    return both;
  }

  Formula formula() {
    Formula left = product();
    for (;;) {
      if (take('+'))
        left = joined(Kind::sum, std::move(left), product());
      else if (take('-'))
        left = joined(Kind::difference, std::move(left), product());
      else
        return left;
    }
  }

  Formula product() {
    Formula left = factor();
    for (;;) {
      if (take('*'))
        left = joined(Kind::product, std::move(left), factor());
      else if (take('/'))
        left = joined(Kind::quotient, std::move(left), factor());
      else
        return left;
    }
  }

  Formula factor() {
    if (++depth_ > deepest) refuse("it is nested too deeply");
    Formula read = inner_factor();
    --depth_;
    return read;
  }

  Formula inner_factor() {
    const char first = next();
    if (take('(')) {
      Formula inside = formula();
      need(')');
      return inside;
    }
    if (take('-')) {
      Formula negative{.kind = Kind::negative};
      negative.of = {factor()};
      return negative;
    }
    if (std::isdigit(static_cast<unsigned char>(first)) != 0) return number();
    if (std::isalpha(static_cast<unsigned char>(first)) != 0) return call();
    refuse(first == 0 ? "it ends where a number, a function or a quantity belongs" : "a number, a function or a quantity belongs here");
  }

  Formula number() {
    Formula read{.kind = Kind::number};
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), read.number);
    if (error != std::errc() || !std::isfinite(read.number)) refuse("this is no number");
    at_ += static_cast<std::size_t>(end - begin);
    return read;
  }

  std::string word() {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    next();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Formula call() {
    const std::size_t begin = at_;
    Formula read{.word = word()};
    const bool is_function = std::any_of(functions.begin(), functions.end(), [&](const auto& one) { return one.word == read.word; });
    read.kind = is_function ? Kind::function : Kind::quantity;
    const auto known = words_of_formulas();
    if (std::find(known.begin(), known.end(), read.word) == known.end())
      refuse_at(begin, fmt::format("there is no function or quantity {}{}", in_quotes(read.word), suggestion(read.word, known)));
    need('(');
    is_function ? operands(read, begin) : selection(read);
    need(')');
    return read;
  }

  void operands(Formula& function, std::size_t begin) {
    do function.of.push_back(formula());
    while (take(','));
    const std::size_t wanted = takes_two(function.word) ? 2 : 1;
    if (function.of.size() != wanted)
      refuse_at(begin,
                fmt::format("{} takes {} of numbers, not {}", function.word, wanted == 1 ? "one list" : "two lists", function.of.size()));
  }

  void selection(Formula& quantity) {
    if (takes_name(quantity.word)) {
      need('"');
      const std::size_t end = text_.find('"', at_);
      if (end == text_.npos) refuse("the name's closing '\"' is missing");
      quantity.name = std::string(text_.substr(at_, end - at_));
      at_ = end + 1;
      need(',');
    }
    next();
    const std::size_t begin = at_;
    quantity.rows = word();
    if (std::find(rows_.begin(), rows_.end(), quantity.rows) == rows_.end())
      refuse_at(begin, fmt::format("there are no rows {}{}", in_quotes(quantity.rows), suggestion(quantity.rows, rows_)));
  }

  static constexpr int deepest = 50;
  std::string_view text_;
  const std::vector<std::string>& rows_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// The sum of the products of how far each pair is from the means.
double spread_together(const Numbers& one, const Numbers& other) {
  const double mean = mean_of(one), other_mean = mean_of(other);
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += (one[i] - mean) * (other[i] - other_mean);
  return sum;
}

/// The pairs of x and y, by x. Throws NoValue where there are fewer than `least`, or one x twice.
std::vector<std::pair<double, double>> along(const Numbers& y, const Numbers& x, std::size_t least) {
  if (y.size() != x.size()) throw NoValue(fmt::format("{} numbers stand against {}", y.size(), x.size()));
  if (y.size() < least) throw NoValue(fmt::format("{} rows are too few: {} or more are needed", y.size(), least));
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < y.size(); ++i) points.emplace_back(x[i], y[i]);
  std::sort(points.begin(), points.end());
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].first == points[i - 1].first) throw NoValue(fmt::format("several rows have the same x, {:g}", points[i].first));
  return points;
}

double fitted(std::string_view function, const Numbers& y, const Numbers& x) {
  const bool is_line = function != "rises";
  const auto points = along(y, x, is_line ? 3 : 2);
  if (!is_line) {
    for (std::size_t i = 1; i < points.size(); ++i)
      if (!(points[i].second > points[i - 1].second)) return 0;
    return 1;
  }
  const double xy = spread_together(x, y), xx = spread_together(x, x), yy = spread_together(y, y);
  if (function == "slope") return xy / xx;
  return yy == 0 ? 1 : xy * xy / (xx * yy);
}

double gathered(std::string_view function, const Numbers& all) {
  if (all.empty()) throw NoValue("there is no number");
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  if (function == "min") return *least;
  if (function == "max") return *most;
  if (function == "mean") return mean_of(all);
  if (all.size() < 2) throw NoValue(fmt::format("{} of one row says nothing", function));
  if (function == "spread") return *most / *least;
  return spread_of(all).cv;
}

double computed(Kind kind, double left, double right) {
  switch (kind) {
    case Kind::sum:
      return left + right;
    case Kind::difference:
      return left - right;
    case Kind::product:
      return left * right;
    default:
      return left / right;
  }
}

Numbers paired(Kind kind, const Numbers& left, const Numbers& right) {
  if (left.size() != right.size() && left.size() != 1 && right.size() != 1)
    throw NoValue(fmt::format("{} rows stand against {}", left.size(), right.size()));
  Numbers all;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
    all.push_back(computed(kind, left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i]));
  return all;
}

}  // namespace

Formula parse_formula(std::string_view text, const std::vector<std::string>& rows) { return FormulaReader(text, rows).whole(); }

Numbers evaluate(const Formula& formula, const std::function<Numbers(const Formula& quantity)>& numbers_of) {
  const auto operand = [&](std::size_t i) { return evaluate(formula.of[i], numbers_of); };
  switch (formula.kind) {
    case Kind::number:
      return {formula.number};
    case Kind::quantity:
      return numbers_of(formula);
    case Kind::negative:
      return paired(Kind::difference, {0}, operand(0));
    case Kind::function:
      if (takes_two(formula.word)) return {fitted(formula.word, operand(0), operand(1))};
      return {gathered(formula.word, operand(0))};
    default:
      return paired(formula.kind, operand(0), operand(1));
  }
}

void each_quantity(const Formula& formula, const std::function<void(const Formula& quantity)>& call) {
  if (formula.kind == Kind::quantity) call(formula);
  for (const auto& one : formula.of) each_quantity(one, call);
}

std::span<const FormulaWord> formula_functions() { return functions; }
std::span<const FormulaWord> formula_quantities() { return quantities; }
std::span<const std::string_view> formula_levels() { return levels; }

}  // namespace plumbline::app
