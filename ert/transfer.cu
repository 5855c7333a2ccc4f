// Data are moved between a GPU's memory and the host's, or another GPU's: by the copy engine, or by kernels that reach across. They are
// moved within it too, by the runtime's own copy, which is what users compare memory with.
#include <cmath>
#include <new>

#include "core/kernel_data.hpp"
#include "core/unavailable.hpp"
#include "cuda/register.cuh"
#include "cuda/tile.hpp"
#include "cuda/wide.cuh"

namespace plumbline {
namespace {

enum class TransferWay { copy_pinned, copy_pageable, kernel_pinned, copy_peer, kernel_peer, copy_here };

bool is_by_kernel(TransferWay way) { return way == TransferWay::kernel_pinned || way == TransferWay::kernel_peer; }
bool is_to_peer(TransferWay way) { return way == TransferWay::copy_peer || way == TransferWay::kernel_peer; }

struct Transfer {
  TransferWay way;
  bool to_device;
  double* device;
  double* other;
};

/// The memory at the other end: the host's, pinned or not, another GPU's, or more of this one's. Without a GPU it is more of what stands in
/// for its memory.
class OtherEnd {
 public:
  OtherEnd(std::size_t bytes, TransferWay way, DeviceMemory& memory)
      : bytes_(bytes), way_(way), memory_(cuda::stream() == nullptr ? &memory : nullptr) {
    if (memory_ != nullptr)
      data_ = memory_->allocate(bytes, alignment);
    else if (way_ == TransferWay::copy_pageable)
      data_ = ::operator new (bytes, std::align_val_t{alignment});
    else if (is_to_peer(way_))
      allocate_on_peer(bytes);
    else if (way_ == TransferWay::copy_here)
      allocate_here(bytes);
    else
      PLUMBLINE_CUDA(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault));
  }
  OtherEnd(const OtherEnd&) = delete;
  OtherEnd& operator=(const OtherEnd&) = delete;
  ~OtherEnd() {
    if (memory_ != nullptr)
      memory_->deallocate(data_, bytes_, alignment);
    else if (way_ == TransferWay::copy_pageable)
      ::operator delete (data_, std::align_val_t{alignment});
    else if (is_on_gpu())
      cudaFree(data_);
    else
      cudaFreeHost(data_);
  }
  double* data() const { return static_cast<double*>(data_); }
  void copy_in(std::size_t first, const double* from, std::size_t count) const { copy(data() + first, from, count * sizeof(double)); }
  void copy_out(double* to, std::size_t first, std::size_t count) const { copy(to, data() + first, count * sizeof(double)); }

 private:
  bool is_on_gpu() const { return is_to_peer(way_) || way_ == TransferWay::copy_here; }

  void allocate_here(std::size_t bytes) {
    const cudaError_t result = cudaMalloc(&data_, bytes);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    cuda::require_success(result, "cudaMalloc", __FILE__, __LINE__);
  }

  /// Allocates on the first GPU that this one reaches and that lets it. Throws UnavailableHere where there is none.
  void allocate_on_peer(std::size_t bytes) {
    int here = 0, count = 0;
    PLUMBLINE_CUDA(cudaGetDevice(&here));
    PLUMBLINE_CUDA(cudaGetDeviceCount(&count));
    std::string refusals;
    for (int other = 0; other < count; ++other) {
      int reached = 0;
      if (other != here) PLUMBLINE_CUDA(cudaDeviceCanAccessPeer(&reached, here, other));
      if (reached == 0) continue;
      const cudaError_t result = allocate_on(other, here, bytes);
      if (result == cudaSuccess) return;
      cudaGetLastError();  // told below
      if (!is_refusal(result)) cuda::require_success(result, "memory on a peer", __FILE__, __LINE__);
      refusals += "; GPU " + std::to_string(other) + " refuses: " + cudaGetErrorString(result);
    }
    throw UnavailableHere("ert/transfer: a peer's memory takes a second visible GPU that this one reaches" +
                          (refusals.empty() ? ", and there is none" : refusals));
  }

  cudaError_t allocate_on(int other, int here, std::size_t bytes) {
    cudaError_t result = cudaDeviceEnablePeerAccess(other, 0);
    if (result == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
      result = cudaSuccess;
    }
    if (result == cudaSuccess) result = cudaSetDevice(other);
    if (result == cudaSuccess) result = cudaMalloc(&data_, bytes);
    PLUMBLINE_CUDA(cudaSetDevice(here));
    return result;
  }

  /// Whether an error is this machine's refusal, as it is at present, and no error of the kernel's.
  static bool is_refusal(cudaError_t result) {
    return result == cudaErrorPeerAccessUnsupported || result == cudaErrorTooManyPeers || result == cudaErrorDevicesUnavailable ||
           result == cudaErrorMemoryAllocation;
  }

  /// The host's memory is reached by loads and stores, a GPU's by copies. These may come back from pageable memory before all has arrived,
  /// and the kernels' stream doesn't wait for them.
  void copy(void* to, const void* from, std::size_t bytes) const {
    if (memory_ != nullptr || !is_on_gpu()) {
      std::memcpy(to, from, bytes);
    } else {
      PLUMBLINE_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
      PLUMBLINE_CUDA(cudaDeviceSynchronize());
    }
  }

