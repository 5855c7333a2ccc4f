// The module gives GPUs as the CUDA runtime has them, and the kernels that registered themselves here.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/unavailable.hpp"
#include "cuda/clock_kernels.cuh"
#include "cuda/clock_span.cuh"
#include "cuda/launches.cuh"
#include "cuda/register.cuh"
#include "cuda/runtime.cuh"
#include "gpu/gpu_module.hpp"

namespace plumbline::cuda {
namespace {

/// The architectures that nvcc was told to compile for: PLUMBLINE_CUDA_ARCHITECTURES, "75 80 90a 100 120".
std::vector<std::string> compiled_architectures() {
  std::vector<std::string> all;
  std::string one;
  for (const char c : std::string(PLUMBLINE_CUDA_ARCHITECTURES) + " ")
    if (c != ' ')
      one += c;
    else if (!one.empty())
      all.push_back(std::exchange(one, ""));
  return all;
}

std::string flavor_of(const std::string& architecture) { return "cuda" + std::to_string(CUDART_VERSION / 1000) + "-sm_" + architecture; }

/// The architecture whose code runs on a compute capability: that very one with its own instructions ("90a"), else the highest of the same
/// major number that is not above it. Empty: none.
std::string architecture_for(int major, int minor) {
  std::string best;
  int best_number = -1;
  for (const std::string& one : compiled_architectures()) {
    const int number = std::stoi(one), wanted = 10 * major + minor;
    const bool own_instructions = !std::isdigit(static_cast<unsigned char>(one.back()));
    const bool runs = own_instructions ? number == wanted : number / 10 == major && number <= wanted;
    if (runs && (number > best_number || (number == best_number && own_instructions))) best = one, best_number = number;
  }
  return best;
}

cudaStream_t open_stream = nullptr;
int open_multiprocessors = 1;  // also where no GPU is open, and launches are only written down
ClockSpan* open_clock_span = nullptr;
std::string open_architecture;  // of the code that it runs: "cuda13-sm_90a"

class Memory final : public DeviceMemory {
 public:
  void copy_in(void* device, const void* host, std::size_t bytes) override {
    PLUMBLINE_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, open_stream));
    PLUMBLINE_CUDA(cudaStreamSynchronize(open_stream));
  }
  void copy_out(void* host, const void* device, std::size_t bytes) override {
    PLUMBLINE_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, open_stream));
    PLUMBLINE_CUDA(cudaStreamSynchronize(open_stream));
  }
  void wait() override { PLUMBLINE_CUDA(cudaStreamSynchronize(open_stream)); }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    PLUMBLINE_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, open_stream));
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {  // cudaMalloc aligns to 256 bytes
    void* data = nullptr;
    const cudaError_t result = cudaMalloc(&data, bytes);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    require_success(result, "cudaMalloc", __FILE__, __LINE__);
    return data;
  }
  void do_deallocate(void* data, std::size_t, std::size_t) override { cudaFree(data); }  // a failure of earlier work is told elsewhere
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

/// Reads so many words, which are all zero: so nothing is ever stored.
__global__ void read_zeros(const uint4* words, std::size_t count, unsigned* never) {
  unsigned any = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 word = words[i];
    any |= word.x | word.y | word.z | word.w;
  }
  if (any != 0) *never = any;
}

