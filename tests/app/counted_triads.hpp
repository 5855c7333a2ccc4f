// Result files of eight cases of a triad on one node, each timed three times and counted five times, whose every number a test chose.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/records.hpp"
#include "store/result_store.hpp"

namespace plumbline {

/// A sweep of n elements.
struct CountedTriad {
  std::string team, flavor;
  double seconds = 0, clock_hz = 0;
  std::map<std::string, double> model = {};                            // quantity to its exact number
  std::string backend = {};                                            // that counted
  std::map<std::string, std::pair<std::int32_t, double>> counts = {};  // event to its group and its number
  std::string kernel = "validation/triad";                             // or another one, whose work is said to be a triad's
};

inline void add_case(Results& results, int n, const CountedTriad& triad) {
  const std::string size = std::to_string(n), work = triad.kernel + "/fp64/n=" + size, id = work + "/" + triad.team + "/" + triad.flavor;
  results.cases.push_back({id, work, triad.kernel, "fp64", triad.flavor, 1, 1, R"({"n":)" + size + "}"});
  for (const char* pass : {"time", "count"}) results.outcomes.push_back({id, pass, Status::ok, "", "node0", "{}", 1, "s1"});
  for (std::int32_t repetition = 0; repetition < 3; ++repetition)
    results.times.push_back({id, "node0", "s1", repetition, -1, triad.seconds, triad.clock_hz});
  for (const auto& [quantity, exact] : triad.model) results.model.push_back({id, quantity, exact, exact});
  for (const auto& [event, count] : triad.counts)
    for (std::int32_t repetition = 0; repetition < 5; ++repetition) {
      CountRow row{.case_id = id, .node = "node0", .session = "s1", .event = event, .backend = triad.backend};
      row.group = count.first;
      row.repetition = repetition;
      row.net = count.second;
      row.raw = static_cast<std::uint64_t>(std::llround(std::max(0.0, count.second)));
      results.counts.push_back(row);
    }
}

/// `node`: what its facts hold beside caches, cores and CPU.
template <class Triad>
void write_counted_triads(const char* file, const std::string& node, Triad triad) {
  Results results;
  results.provenance = "{}";
  results.campaign = "schema = \"plumbline-campaign/1\"\n";
  results.machines.push_back({"node0", R"({"node":"node0","caches":[],"cores":2,"pus":2,"numa_nodes":1,)" + node +
                                           R"("cpu":{"vendor":"Test","family":1,"model":1,"stepping":0,"name":"a CPU of the test"}})"});
  for (int n = 64000; n <= 64000 * 128; n *= 2) add_case(results, n, triad(n));
  write_store(file, results);
}

}  // namespace plumbline
