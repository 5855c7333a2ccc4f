// scoring_limits curves SEEDS | unseen SEEDS: how often faults are caught, and for the right reason, as JSON (tests/golden/scoring_*.json);
// scoring_limits intervals TRIALS: how often the interval of a bias holds it (tests/golden/mean_interval.json).
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "interval_limits.hpp"
#include "trial.hpp"

namespace {

using namespace plumbline::test;
using nlohmann::ordered_json;

double rounded(double rate) { return std::round(1000 * rate) / 1000; }

ordered_json curves(int seeds) {
  ordered_json all = ordered_json::array();
  for (const auto& fault : known_faults()) {
    if (fault.curve.empty()) continue;
    ordered_json points = ordered_json::array();
    for (const double magnitude : fault.curve) {
      const Rate rate = detection_rate(fault, magnitude, 1000, seeds);
      points.push_back({{"magnitude", magnitude}, {"caught", rounded(rate.caught)}, {"explained", rounded(rate.explained)}});
    }
    all.push_back({{"fault", fault.name}, {"magnitude_is", fault.measure}, {"limit", fault.limit}, {"curve", points}});
    std::cerr << fault.name << '\n';
  }
  return all;
}

ordered_json unseen(int seeds) {
  struct Count {
    int caught = 0, explained = 0;
    std::map<std::string, int> grades;
  };
  std::map<std::string, Count> counts;
  for (int seed = 1; seed <= seeds; ++seed)
    for (const Tried& tried : trial(static_cast<std::uint64_t>(seed), unseen_faults())) {
      Count& count = counts[tried.fault];
      count.caught += tried.caught;
      count.explained += tried.explained;
      ++count.grades[std::string(1, tried.score.grade)];
    }
  ordered_json all = ordered_json::array();
  for (const auto& fault : unseen_faults()) {
    const Count& count = counts[fault.name];
    all.push_back(
        {{"fault", fault.name}, {"seeds", seeds}, {"caught", count.caught}, {"explained", count.explained}, {"grades", count.grades}});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc == 3 ? argv[1] : "";
  const int seeds = argc == 3 ? std::atoi(argv[2]) : 0;
  if (seeds < 1 || (which != "curves" && which != "unseen" && which != "intervals")) {
    std::cerr << "usage: scoring_limits curves SEEDS | unseen SEEDS | intervals TRIALS\n";
    return 2;
  }
  const ordered_json rows = which == "curves" ? curves(seeds) : which == "unseen" ? unseen(seeds) : interval_limits(seeds);
  std::cout << "{\"command\": \"build-ci/tests/scoring_limits " << which << " " << seeds << "\",\n\"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) std::cout << (i == 0 ? "\n" : ",\n") << rows[i].dump();
  std::cout << "\n]}\n";
}
