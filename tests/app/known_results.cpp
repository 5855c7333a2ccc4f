// known_results FILE [wrong|bare|open|papi|masked|gpu]: writes a result file whose every judgement can be worked out by hand; `wrong`: with
// one FLOP too many; `bare`: without ceilings; `open`: with a model that leaves traffic open, and one sample of each ceiling; `papi`: on a
// Zen 4, with counts of PAPI and of perf_event, the latter by another code than the tables have; `masked`: on a CPU that is in no vendor's
// table, with one undisturbed sample of each ceiling, at a clock at which its FMAs are 15.2 FLOP a clock; `gpu`: with two ceilings of a
// GPU.
#include <map>
#include <string>
#include <tuple>

#include "core/records.hpp"
#include "store/result_store.hpp"

namespace {

using namespace plumbline;

constexpr double elements = 1000;

void add_case(Results& results, const std::string& flavor, const std::string& pass_status_of_time, double seconds,
              const std::map<std::string, double>& counts, std::pair<double, double> to_L2 = {0, 6144}) {
  const std::string work = "validation/triad/fp64/n=1000", id = work + "/r1t1/" + flavor;
  results.cases.push_back({id, work, "validation/triad", "fp64", flavor, 1, 1, R"({"n":1000})"});
  const Status timed = *status_from(pass_status_of_time);
  results.outcomes.push_back({id, "time", timed, timed == Status::ok ? "" : "no AVX-512 here", "node0", "{}", 1, "s1"});
  if (timed == Status::ok)
    for (std::int32_t repetition = 0; repetition < 3; ++repetition) {
      results.times.push_back({id, "node0", "s1", repetition, -1, seconds * (1 + 0.1 * (repetition - 1)), 1e9});
      results.times.push_back({id, "node0", "s1", repetition, 0, seconds / 2, 1e9});  // a rank's own time is not the team's
    }
  for (const auto& [event, count] : counts) {
    CountRow row{.case_id = id, .node = "node0", .session = "s1", .event = event, .backend = "emulated"};
    row.net = count;
    results.counts.push_back(row);
  }
  if (!counts.empty()) results.outcomes.push_back({id, "count", Status::ok, "", "node0", "{}", 1, "s1"});
  const std::map<std::string, std::pair<double, double>> model{
      {"flops.fp64", {2 * elements, 2 * elements}},     {"flops.fp32", {0, 0}},
      {"bytes.reg-L1", {24 * elements, 24 * elements}}, {"bytes.L1-L2", to_L2},
      {"paper.flops", {2 * elements, 2 * elements}},    {"paper.bytes", {24 * elements, 24 * elements}}};
  for (const auto& [quantity, bounds] : model) results.model.push_back({id, quantity, bounds.first, bounds.second});
}

std::map<std::string, double> counts_of(double fused) {
  std::map<std::string, double> counts{{"loads", 500}, {"stores", 250}};
  for (const char* precision : {"fp64", "fp32"})
    for (const char* kind : {"add", "mul", "fma", "div", "sqrt"}) counts["flops." + std::string(precision) + "." + kind] = 0;
  counts["flops.fp64.fma"] = fused;
  counts["bytes.reg-L1.load"] = 16 * elements;
  counts["bytes.reg-L1.store"] = 8 * elements;
  counts["bytes.reg-L1.nt_store"] = 0;
  for (const char* flow : {"demand_read", "rfo", "write_back", "nt_store"}) counts["bytes.L1-L2." + std::string(flow)] = 0;
  return counts;
}

void add_ceiling(Results& results, const std::string& name, const std::string& level, const std::string& pattern, double value,
                 double working_set, bool once) {
  CeilingRow row{.name = name,
                 .precision = level == "compute" ? "fp64" : "-",
                 .level = level,
                 .pattern = pattern,
                 .node = "node0",
                 .session = "s1",
                 .unit = level == "compute" ? "GFLOP/s" : "GB/s",
                 .method = "gcc12-O3-v3"};
  row.working_set_bytes = working_set;
  for (const double factor : {1.0, 0.9}) {
    if (once && row.round > 0) return;
    row.value = factor * value;
    results.ceilings.push_back(row);
    ++row.round;
  }
}

void add_other_counters(Results& results) {
  const std::string id = results.cases.front().id;
  const std::pair<const char*, const char*> events[]{{"papi", "PAPI_FP_OPS"},
                                                     {"papi", "PAPI_L1_DCM"},
                                                     {"papi", "PAPI_L1_DCA"},
                                                     {"papi", "amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ANY"},
                                                     {"perf_event", "REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:LS_RD_BLK_C_S"}};
  for (const auto& [backend, event] : events) {
    CountRow row{.case_id = id, .node = "node0", .session = "s1", .event = event, .backend = backend};
    row.net = 2 * elements;
    results.counts.push_back(row);
  }
  for (const char* flow : {"demand_read", "rfo"}) results.model.push_back({id, "bytes.L1-L2." + std::string(flow), 0, 3072});
  for (const char* flow : {"load", "store"})
    for (const char* prefix : {"", "executed."})
      results.model.push_back({id, prefix + ("bytes.reg-L1." + std::string(flow)), 12 * elements, 12 * elements});
  results.provenance = R"({"simulated_caches":[{"name":"L1","bytes":32768,"ways":8,"line_bytes":128}],"events":[
    {"backend":"perf_event","event":"REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:LS_RD_BLK_C_S","code":"cpu 0x1234","table":"mine.toml:3"},
    {"backend":"perf_event","event":"GONE","code":"cpu 0x99","table":"mine.toml:9","table_hash":"0"}]})";
  results.machines[0].json.insert(1, R"("cpu":{"vendor":"AuthenticAMD","family":25,"model":17,"stepping":1,"name":"AMD EPYC 9654"},)");
}

