// The CUDA runtime as the module's kernels use it: checked calls, and the one stream that all sweeps are queued in.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace plumbline::cuda {

/// Throws Error (io) with call, file and line where it is no success.
void require_success(cudaError_t result, const char* call, const char* file, int line);
#define PLUMBLINE_CUDA(call) ::plumbline::cuda::require_success((call), #call, __FILE__, __LINE__)

/// Of the GPU that is open; sweeps queue their work in it and neither wait nor throw, but for what a library refuses.
cudaStream_t stream();

/// Threads of a block where nothing else decides.
constexpr unsigned block_threads = 256;

/// Blocks of so many threads that cover n elements.
constexpr unsigned blocks_for(std::size_t n, unsigned threads = block_threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

/// Multiprocessors of the GPU that is open; 1 where none is.
int multiprocessors();

}  // namespace plumbline::cuda
