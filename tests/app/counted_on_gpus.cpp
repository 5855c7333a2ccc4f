// counted_on_gpus FILE: a result file of eight cases on a GPU of chip GH100, as CUPTI's metrics would have counted them: FP64 instructions
// right, DRAM reads a quarter too many, the shared cycles of no model (gpu_score_test.py).
#include "counted_triads.hpp"

namespace {

plumbline::CountedTriad triad(double n) {
  return {.team = "g1",
          .flavor = "cuda13-sm_90a",
          .seconds = n * 1e-12,
          .clock_hz = 1.9e9,
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
                     {"launches", {2, 1}}}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  plumbline::write_counted_triads(argv[1], R"("gpu_chip":"GH100",)", triad);
}