void mask_cpu(Results& results) {
  results.machines[0].json.insert(1,
                                  R"("cpu":{"vendor":"GenuineIntel","family":6,"model":167,"stepping":1,"name":"Intel Xeon Processor"},)");
  for (CeilingRow& row : results.ceilings) {
    row.clock_hz = 100e9 / 15.2;
    row.sentinel = 4;
    row.cpu_share = 1;
  }
}

/// Peaks of a GPU: FP16 does 1.9 times the FLOP/s of FP32.
void add_gpu(Results& results) {
  for (const auto& [name, precision, value] : {std::tuple("GPU FP32 FMA", "fp32", 15000.0), std::tuple("GPU FP16 FMA", "fp16", 28500.0)}) {
    add_ceiling(results, name, "compute", "fma", value, absent, false);
    for (std::size_t i = results.ceilings.size() - 2; i < results.ceilings.size(); ++i) {
      results.ceilings[i].precision = precision;
      results.ceilings[i].scope = gpu_scope;
      results.ceilings[i].method = "cuda13-sm_75, 40 multiprocessors of 7.5, Tesla T4";
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Results results;
  results.provenance = "{}";
  results.campaign = "schema = \"plumbline-campaign/1\"\n";
  results.machines.push_back({"node0", R"({"node":"node0","caches":[{"level":1,"bytes":49152,"ways":12,"line_bytes":64,"shared_by_cpus":1},
    {"level":2,"bytes":1048576,"ways":16,"line_bytes":64,"shared_by_cpus":1}],"cores":2,"pus":2,"numa_nodes":1})"});
  const std::string variant = argc > 2 ? argv[2] : "";
  const bool open = variant == "open", once = open || variant == "masked";
  add_case(results, "gcc12-O3-v3", "ok", 1e-6, counts_of(variant == "wrong" ? elements + 0.5 : elements));
  add_case(results, "gcc12-O3-v4", "skipped", 0, {});
  add_case(results, "gcc13-O3-v3", "ok", 1e-6, {}, open ? std::pair{16000.0, 32000.0} : std::pair{0.0, 6144.0});
  if (variant != "bare") {
    add_ceiling(results, "FP64 vector FMA", "compute", "fma", 100, absent, once);
    for (double bytes = 4608; bytes <= 80 << 20; bytes *= 1.25)  // 48 GB/s from a first cache of 48 KiB, and there is no other
      add_ceiling(results, "load", "sweep", "load", bytes <= 48 * 1024 ? 48 : 10, bytes, once);
    add_ceiling(results, "triad", "sweep", "triad", 9, 64 << 20, once);
    if (open) add_ceiling(results, "L2 load", "L2", "load", 20, absent, open);
  }
  if (variant == "papi") add_other_counters(results);
  if (variant == "masked") mask_cpu(results);
  if (variant == "gpu") add_gpu(results);
  write_store(argv[1], results);
}
