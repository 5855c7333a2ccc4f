// The module's kernels use the CUDA runtime through this: checked calls, and the one stream that all sweeps are queued in.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace plumbline::cuda {

/// Throws Error (io) with call, file and line where a CUDA call gave no success.
void require_success(cudaError_t result, const char* call, const char* file, int line);
#define PLUMBLINE_CUDA(call) ::plumbline::cuda::require_success((call), #call, __FILE__, __LINE__)

/// The stream of the GPU that is open; sweeps queue their work in it and neither wait nor throw, but for what a library refuses.
cudaStream_t stream();

/// The number of threads in a block where nothing else decides.
constexpr unsigned block_threads = 256;
constexpr unsigned warp_threads = 32;  // threads that execute together

/// The number of blocks of so many threads that cover n elements.
constexpr unsigned blocks_for(std::size_t n, unsigned threads = block_threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

/// The number of multiprocessors of the GPU that is open; 1 where none is.
int multiprocessors();

}  // namespace plumbline::cuda
