#include "judging_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::test {
namespace {

using Json = nlohmann::ordered_json;

/// `checked`: what was checked in all; `slow`: in how many of these something was slower.
Json shares(const Json& sum, const char* checked, const char* slow) {
  const auto part = [&](const char* some, const char* all) { return sum.at(some).get<double>() / std::max(1, sum.at(all).get<int>()); };
  return {{checked, sum.at(checked)},
          {"accused", part("accused", checked)},
          {"found", part("found", slow)},
          {"named", part("named", "found")},
          {"wrong_factor", part("wrong_factor", "found")}};
}

std::string examples_of(const auto& counts) {
  std::string text = "\nwrongly accused, an example of each kind:\n";
  for (const auto& count : counts)
    if (!count.example.empty()) text += fmt::format("{}: {}\n", count.kind, count.example);
  return text;
}

}  // namespace

std::string in_words(const std::vector<NightCount>& counts) {
  std::string text = fmt::format("{:<62} {:<10} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6}\n", "kind", "host", "nights", "accused", "trials",
                                 "found", "named", "factor");
  for (const auto& c : counts)
    text += fmt::format("{:<62} {:<10} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6}\n", c.kind, c.host, c.nights, c.accused, c.trials, c.found,
                        c.named, c.wrong_factor);
  return text + shares_of(counts).dump() + examples_of(counts);
}

std::string in_words(const std::vector<NodeCount>& counts) {
  std::string text = fmt::format("{:<62} {:>6} {:>7} {:>6} {:>9} {:>6} {:>6} {:>6}\n", "kind", "jobs", "accused", "slow", "suspected",
                                 "found", "named", "factor");
  for (const auto& c : counts)
    text += fmt::format("{:<62} {:>6} {:>7} {:>6} {:>9} {:>6} {:>6} {:>6}\n", c.kind, c.jobs, c.accused, c.slow, c.suspected, c.found,
                        c.named, c.wrong_factor);
  return text + shares_of(counts).dump() + examples_of(counts);
}

Json json_of(const NightCount& c) {
  return {{"kind", c.kind},     {"host", c.host},   {"nights", c.nights}, {"accused", c.accused},
          {"trials", c.trials}, {"found", c.found}, {"named", c.named},   {"wrong_factor", c.wrong_factor}};
}

Json json_of(const NodeCount& c) {
  return {{"kind", c.kind},           {"jobs", c.jobs},   {"accused", c.accused}, {"slow", c.slow},
          {"suspected", c.suspected}, {"found", c.found}, {"named", c.named},     {"wrong_factor", c.wrong_factor}};
}

Json summed(const Json& rows) {
  Json sum;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items())
      if (value.is_number()) sum[key] = (sum.contains(key) ? sum[key].get<int>() : 0) + value.get<int>();
  return sum;
}

Json shares_of(const std::vector<NightCount>& counts) { return shares(summed(rows_of(counts)), "nights", "trials"); }

Json shares_of(const std::vector<NodeCount>& counts) { return shares(summed(rows_of(counts)), "jobs", "slow"); }

}  // namespace plumbline::test
