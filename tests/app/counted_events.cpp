// counted_events FILE: a result file of eight cases of two kernels, counted by a PMU whose events are what a table of the test says
// (event_limits_test.py): FLOPS right, FLOPS_OFFSET twice that and 500000 in every sweep, FILLS and VICTIMS of L1 in lines, LINES of L2,
// MEMORY by a PMU of its own, STRAY claimed by nobody. They were counted in two groups of four.
#include "counted_triads.hpp"

namespace {

plumbline::CountedTriad triad(double n) {
  return {.team = "r1t1",
          .flavor = "gcc12-O3-v3",
          .seconds = n * 1e-9,
          .clock_hz = 1e9,
          .model = {{"flops.fp64", 2 * n},
                    {"flops.fp32", 0},
                    {"bytes.reg-L1", 24 * n},
                    {"bytes.L1-L2", 32 * n},
                    {"bytes.L1-L2.demand_read", 16 * n},
                    {"bytes.L1-L2.rfo", 8 * n},
                    {"bytes.L1-L2.write_back", 8 * n},
                    {"bytes.L2-L3", 32 * n},
                    {"bytes.L3-mem", 32 * n}},
          .backend = "perf_event",
          .counts = {{"FLOPS", {0, 2 * n}},
                     {"FILLS", {0, 24 * n / 64}},
                     {"MEMORY", {0, 32 * n / 64}},
                     {"STRAY", {0, 17}},
                     {"VICTIMS", {1, 8 * n / 64}},
                     {"LINES", {1, 32 * n / 64}},
                     {"FLOPS_OFFSET", {1, 4 * n + 500000}},
                     {"STRAY_TOO", {1, 1}}},
          .kernel = n < 1e6 ? "validation/triad" : "validation/dot"};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  plumbline::write_counted_triads(argv[1], "", triad);
}
