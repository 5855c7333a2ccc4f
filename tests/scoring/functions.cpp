// functions < PROBLEMS.json: our functions on the problems given, for scoring_reference.py to hold against SciPy's.
#include <iostream>
#include <nlohmann/json.hpp>

#include "model/statistics/linearity.hpp"
#include "model/statistics/mean_interval.hpp"
#include "model/statistics/nonnegative.hpp"
#include "model/statistics/spread.hpp"

namespace {

using namespace plumbline;
using nlohmann::json;
using Numbers = std::vector<double>;

json theil_sen_of(const json& problem) {
  const MedianLine line = theil_sen(problem["x"].get<Numbers>(), problem["y"].get<Numbers>());
  return {{"slope", line.slope}, {"intercept", line.intercept}, {"lo", line.slope_lo}, {"hi", line.slope_hi}};
}

json line_of(const json& problem) {
  std::vector<Point> points;
  const auto x = problem["x"].get<Numbers>(), y = problem["y"].get<Numbers>();
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], y[i]});
  const Linearity line = fit_line(points, "");
  return {{"slope", line.slope}, {"intercept", line.intercept}, {"log_log_slope", line.log_log_slope}};
}

json nnls_of(const json& problem) {
  const auto rows = problem["rows"].get<std::vector<Numbers>>();
  const auto values = problem["values"].get<Numbers>();
  NormalEquations equations(rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) equations.add(rows[i], values[i]);
  const NonNegativeFit fit = fit_non_negative(equations);
  return {{"weights", fit.weights}, {"residual", fit.residual}};
}

json mean_interval_of(const json& problem) {
  const Interval interval = mean_interval(problem["values"].get<Numbers>());
  return {interval.lo, interval.hi};
}

json spread_json(const json& problem) {
  auto samples = problem["samples"].get<Numbers>();
  const double scatter = scatter_of(samples), cv = spread_of(samples).cv;
  const double mean = mean_of(samples), about_middle = deviation_of(samples, median_of(samples));
  return {{"quantile", quantile(samples, problem["part"])}, {"scatter", scatter},          {"cv", cv}, {"mean", mean},
          {"deviation", deviation_of(samples, mean)},       {"about_middle", about_middle}};
}

}  // namespace

int main() {
  json answers = json::array();
  for (const auto& problem : json::parse(std::cin)) {
    const std::string function = problem["function"];
    answers.push_back(function == "theil_sen"       ? theil_sen_of(problem)
                      : function == "line"          ? line_of(problem)
                      : function == "nnls"          ? nnls_of(problem)
                      : function == "mean_interval" ? mean_interval_of(problem)
                                                    : spread_json(problem));
  }
  std::cout << answers;
}