class OpenGpu final : public Gpu {
 public:
  explicit OpenGpu(GpuProperties properties) : properties_(std::move(properties)) {
    PLUMBLINE_CUDA(cudaSetDevice(properties_.ordinal));
    PLUMBLINE_CUDA(cudaFree(nullptr));
    PLUMBLINE_CUDA(cudaStreamCreateWithFlags(&open_stream, cudaStreamNonBlocking));
    PLUMBLINE_CUDA(cudaEventCreate(&started_));
    PLUMBLINE_CUDA(cudaEventCreate(&stopped_));
    PLUMBLINE_CUDA(cudaMalloc(&clocks_, 2 * sizeof(long long)));
    PLUMBLINE_CUDA(cudaMalloc(&open_clock_span, sizeof(ClockSpan)));
    PLUMBLINE_CUDA(cudaMemset(open_clock_span, 0, sizeof(ClockSpan)));
    PLUMBLINE_CUDA(cudaMalloc(&multiprocessors_, most_multiprocessors * sizeof(ClockSpan)));
    open_multiprocessors = properties_.multiprocessors;
    const std::string architecture = architecture_for(properties_.major, properties_.minor);
    open_architecture = architecture.empty() ? "" : flavor_of(architecture);
  }
  ~OpenGpu() override {
    other_.reset();
    cudaFree(std::exchange(open_clock_span, nullptr));
    cudaFree(multiprocessors_);
    cudaFree(clocks_);
    cudaEventDestroy(started_);
    cudaEventDestroy(stopped_);
    for (const cudaEvent_t mark : marks_) cudaEventDestroy(mark);
    cudaStreamDestroy(open_stream);
    open_stream = nullptr;
    cudaGetLastError();  // of a broken context: it is not the next GPU's
  }

  const GpuProperties& properties() const override { return properties_; }
  DeviceMemory& memory() override { return memory_; }
  std::uint64_t free_bytes() override {
    std::size_t free = 0, all = 0;
    PLUMBLINE_CUDA(cudaMemGetInfo(&free, &all));
    return free;
  }
  void wait() override {
    PLUMBLINE_CUDA(cudaGetLastError());  // a launch that was refused
    PLUMBLINE_CUDA(cudaStreamSynchronize(open_stream));
  }
  void start() override {
    PLUMBLINE_CUDA(cudaMemsetAsync(open_clock_span, 0, sizeof(ClockSpan), open_stream));
    PLUMBLINE_CUDA(cudaEventRecord(started_, open_stream));
  }
  double stop() override {
    PLUMBLINE_CUDA(cudaGetLastError());
    PLUMBLINE_CUDA(cudaEventRecord(stopped_, open_stream));
    PLUMBLINE_CUDA(cudaEventSynchronize(stopped_));
    return seconds_between(started_, stopped_);
  }
  void mark(std::size_t number) override {
    while (marks_.size() <= number) PLUMBLINE_CUDA(cudaEventCreate(&marks_.emplace_back()));
    PLUMBLINE_CUDA(cudaEventRecord(marks_[number], open_stream));
  }
  double between_marks(std::size_t first, std::size_t second) override { return seconds_between(marks_.at(first), marks_.at(second)); }
  double clock_hz() override {
    constexpr long long cycles = 400'000;
    long long passed[2];
    compare_clocks<<<1, 1, 0, open_stream>>>(cycles, clocks_);
    PLUMBLINE_CUDA(cudaGetLastError());
    memory_.copy_out(passed, clocks_, sizeof passed);
    return static_cast<double>(passed[0]) / static_cast<double>(passed[1]) * 1e9;
  }
  double clock_of_last_sweep() override {
    ClockSpan span;
    memory_.copy_out(&span, open_clock_span, sizeof span);
    return span.hz();
  }
  void empty_l2() override {
    const std::size_t bytes = 2 * properties_.l2_bytes;
    if (!other_) {
      other_.emplace(bytes / sizeof(uint4), memory_);
      PLUMBLINE_CUDA(cudaMemsetAsync(other_->data(), 0, bytes, open_stream));
    }
    constexpr unsigned threads = 256, blocks_each = 8;
    read_zeros<<<blocks_each* static_cast<unsigned>(properties_.multiprocessors), threads, 0, open_stream>>>(
        other_->data(), other_->size(), reinterpret_cast<unsigned*>(clocks_));
    PLUMBLINE_CUDA(cudaGetLastError());
  }
  void begin_clock_span() override {
    PLUMBLINE_CUDA(cudaMemsetAsync(multiprocessors_, 0, most_multiprocessors * sizeof(ClockSpan), open_stream));
    read_all_clocks(false);
  }
  double clock_of_span() override {
    read_all_clocks(true);
    std::vector<ClockSpan> spans(most_multiprocessors);
    memory_.copy_out(spans.data(), multiprocessors_, spans.size() * sizeof(ClockSpan));
    return median_hz(spans);
  }
  void write_down_launches(std::vector<KernelLaunch>* where) override { cuda::write_down_launches(where, false, open_architecture); }

