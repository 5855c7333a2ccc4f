// history_functions < PROBLEMS.json: our functions on the problems given, for history_reference.py to hold against SciPy's.
#include <iostream>
#include <nlohmann/json.hpp>

#include "model/comparing/night_check.hpp"
#include "model/statistics/change_points.hpp"
#include "model/statistics/median_ratio.hpp"
#include "model/statistics/student.hpp"

namespace {

using namespace plumbline;
using nlohmann::json;
using Numbers = std::vector<double>;

json ratio_of(const json& problem) {
  const auto found = ratio_of_medians(problem["before"].get<Sessions>(), problem["after"].get<Sessions>(), problem["confidence"],
                                      problem["seed"], problem["resamples"]);
  return {found.ratio, found.interval.lo, found.interval.hi};
}

json split_of(const json& problem) {
  const auto nights = problem["nights"].get<Numbers>();
  const ChangePoint found = strongest_split(nights, problem["least"]);
  return {{"first", found.first}, {"z", found.z}, {"probability", found.probability}};
}

json changes_of(const json& problem) {
  const auto nights = problem["nights"].get<Numbers>();
  json all = json::array();
  for (const auto& point : change_points(nights, {.probability = problem["probability"]})) all.push_back(point.first);
  return all;
}

json answer(const json& problem) {
  const std::string function = problem["function"];
  if (function == "tail") return student_upper_tail(problem["t"], problem["freedom"]);
  if (function == "quantile") return student_quantile(problem["tail"], problem["freedom"]);
  if (function == "ratio") return ratio_of(problem);
  if (function == "split") return split_of(problem);
  if (function == "extreme") return extreme_quantile(problem["sizes"].get<Numbers>(), problem["tail"]);
  return changes_of(problem);
}

}  // namespace

int main() {
  json answers = json::array();
  for (const auto& problem : json::parse(std::cin)) answers.push_back(answer(problem));
  std::cout << answers;
}
