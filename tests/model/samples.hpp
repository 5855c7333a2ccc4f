// Small result tables for the tests of the model: a case with its model, times and emulated counts in a few words.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "core/records.hpp"

namespace plumbline::test {

struct CaseSample {
  std::string work = "validation/triad/fp64/n=1000";
  std::string flavor = "gcc12-O3-v3";
  std::string node = "node0";
  std::int64_t ranks = 1, threads = 1;
  std::map<std::string, std::pair<double, double>> model = {};  // of one rank
  std::map<std::string, double> counts = {};                    // of each rank
  std::string backend = "emulated";
  double seconds = absent;
  std::int64_t gpus = 0;
  std::string placement = {};

  std::string team() const { return gpus > 0 ? "g1" : "r" + std::to_string(ranks) + "t" + std::to_string(threads); }
  std::string id() const { return work + "/" + team() + "/" + flavor; }
  std::string kernel() const { return work.substr(0, work.find('/', work.find('/') + 1)); }
  std::string precision() const {
    const std::string rest = work.substr(kernel().size() + 1);
    return rest.substr(0, rest.find('/'));
  }
};

inline void add(Results& results, const CaseSample& sample) {
  const std::string id = sample.id();
  results.cases.push_back(
      {id, sample.work, sample.kernel(), sample.precision(), sample.flavor, sample.ranks, sample.threads, "{}", 0, sample.gpus});
  for (const auto& [quantity, bounds] : sample.model) results.model.push_back({id, quantity, bounds.first, bounds.second});
  if (sample.seconds == sample.seconds) {
    results.outcomes.push_back(
        {.case_id = id, .pass = "time", .reason = {}, .node = sample.node, .placement = sample.placement, .session = {}});
    results.times.push_back({.case_id = id, .node = sample.node, .session = {}, .repetition = 0, .rank = -1, .seconds = sample.seconds});
  }
  if (sample.counts.empty()) return;
  results.outcomes.push_back({.case_id = id, .pass = "count", .reason = {}, .node = sample.node, .placement = {}, .session = {}});
  for (std::int32_t rank = 0; rank < sample.ranks; ++rank)
    for (const auto& [event, count] : sample.counts) {
      CountRow row{.case_id = id, .node = sample.node, .session = {}, .event = event, .backend = sample.backend};
      row.rank = rank;
      row.net = count;
      results.counts.push_back(row);
    }
}

}  // namespace plumbline::test