 private:
  static double seconds_between(cudaEvent_t first, cudaEvent_t second) {
    float milliseconds = 0;
    PLUMBLINE_CUDA(cudaEventElapsedTime(&milliseconds, first, second));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  /// The numbers of multiprocessors (%smid) may have holes.
  static constexpr unsigned most_multiprocessors = 1024;
  void read_all_clocks(bool at_end) {
    constexpr unsigned blocks_each = 4;  // so that each has one, wherever they go first
    read_clocks<<<blocks_each* static_cast<unsigned>(properties_.multiprocessors), 1, 0, open_stream>>>(multiprocessors_,
                                                                                                        most_multiprocessors, at_end);
    PLUMBLINE_CUDA(cudaGetLastError());
  }

  GpuProperties properties_;
  Memory memory_;
  std::optional<DeviceArray<uint4>> other_;  // than what any case uses
  std::vector<cudaEvent_t> marks_;
  cudaEvent_t started_ = nullptr, stopped_ = nullptr;
  long long* clocks_ = nullptr;
  ClockSpan* multiprocessors_ = nullptr;  // of the span that was begun last
};

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  PLUMBLINE_CUDA(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

int peers_of(int ordinal) {
  int count = 0, peers = 0;
  PLUMBLINE_CUDA(cudaGetDeviceCount(&count));
  for (int other = 0; other < count; ++other) {
    int reached = 0;
    if (other != ordinal) PLUMBLINE_CUDA(cudaDeviceCanAccessPeer(&reached, ordinal, other));
    peers += reached;
  }
  return peers;
}

std::string in_words(const cudaUUID_t& uuid) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    constexpr const char* digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += {digits[byte / 16], digits[byte % 16]};
  }
  return text;
}

/// The driver's name for a GPU: cuDeviceGetUuid names the GPU as a whole, and its second version, of CUDA 11.4, a MIG part by itself.
std::string uuid_of(int ordinal, const cudaDeviceProp& told) {
  using GetUuid = int (*)(cudaUUID_t*, int);                                    // CUresult, CUdevice
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);  // as the runtime has opened it
  const auto by_driver = [&](const char* name, cudaUUID_t& uuid) {
    const auto call = driver == nullptr ? nullptr : reinterpret_cast<GetUuid>(dlsym(driver, name));
    return call != nullptr && call(&uuid, ordinal) == 0;
  };
  cudaUUID_t whole{}, own{};
  if (!by_driver("cuDeviceGetUuid", whole) || !by_driver("cuDeviceGetUuid_v2", own)) return "GPU-" + in_words(told.uuid);
  return (in_words(whole) == in_words(own) ? "GPU-" : "MIG-") + in_words(own);
}

GpuProperties properties_of(int ordinal) {
  cudaDeviceProp told{};
  PLUMBLINE_CUDA(cudaGetDeviceProperties(&told, ordinal));
  std::array<char, 32> pci{};
  PLUMBLINE_CUDA(cudaDeviceGetPCIBusId(pci.data(), pci.size(), ordinal));
  GpuProperties gpu{.ordinal = ordinal, .name = told.name, .pci = pci.data(), .flavor = {}};
  std::transform(gpu.pci.begin(), gpu.pci.end(), gpu.pci.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  gpu.major = told.major;
  gpu.minor = told.minor;
  if (const std::string architecture = architecture_for(told.major, told.minor); !architecture.empty())
    gpu.flavor = flavor_of(architecture);
  gpu.multiprocessors = told.multiProcessorCount;
  gpu.threads_per_multiprocessor = told.maxThreadsPerMultiProcessor;
  gpu.warp_threads = told.warpSize;
  gpu.clock_hz = 1e3 * attribute(cudaDevAttrClockRate, ordinal);
  gpu.memory_clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, ordinal);
  gpu.memory_bus_bits = told.memoryBusWidth;
  gpu.memory_bytes = told.totalGlobalMem;
  gpu.l2_bytes = static_cast<std::uint64_t>(told.l2CacheSize);
  gpu.shared_bytes_per_multiprocessor = told.sharedMemPerMultiprocessor;
  gpu.ecc = told.ECCEnabled != 0;
  gpu.peers = peers_of(ordinal);
  gpu.uuid = uuid_of(ordinal, told);
  return gpu;
}

