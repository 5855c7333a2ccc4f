#include "judging_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::test {
namespace {

using Json = nlohmann::ordered_json;

double part(int some, int all) { return static_cast<double>(some) / std::max(1, all); }

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

Json shares_of(const std::vector<NightCount>& counts) {
  NightCount all;
  for (const auto& c : counts)
    all.nights += c.nights, all.accused += c.accused, all.trials += c.trials, all.found += c.found, all.named += c.named,
        all.wrong_factor += c.wrong_factor;
  return {{"nights", all.nights},
          {"accused", part(all.accused, all.nights)},
          {"found", part(all.found, all.trials)},
          {"named", part(all.named, all.found)},
          {"wrong_factor", part(all.wrong_factor, all.found)}};
}

Json shares_of(const std::vector<NodeCount>& counts) {
  NodeCount all;
  for (const auto& c : counts)
    all.jobs += c.jobs, all.accused += c.accused, all.slow += c.slow, all.found += c.found, all.named += c.named,
        all.wrong_factor += c.wrong_factor;
  return {{"jobs", all.jobs},
          {"accused", part(all.accused, all.jobs)},
          {"found", part(all.found, all.slow)},
          {"named", part(all.named, all.found)},
          {"wrong_factor", part(all.wrong_factor, all.found)}};
}

}  // namespace plumbline::test
