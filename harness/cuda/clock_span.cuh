// A kernel has its clock measured while it works by `const ClockedKernel clocked(span);` as its first line.
#pragma once
#include "core/work.hpp"
#include "gpu/clock_span.hpp"

namespace plumbline::cuda {

/// The span that the next kernels write: in the memory of the GPU that is open; null where none is.
ClockSpan* clock_span();

/// The bytes that a launch stores in its clock span, for the kernel's model.
inline Stream clock_stream() {
  return {.array = "clock span", .footprint_bytes = sizeof(ClockSpan), .written = true, .stores = 4, .element_bytes = 8};
}

/// Reads both counters at begin and end, in the grid's first thread. In a grid whose blocks all run at once that is nearly the whole sweep.
class ClockedKernel {
 public:
  __device__ __forceinline__ explicit ClockedKernel(ClockSpan* span) : span_(blockIdx.x == 0 && threadIdx.x == 0 ? span : nullptr) {
    if (span_ != nullptr) read(span_->begin_cycles, span_->begin_nanoseconds);
  }
  __device__ __forceinline__ ~ClockedKernel() {
    if (span_ != nullptr) read(span_->end_cycles, span_->end_nanoseconds);
  }
  ClockedKernel(const ClockedKernel&) = delete;
  ClockedKernel& operator=(const ClockedKernel&) = delete;

 private:
  __device__ __forceinline__ static void read(std::uint64_t& cycles, std::uint64_t& nanoseconds) {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    nanoseconds = time;
    cycles = static_cast<std::uint64_t>(clock64());
  }

  ClockSpan* span_;
};

}  // namespace plumbline::cuda
