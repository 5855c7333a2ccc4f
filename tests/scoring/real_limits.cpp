// scoring_real_limits curves | known | unseen SEEDS: what becomes of wrong counters on the real path, as JSON.
// Under the emulator it is its own worker, which learns what is wanted from its parent's command line.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "real_counts.hpp"
#include "real_faults.hpp"

namespace {

using namespace plumbline::test;
using nlohmann::ordered_json;

double rounded(double number) { return std::round(1000 * number) / 1000; }

Wish wish_of(const std::vector<std::string>& words) {
  if (words.size() != 3) return {};
  return {words[1], std::atoi(words[2].c_str())};
}

Wish parents_wish() {
  std::ifstream file("/proc/" + std::to_string(getppid()) + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return wish_of(words);
}

/// Counts what became of the counters of a kind.
struct Count {
  int counters = 0, caught = 0, explained = 0;
  double least = INFINITY, most = 0;  // magnitudes
  std::map<std::string, int> grades;

  void add(const Tried& tried) {
    ++counters;
    caught += tried.caught;
    explained += tried.explained;
    least = std::min(least, tried.magnitude);
    most = std::max(most, tried.magnitude);
    ++grades[std::string(1, tried.score.grade)];
  }
};

void tell_what_is_wrong(std::uint64_t seed, const Tried& tried) {
  if (tried.fault == "right" ? tried.score.grade != 'A' : !tried.explained)
    std::cerr << "seed " << seed << ", " << tried.fault << ' ' << tried.magnitude << ", held against " << tried.score.quantity << ": "
              << tried.score.grade << ", " << tried.score.reason << '\n';
}

ordered_json by_kind(const RealCampaign& campaign, const RealCounts& counts) {
  std::vector<std::string> order;
  std::map<std::string, Count> kinds;
  for (const auto& trial : campaign.trials)
    for (const Tried& tried : judged(trial, counts)) {
      if (!kinds.contains(tried.fault)) order.push_back(tried.fault);
      kinds[tried.fault].add(tried);
      tell_what_is_wrong(trial.seed, tried);
    }
  ordered_json rows = ordered_json::array();
  for (const auto& name : order) {
    const Count& kind = kinds[name];
    ordered_json row{{"fault", name}, {"counters", kind.counters}, {"caught", kind.caught}, {"explained", kind.explained}};
    if (kind.most > 0) row["magnitudes"] = {rounded(kind.least), rounded(kind.most)};
    row["grades"] = kind.grades;
    rows.push_back(row);
  }
  return rows;
}

ordered_json curves(const RealCampaign& campaign, const RealCounts& counts) {
  ordered_json rows = ordered_json::array();
  auto trial = campaign.trials.begin();
  for (const Fault& fault : known_faults_on_real_path()) {
    if (fault.curve.empty()) continue;
    ordered_json points = ordered_json::array();
    for (const double magnitude : fault.curve) {
      Count point;
      for (const Tried& tried : judged(*trial++, counts)) point.add(tried);
      points.push_back({{"magnitude", magnitude},
                        {"caught", rounded(static_cast<double>(point.caught) / point.counters)},
                        {"explained", rounded(static_cast<double>(point.explained) / point.counters)}});
    }
    rows.push_back({{"fault", fault.name}, {"magnitude_is", fault.measure}, {"limit", fault.limit}, {"curve", points}});
  }
  return rows;
}

void print(const Wish& wish, const RealCampaign& campaign, const ordered_json& rows) {
  std::cout << "{\"command\": \"build-ci/tests/scoring_real_limits " << wish.what << ' ' << wish.seeds
            << "\",\n\"cases\": " << campaign.cases.size() << ", \"seeds\": " << wish.seeds << ",\n\"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) std::cout << (i == 0 ? "\n" : ",\n") << rows[i].dump();
  std::cout << "\n]}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool is_worker = words.size() == 2 && words[1] == "worker";
  const Wish wish = is_worker ? parents_wish() : wish_of(words);
  if (wish.seeds < 1 || (wish.what != "curves" && wish.what != "known" && wish.what != "unseen")) {
    std::cerr << "usage: scoring_real_limits curves|known|unseen SEEDS\n";
    return 2;
  }
  const RealCampaign campaign = real_campaign(wish);
  if (is_worker) return serve_wrong_events(campaign);
  if (const std::string missing = what_is_missing(campaign); !missing.empty()) {
    std::cerr << "SKIP: " << missing << '\n';
    return 77;
  }
  const RealCounts counts(counted(campaign));
  print(wish, campaign, wish.what == "curves" ? curves(campaign, counts) : by_kind(campaign, counts));
}
