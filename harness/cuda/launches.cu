// Launches are written down as they are made. The linker puts these functions in the place of the runtime's own (--wrap), so no launch
// passes them by, whichever kernel it is of.
#include <unordered_map>
#include <utility>

#include "cuda/launches.cuh"

namespace plumbline::cuda {
namespace {

struct Writing {
  std::vector<KernelLaunch>* where = nullptr;
  bool only = false;                  // nothing is launched
  bool captured = false;              // launches go into a graph
  cudaError_t refused = cudaSuccess;  // of the first captured one that failed
  std::string architecture;
  std::optional<LaunchFacts> next = {};
  std::string untold = {};
} writing;

/// The names under which the kernels register themselves, before main, by the address that is launched.
std::unordered_map<const void*, std::string>& names() {
  static std::unordered_map<const void*, std::string> all;
  return all;
}
#if CUDART_VERSION >= 12060
/// The runtime's handles of what is launched.
std::unordered_map<cudaKernel_t, const void*>& functions() {
  static std::unordered_map<cudaKernel_t, const void*> all;
  return all;
}
#endif

std::array<unsigned, 3> sides(const dim3& size) { return {size.x, size.y, size.z}; }

/// The blocks that a multiprocessor holds at once by the runtime's own reckoning, of registers, shared memory and the GPU's limits; 0 where
/// nothing is launched, and there may be no driver to ask. An error of earlier work stays untold.
int resident_blocks(const void* function, const dim3& block, std::size_t shared_bytes) {
  if (writing.only) return 0;
  const bool was_well = cudaPeekAtLastError() == cudaSuccess;
  int blocks = 0;
  const auto threads = static_cast<int>(block.x * block.y * block.z);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared_bytes) == cudaSuccess) return blocks;
  if (was_well) cudaGetLastError();
  return 0;
}

void write_down(std::string function, const dim3& grid, const dim3& block, std::size_t shared_bytes, int resident) {
  writing.where->push_back({std::move(function), writing.architecture, sides(grid), sides(block), std::exchange(writing.next, std::nullopt),
                            std::exchange(writing.untold, ""), shared_bytes, resident});
}

void write_down_of(const void* function, const dim3& grid, const dim3& block, std::size_t shared_bytes) {
  write_down(names()[function], grid, block, shared_bytes, resident_blocks(function, block, shared_bytes));
}

/// Keeps what a launch was refused with, if it was captured.
cudaError_t told(cudaError_t result) {
  if (writing.captured && writing.refused == cudaSuccess) writing.refused = result;
  return result;
}

/// Writes down that kernels are launched which have no names here, and why (nothing: those of a graph). What was told before is not theirs.
void write_down_untold(std::string why) {
  if (writing.where == nullptr) return;
  writing.next.reset();
  writing.untold = std::move(why);
  write_down("", {}, {}, 0, 0);
}

}  // namespace

void write_down_launches(std::vector<KernelLaunch>* where, bool only, const std::string& architecture) {
  writing = {where, only && where != nullptr, false, cudaSuccess, architecture};
}

bool launches_are_made() { return !writing.only; }

void begin_captured_launches() {
  writing.captured = true;
  writing.refused = cudaSuccess;
}

cudaError_t end_captured_launches() {
  writing.captured = false;
  return writing.refused;
}

void next_launch(std::uint64_t threads, std::initializer_list<std::uint64_t> trips, bool guards_let_through) {
  if (writing.where != nullptr) writing.next = LaunchFacts{threads, trips, false, guards_let_through};
}

void next_launch_in_all(std::uint64_t threads, std::initializer_list<std::uint64_t> trips, bool guards_let_through) {
  if (writing.where != nullptr) writing.next = LaunchFacts{threads, trips, true, guards_let_through};
}

void next_launch_untold(const char* why) {
  if (writing.where != nullptr) writing.untold = why;
}

bool library_is_to_launch(const char* library) {
  write_down_untold(std::string(library) + " launches kernels of its own, which are not told");
  return !writing.only;
}

}  // namespace plumbline::cuda

using namespace plumbline::cuda;

extern "C" {
void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
#if CUDART_VERSION >= 12060
cudaError_t __real___cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
#endif
#if CUDART_VERSION < 13000
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
#endif
cudaError_t __real_cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);

void __wrap___cudaRegisterFunction(void** binary, const char* function, char* device_function, const char* name, int threads, uint3* thread,
                                   uint3* block, dim3* block_size, dim3* grid_size, int* warp) {
  names()[function] = name;
  __real___cudaRegisterFunction(binary, function, device_function, name, threads, thread, block, block_size, grid_size, warp);
}

#if CUDART_VERSION >= 12060
/// A handle is asked for once, at a kernel's first launch. Where nothing is launched there may be no driver to give one: then it is the
/// function's own address.
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* handle, const void* function) {
  cudaError_t result = cudaSuccess;
  if (writing.only)
    *handle = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  else
    result = __real___cudaGetKernel(handle, function);
  if (result == cudaSuccess) functions()[*handle] = function;
  return result;
}

cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                      cudaStream_t stream) {
  if (writing.where != nullptr && !writing.captured) write_down_of(functions()[kernel], grid, block, shared_bytes);
  return writing.only ? cudaSuccess : told(__real___cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
}
#endif
#if CUDART_VERSION < 13000  // CUDA 12 launches by a function's own address
cudaError_t __wrap_cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                    cudaStream_t stream) {
  if (writing.where != nullptr && !writing.captured) write_down_of(function, grid, block, shared_bytes);
  return writing.only ? cudaSuccess : told(__real_cudaLaunchKernel(function, grid, block, arguments, shared_bytes, stream));
}
#endif

cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  write_down_untold("");
  return writing.only ? cudaSuccess : __real_cudaGraphLaunch(graph, stream);
}
}
