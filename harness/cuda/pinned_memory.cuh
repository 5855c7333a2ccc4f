// Memory of the host that a GPU copies from and to often is pinned: the copy engine reaches it by itself.
#pragma once
#include <cuda_runtime.h>

#include <memory_resource>
#include <new>

#include "core/device_memory.hpp"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

/// The host's memory, pinned. allocate() throws std::bad_alloc where the system pins no more.
class PinnedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {  // whole pages
    void* data = nullptr;
    const cudaError_t result = cudaHostAlloc(&data, bytes, cudaHostAllocDefault);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    require_success(result, "cudaHostAlloc", __FILE__, __LINE__);
    return data;
  }
  void do_deallocate(void* data, std::size_t, std::size_t) override { cudaFreeHost(data); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

/// The memory for what the host works on and copies to and from the GPU that is open: pinned. Without a GPU it is the host's as it is. It
/// outlives all data.
inline DeviceMemory& memory_of_host() {
  static PinnedMemory pages;
  static HostInPlaceOfDevice plain, pinned(pages);
  return stream() == nullptr ? plain : pinned;
}

}  // namespace plumbline::cuda