class Module final : public GpuModule {
 public:
  std::string version() const override {
    std::string text = "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) + ",";
    for (const std::string& one : compiled_architectures()) text += " sm_" + one;
    return text;
  }
  const std::vector<Kernel>& kernels() const override { return plumbline::kernels(); }
  Availability availability() const override {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count > 0) return {};
    cudaGetLastError();
    if (result == cudaSuccess || result == cudaErrorNoDevice)
      return {Status::unavailable, "no NVIDIA GPU is visible to CUDA (is CUDA_VISIBLE_DEVICES set, or was the job given none?)"};
    if (result == cudaErrorInsufficientDriver)
      return {Status::unavailable, "no NVIDIA driver, or one too old for CUDA " + std::to_string(CUDART_VERSION / 1000) +
                                       " (nvidia-smi tells its version); nodes with GPUs need driver " +
                                       (CUDART_VERSION >= 13000 ? "580" : "525") + " or later"};
    return {Status::unavailable, std::string("CUDA does not start: ") + cudaGetErrorString(result)};
  }
  std::vector<GpuProperties> gpus() const override {
    std::vector<GpuProperties> all;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
      cudaGetLastError();
      return all;
    }
    for (int ordinal = 0; ordinal < count; ++ordinal) all.push_back(properties_of(ordinal));
    return all;
  }
  std::unique_ptr<Gpu> open(int ordinal) const override { return std::make_unique<OpenGpu>(properties_of(ordinal)); }
  void write_down_launches(std::vector<KernelLaunch>* where, bool only) const override {
    cuda::write_down_launches(where, only, open_architecture);
  }
};

}  // namespace

void require_success(cudaError_t result, const char* call, const char* file, int line) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // told here, once: else the next call that asks would take it for its own
  throw io_error(std::string(call) + " failed: " + cudaGetErrorString(result) + " (" + cudaGetErrorName(result) + ", " + file + ":" +
                 std::to_string(line) + ")" + advice_on_gpu_refusal(result));
}

cudaStream_t stream() { return open_stream; }
int multiprocessors() { return open_multiprocessors; }
ClockSpan* clock_span() { return open_clock_span; }

std::vector<Flavor> compiled_flavors(std::string_view precision, Sweep launch, int from_architecture) {
  struct Compiled {
    int architecture;
    std::string flavor;
  };
  static const std::vector<Compiled> compiled = [] {
    std::vector<Compiled> all;
    for (const std::string& one : compiled_architectures()) all.push_back({std::stoi(one), flavor_of(one)});
    return all;
  }();
  std::vector<Flavor> flavors;
  for (const auto& [architecture, flavor] : compiled)
    if (architecture >= from_architecture) flavors.push_back({flavor, precision, launch});
  return flavors;
}

std::vector<AbsentFlavor> absent_flavors(std::string_view precision, int from_architecture) {
  std::vector<AbsentFlavor> missing;
  for (const std::string& one : compiled_architectures())
    if (std::stoi(one) < from_architecture)
      missing.push_back({flavor_of(one), std::string(precision) + " needs compute capability " + std::to_string(from_architecture / 10) +
                                             "." + std::to_string(from_architecture % 10)});
  return missing;
}

}  // namespace plumbline::cuda

extern "C" __attribute__((visibility("default"))) const plumbline::GpuModule* plumbline_gpu_module(int interface, const char* version) {
  static const plumbline::cuda::Module module;
  // The order is set before the driver starts. Where GPUs differ, CUDA's own order would not be that in which others number them.
  static const bool ordered = setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0) == 0;
  static_cast<void>(ordered);
  return interface == plumbline::gpu_module_interface && std::string_view(version) == PLUMBLINE_VERSION ? &module : nullptr;
}
