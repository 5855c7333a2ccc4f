// history_limits nights|turns TRIALS [FIRST_SEED]: how often `check`, or `nodes`, names what did not change and finds what did, as JSON.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "simulated_nights.hpp"

namespace {

using namespace plumbline::simulated;
using Json = nlohmann::ordered_json;

const Host quiet{}, restless{.freedom = 4}, busy{.freedom = 4, .disturbed_part = 0.05},
    told{.freedom = 4, .disturbed_part = 0.05, .seen = 0.9};

Json row(const char* name, const Host& host, const Nights& asked, unsigned seed, unsigned trials) {
  const Found found = nights(host, asked, seed, trials);
  const auto part = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(found.trials); };
  Json json{{"host", name}, {"nights", asked.before}};
  if (asked.what == Slow::nothing) {
    json["false_exits"] = part(found.false_exits);
    json["suspect_rows"] = part(found.suspect);
    json["disturbed_rows"] = part(found.disturbed);
  } else {
    json["slower"] = asked.what == Slow::row ? "row" : "node";
    json["by"] = asked.slowdown;
    json["within_nights"] = asked.slow_for;
    json["found"] = part(found.found);
  }
  return json;
}

Json of_nights(unsigned seed, unsigned trials) {
  Json rows = Json::array();
  for (const auto& [name, host] : {std::pair{"quiet", quiet}, {"restless", restless}, {"busy", busy}, {"busy, told", told}})
    for (const int before : {1, 2, 3, 5, 7, 14, 30}) rows.push_back(row(name, host, {.before = before}, seed, trials));
  for (const int before : {3, 5, 7, 14})
    for (const int within : {1, 2})
      for (const double by : {0.05, 0.1, 0.2})
        for (const Slow what : {Slow::row, Slow::node})
          rows.push_back(row("quiet", quiet, {.before = before, .slow_for = within, .slowdown = by, .what = what}, seed, trials));
  for (const auto& [name, host] : {std::pair{"busy", busy}, {"busy, told", told}})
    for (const int before : {7, 14})
      for (const int within : {1, 2, 3, 4})
        for (const Slow what : {Slow::row, Slow::node})
          rows.push_back(row(name, host, {.before = before, .slow_for = within, .slowdown = 0.2, .what = what}, seed, trials));
  return rows;
}

Json of_turns(unsigned seed, unsigned trials) {
  Json rows = Json::array();
  for (const double correlation : {0.0, 0.7})
    for (const std::size_t turns : {5UL, 6UL, 7UL, 8UL, 10UL, 12UL, 15UL})
      for (const double tests : {9.0, 30.0})
        for (const double noise : {0.1, 0.2}) {
          const double tail = 0.05 / tests;
          const double part = named({.turns = turns, .noise = noise, .correlation = correlation, .tail = tail}, seed, trials);
          rows.push_back({{"turns", turns},
                          {"correlation", correlation},
                          {"noise", noise},
                          {"stated", tail},
                          {"wrongly_named_over_stated", part / tail}});
        }
  for (const std::size_t turns : {5UL, 8UL, 15UL})
    for (const double noise : {0.01, 0.02, 0.05}) {
      const double part = named({.turns = turns, .noise = noise, .slowdown = 0.2, .tail = 0.05 / 9}, seed, trials / 10);
      rows.push_back({{"turns", turns}, {"noise", noise}, {"slower_by", 0.2}, {"named", part}});
    }
  return rows;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (count < 3 || (what != "nights" && what != "turns")) {
    std::cerr << "usage: history_limits nights|turns TRIALS [FIRST_SEED]\n";
    return 2;
  }
  const auto trials = static_cast<unsigned>(std::atoi(words[2])), seed = static_cast<unsigned>(count > 3 ? std::atoi(words[3]) : 1);
  const Json rows = what == "nights" ? of_nights(seed, trials) : of_turns(seed, trials);
  std::cout << "{\"command\": \"build-ci/tests/history_limits " << what << " " << trials << " " << seed << "\",\n\"rows\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) std::cout << rows[i].dump() << (i + 1 < rows.size() ? ",\n" : "\n");
  std::cout << "]}\n";
}