  static constexpr std::size_t alignment = 256;
  std::size_t bytes_;
  TransferWay way_;
  DeviceMemory* memory_;
  void* data_ = nullptr;
};

/// Blocks of a multiprocessor, with a load of 16 bytes a thread under way: of 132 multiprocessors 1 MB, of a peer's link, which is several
/// times as fast, 2 MB. All fit at once.
constexpr unsigned host_blocks = 2, peer_blocks = 4;

/// Copies with few registers and on every multiprocessor, for what crosses the link is long under way.
__global__ void __launch_bounds__(cuda::block_threads) copy_across(const uint4* from, uint4* to, std::size_t vectors) {
  const std::size_t step = std::size_t{gridDim.x} * cuda::block_threads;
#pragma unroll 1
  for (std::size_t i = std::size_t{blockIdx.x} * cuda::block_threads + threadIdx.x; i < vectors; i += step) to[i] = from[i];
}

template <class Real>
class TransferCase final : public KernelData<Transfer> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = elements_of(p);
    const bool in = p.word("to") == "device";
    const TransferWay way = way_of(p);
    const auto stream = [&](const char* name, bool read, Stream::Memory memory) {
      return Stream{.array = name,
                    .footprint_bytes = n * 8,
                    .read = read,
                    .written = !read,
                    .loads = read ? n : 0,
                    .stores = read ? 0 : n,
                    .element_bytes = 8,
                    .memory = memory,
                    .copied = !is_by_kernel(way)};
    };
    const auto other = is_to_peer(way) ? Stream::Memory::peer : way == TransferWay::copy_here ? Stream::Memory::own : Stream::Memory::host;
    return {.streams = {stream("device", !in, Stream::Memory::own), stream("other", in, other)}};
  }

  TransferCase(const Parameters& p, DeviceMemory& memory)
      : memory_(memory), device_(elements_of(p), memory), other_(device_.size() * sizeof(double), way_of(p), memory) {
    arguments_ = {way_of(p), p.word("to") == "device", device_.data(), other_.data()};
  }

  std::size_t extent() const override { return device_.size(); }
  std::size_t grain() const override { return cuda::wide_bytes / sizeof(double); }
  void initialise(std::size_t, std::size_t end) override {
    if (end != extent()) return;
    cuda::fill_with_tiles(device_, memory_, 1);
    const std::vector<double> tile = cuda::tile_of<double>(2, device_.size());
    for (std::size_t first = 0; first < device_.size(); first += tile.size())
      other_.copy_in(first, tile.data(), std::min(tile.size(), device_.size() - first));
  }

  static void launch(const Transfer& x, std::size_t begin, std::size_t end) {
    double *const to = (x.to_device ? x.device : x.other) + begin, *const from = (x.to_device ? x.other : x.device) + begin;
    if (is_by_kernel(x.way)) {
      const std::size_t vectors = (end - begin) * sizeof(double) / cuda::wide_bytes;
      const unsigned most = (is_to_peer(x.way) ? peer_blocks : host_blocks) * static_cast<unsigned>(cuda::multiprocessors());
      const unsigned blocks = std::min(most, cuda::blocks_for(vectors));
      cuda::next_launch_in_all(std::uint64_t{blocks} * cuda::block_threads, {vectors});
      copy_across<<<blocks, cuda::block_threads, 0, cuda::stream()>>>(reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to),
                                                                      vectors);
    } else {
      cudaMemcpyAsync(to, from, (end - begin) * sizeof(double), cudaMemcpyDefault, cuda::stream());
    }
  }
  static void on_host(const Transfer& x, std::size_t begin, std::size_t end) {
    double *const to = x.to_device ? x.device : x.other, *const from = x.to_device ? x.other : x.device;
    std::copy(from + begin, from + end, to + begin);
  }

  /// The part of the elements that did not arrive.
  double error() const override {
    std::size_t wrong = 0;
    const std::uint64_t sent = arguments_.to_device ? 2 : 1;
    std::vector<double> there(std::min(device_.size(), cuda::tile_size));
    cuda::read_tiles(device_, memory_, [&](std::size_t first, const double* device, std::size_t count) {
      if (!arguments_.to_device) other_.copy_out(there.data(), first, count);
      const double* const arrived = arguments_.to_device ? device : there.data();
      for (std::size_t i = 0; i < count; ++i) wrong += arrived[i] != cuda::tiled<double>(sent, first + i);
    });
    return static_cast<double>(wrong) / static_cast<double>(device_.size());
  }
  double tolerance() const override { return 0; }

 private:
  static TransferWay way_of(const Parameters& p) {
    const std::string& word = p.word("way");
    return word == "copy_pinned"     ? TransferWay::copy_pinned
           : word == "copy_pageable" ? TransferWay::copy_pageable
           : word == "kernel_pinned" ? TransferWay::kernel_pinned
           : word == "copy_peer"     ? TransferWay::copy_peer
           : word == "kernel_peer"   ? TransferWay::kernel_peer
                                     : TransferWay::copy_here;
  }
  /// The number of elements in whole accesses of 16 bytes.
  static std::uint64_t elements_of(const Parameters& p) { return (p.integer("n") + 1) / 2 * 2; }

  DeviceMemory& memory_;
  DeviceArray<double> device_;
  OtherEnd other_;
};

const cuda::Register<TransferCase, double> transfer_registered{
    "ert/transfer",
    "Bandwidth between a GPU's memory and the host's, another GPU's, or itself",
    {{.name = "to", .preset = std::string("device"), .description = "which way", .choices = {"device", "host"}},
     {.name = "way",
      .preset = std::string("copy_pinned"),
      .description = "by the copy engine or by a kernel; the host's memory pinned or pageable, or in its place a peer's or this GPU's own",
      .choices = {"copy_pinned", "copy_pageable", "kernel_pinned", "copy_peer", "kernel_peer", "copy_here"}},
     {.name = "n", .preset = std::int64_t{1} << 25, .description = "elements of 8 bytes"}}};

}  // namespace
}  // namespace plumbline
