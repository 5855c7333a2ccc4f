// counted_on_gpus FILE [PROFILED TIMES RATE]: a result file of eight cases on a GPU of chip GH100, as CUPTI's metrics would have counted
// them: FP64 instructions right, DRAM reads a quarter too many, the shared cycles of no model. Under the profiler the clock is PROFILED
// times that of the timed runs, the counted time TIMES the timed one, and the rate of cycles RATE times what those cycles came to in that
// time (gpu_score_test.py). counted_on_gpus FILE halves LANES: in their place as many HFMA as elements, half as many HADD and a quarter as
// many HMUL, each of so many values (2: packed), and bytes right (conventions_test.py).
#include <cstdlib>
#include <string_view>

#include "counted_triads.hpp"

namespace {

struct Profiler {
  double clock = 1, time = 1, rate = 1;
};

plumbline::CountedTriad triad(double n, const Profiler& profiler) {
  constexpr double clock_hz = 1.9e9;
  const double nanoseconds = profiler.time * n, cycles = nanoseconds * 1e-9 * profiler.clock * clock_hz;
  return {.team = "g1",
          .flavor = "cuda13-sm_90a",
          .seconds = n * 1e-9,
          .clock_hz = clock_hz,
          .model = {{"flops.fp64", 2 * n},
                    {"flops.fp64.fma", n},
                    {"flops.fp32", 0},
                    {"bytes.L2-mem.demand_read", 16 * n},
                    {"bytes.L2-mem.write_back", 8 * n}},
          .backend = "cupti",
          .counts = {{"sm__sass_thread_inst_executed_op_dadd_pred_on.sum", {0, 0}},
                     {"sm__sass_thread_inst_executed_op_dmul_pred_on.sum", {0, 0}},
                     {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum", {0, n}},
                     {"dram__bytes_read.sum", {1, 20 * n}},
                     {"dram__bytes_write.sum", {1, 8 * n}},
                     {"gpu__time_duration.sum", {1, nanoseconds}},
                     {"sm__cycles_elapsed.avg", {1, cycles}},
                     {"sm__cycles_elapsed.max", {1, cycles + 500}},
                     {"sm__cycles_elapsed.avg.per_second", {1, profiler.rate * profiler.clock * clock_hz}},
                     {"sm__warps_active.avg.pct_of_peak_sustained_active", {1, 87.5}},
                     {"launches", {2, 1}}}};
}

plumbline::CountedTriad halves(double n, double lanes) {
  return {.team = "g1",
          .flavor = "cuda13-sm_90a",
          .seconds = n * 1e-9,
          .clock_hz = 1.9e9,
          .model = {{"flops.fp16", lanes * 2.75 * n},
                    {"bytes.L1-L2.demand_read", 16 * n},
                    {"bytes.L1-L2.write_back", 8 * n},
                    {"bytes.L2-mem.demand_read", 16 * n},
                    {"bytes.L2-mem.write_back", 8 * n}},
          .backend = "cupti",
          .counts = {{"sm__sass_thread_inst_executed_op_hadd_pred_on.sum", {0, n / 2}},
                     {"sm__sass_thread_inst_executed_op_hmul_pred_on.sum", {0, n / 4}},
                     {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum", {0, n}},
                     {"lts__t_bytes.sum", {1, 30 * n}},
                     {"dram__bytes_read.sum", {1, 16 * n}},
                     {"dram__bytes_write.sum", {1, 8 * n}}}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  constexpr const char* gpu = R"("gpu_chip":"GH100",)";
  if (argc == 4 && std::string_view(argv[2]) == "halves") {
    plumbline::write_counted_triads(argv[1], gpu, [&](double n) { return halves(n, std::atof(argv[3])); });
    return 0;
  }
  Profiler profiler;
  if (argc == 5) profiler = {std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4])};
  plumbline::write_counted_triads(argv[1], gpu, [&](double n) { return triad(n, profiler); });
}
