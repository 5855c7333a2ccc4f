// The emulator simulates a core of these widths and latencies.
#pragma once

namespace plumbline {

/// A core takes up, begins and has under way so many instructions. Its data are taken to be in L1.
struct CorePipes {
  int width = 0;      // instructions taken up in a cycle (dispatch or rename width)
  int window = 0;     // instructions that may be under way at once (reorder buffer)
  int registers = 0;  // results in vector registers that may be (physical registers, but for those that a program has names of)
  // Instructions that can begin in a cycle: additions, products (fused multiply-adds are products), all that compute in vector registers.
  int add = 0, mul = 0, vectors = 0, loads = 0, stores = 0;
  int add_latency = 0, mul_latency = 0, fma_latency = 0;  // cycles until another instruction may use the result
  int code_bytes = 4096;                                  // of an aligned stretch of code, of which one is fetched in a cycle; at most 4096
};

}  // namespace plumbline
