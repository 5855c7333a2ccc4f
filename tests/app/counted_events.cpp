// counted_events FILE: a result file of eight cases, counted by a PMU whose events are what a table of the test says
// (event_limits_test.py): FLOPS right, FLOPS_OFFSET twice that and 500000 in every sweep, FILLS and VICTIMS of L1 in lines, LINES of L2,
// MEMORY by a PMU of its own, STRAY claimed by nobody. They were counted in two groups of four.
#include <map>
#include <string>

#include "core/records.hpp"
#include "store/result_store.hpp"

namespace {

using namespace plumbline;

void add_case(Results& results, double n) {
  const std::string work = "validation/triad/fp64/n=" + std::to_string(static_cast<int>(n)), id = work + "/r1t1/gcc12-O3-v3";
  results.cases.push_back(
      {id, work, "validation/triad", "fp64", "gcc12-O3-v3", 1, 1, R"({"n":)" + std::to_string(static_cast<int>(n)) + "}"});
  for (const char* pass : {"time", "count"}) results.outcomes.push_back({id, pass, Status::ok, "", "node0", "{}", 1, "s1"});
  for (std::int32_t repetition = 0; repetition < 3; ++repetition)
    results.times.push_back({id, "node0", "s1", repetition, -1, n * 1e-9, 1e9});
  const std::map<std::string, double> model{{"flops.fp64", 2 * n},
                                            {"flops.fp32", 0},
                                            {"bytes.reg-L1", 24 * n},
                                            {"bytes.L1-L2", 32 * n},
                                            {"bytes.L1-L2.demand_read", 16 * n},
                                            {"bytes.L1-L2.rfo", 8 * n},
                                            {"bytes.L1-L2.write_back", 8 * n},
                                            {"bytes.L2-L3", 32 * n},
                                            {"bytes.L3-mem", 32 * n}};
  for (const auto& [quantity, exact] : model) results.model.push_back({id, quantity, exact, exact});
  const std::map<std::string, std::pair<std::int32_t, double>> counts{
      {"FLOPS", {0, 2 * n}},        {"FILLS", {0, 24 * n / 64}}, {"MEMORY", {0, 32 * n / 64}},          {"STRAY", {0, 17}},
      {"VICTIMS", {1, 8 * n / 64}}, {"LINES", {1, 32 * n / 64}}, {"FLOPS_OFFSET", {1, 4 * n + 500000}}, {"STRAY_TOO", {1, 1}}};
  for (const auto& [event, count] : counts)
    for (std::int32_t repetition = 0; repetition < 5; ++repetition) {
      CountRow row{.case_id = id, .node = "node0", .session = "s1", .event = event, .backend = "perf_event"};
      row.group = count.first;
      row.repetition = repetition;
      row.net = count.second;
      results.counts.push_back(row);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Results results;
  results.provenance = "{}";
  results.campaign = "schema = \"plumbline-campaign/1\"\n";
  results.machines.push_back({"node0", R"({"node":"node0","caches":[],"cores":2,"pus":2,"numa_nodes":1,
    "cpu":{"vendor":"Test","family":1,"model":1,"stepping":0,"name":"a CPU of the test"}})"});
  for (double n = 64000; n <= 64000 * 128; n *= 2) add_case(results, n);
  write_store(argv[1], results);
}
