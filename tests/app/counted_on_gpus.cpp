// counted_on_gpus FILE: a result file of eight cases on a GPU of chip GH100, as CUPTI's metrics would have counted them: FP64 instructions
// right, DRAM reads a quarter too many, the shared cycles of no model (gpu_score_test.py).
#include <map>
#include <string>

#include "core/records.hpp"
#include "store/result_store.hpp"

namespace {

using namespace plumbline;

void add_case(Results& results, double n) {
  const std::string p = std::to_string(static_cast<int>(n)), work = "validation/triad/fp64/n=" + p, id = work + "/g1/cuda13-sm_90a";
  results.cases.push_back({id, work, "validation/triad", "fp64", "cuda13-sm_90a", 1, 1, R"({"n":)" + p + "}"});
  for (const char* pass : {"time", "count"}) results.outcomes.push_back({id, pass, Status::ok, "", "node0", "{}", 1, "s1"});
  for (std::int32_t repetition = 0; repetition < 3; ++repetition)
    results.times.push_back({id, "node0", "s1", repetition, -1, n * 1e-12, 1.9e9});
  const std::map<std::string, double> model{{"flops.fp64", 2 * n},
                                            {"flops.fp64.fma", n},
                                            {"flops.fp32", 0},
                                            {"bytes.L2-mem.demand_read", 16 * n},
                                            {"bytes.L2-mem.write_back", 8 * n}};
  for (const auto& [quantity, exact] : model) results.model.push_back({id, quantity, exact, exact});
  const std::map<std::string, std::pair<std::int32_t, double>> counts{{"sm__sass_thread_inst_executed_op_dadd_pred_on.sum", {0, 0}},
                                                                      {"sm__sass_thread_inst_executed_op_dmul_pred_on.sum", {0, 0}},
                                                                      {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum", {0, n}},
                                                                      {"dram__bytes_read.sum", {1, 20 * n}},
                                                                      {"dram__bytes_write.sum", {1, 8 * n}},
                                                                      {"launches", {2, 1}}};
  for (const auto& [event, count] : counts)
    for (std::int32_t repetition = 0; repetition < 5; ++repetition) {
      CountRow row{.case_id = id, .node = "node0", .session = "s1", .event = event, .backend = "cupti"};
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
  results.machines.push_back({"node0", R"({"node":"node0","caches":[],"cores":2,"pus":2,"numa_nodes":1,"gpu_chip":"GH100",
    "cpu":{"vendor":"Test","family":1,"model":1,"stepping":0,"name":"a CPU of the test"}})"});
  for (double n = 64000; n <= 64000 * 128; n *= 2) add_case(results, n);
  write_store(argv[1], results);
}
