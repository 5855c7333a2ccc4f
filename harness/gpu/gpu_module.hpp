// The module (libplumbline_cuda.so of CUDA 13, libplumbline_cuda12.so of CUDA 12) gives the program that opens it at run time the kernels
// for GPUs, and the GPUs to run them on. The program itself links nothing of CUDA, so that it starts on nodes without a driver.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_memory.hpp"
#include "core/kernel_launch.hpp"
#include "core/status.hpp"

namespace plumbline {

struct Kernel;

/// The properties of one GPU as CUDA describes them. The order is CUDA's own, by PCI address, of those that CUDA_VISIBLE_DEVICES leaves; a
/// MIG part is one GPU.
struct GpuProperties {
  int ordinal = 0;
  std::string name;          // "NVIDIA H100 80GB HBM3"
  std::string pci;           // "0000:17:00.0", as hwloc has it; MIG parts of one GPU share it
  std::string flavor;        // of the code in the module that runs here: "cuda13-sm_90a"; empty: it has none for this GPU
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int warp_threads = 32;
  double clock_hz = 0, memory_clock_hz = 0;  // the highest that the driver names
  int memory_bus_bits = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0, shared_bytes_per_multiprocessor = 0;
  bool ecc = false;
  int peers = 0;          // other visible GPUs whose memory it reaches by itself
  std::string uuid = {};  // "GPU-...", of a MIG part its own "MIG-..."; empty where the driver tells none
};

/// A GPU in use by this process until its destruction: its context is current in the thread that opened it, and all calls and sweeps come
/// from that thread. Work is queued in one stream in the order given; what fails is told by wait() and stop(), which throw Error (io).
class Gpu {
 public:
  Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  virtual ~Gpu() = default;

  virtual const GpuProperties& properties() const = 0;
  /// The GPU's memory, which outlives every workload made with it.
  virtual DeviceMemory& memory() = 0;
  /// The bytes of the GPU's memory that are free now.
  virtual std::uint64_t free_bytes() = 0;
  /// Waits until all queued work is done.
  virtual void wait() = 0;
  /// Marks the begin of a span on the device; stop() gives the seconds from there, by events in the stream (resolution about 0.5 us), and
  /// waits for what lies between.
  virtual void start() = 0;
  virtual double stop() = 0;
  /// Sets mark number `number` (from 0, in their order) behind the work queued so far; between_marks() gives the seconds from one to
  /// another, with the resolution of stop(), once wait() found both done.
  virtual void mark(std::size_t number) = 0;
  virtual double between_marks(std::size_t first, std::size_t second) = 0;
  /// The clock of a multiprocessor in Hz right behind the work queued so far: cycles over nanoseconds of a short kernel, about 0.3 ms.
  virtual double clock_hz() = 0;
  /// The clock in Hz while the last sweep since start() ran, as one of its threads measured it; NaN where its kernel measures none.
  virtual double clock_of_last_sweep() { return std::numeric_limits<double>::quiet_NaN(); }
  /// Queues what leaves nothing in L2 but clean lines of memory that no case uses, of which it takes twice the size of L2 from the first
  /// call on. Throws std::bad_alloc where that is too much.
  virtual void empty_l2() {}
  /// Begins a span of work, in the order of the stream, whose clock clock_of_span() gives.
  virtual void begin_clock_span() {}
  /// The clock in Hz from begin_clock_span() to behind the work queued so far: of the median multiprocessor, cycles over nanoseconds at its
  /// own two ends; NaN where that is not known, or the span is shorter than 100 us.
  virtual double clock_of_span() { return std::numeric_limits<double>::quiet_NaN(); }
  /// Writes each launch from now on down in `where` as it is made, with its resident blocks, until told null.
  virtual void write_down_launches(std::vector<KernelLaunch>* where) { static_cast<void>(where); }
};

/// The module's own interface; one object of it lives in the module.
class GpuModule {
 public:
  virtual ~GpuModule() = default;

  /// The versions that the module was built with and for: "CUDA 13.0, sm_75 sm_80 sm_90a sm_100 sm_120".
  virtual std::string version() const = 0;
  /// The kernels registered in the module, which outlive the program. They are known without any GPU or driver.
  virtual const std::vector<Kernel>& kernels() const = 0;
  /// Whether the driver and a GPU are there, and if not, why. The first call starts the driver, about 0.3 s.
  virtual Availability availability() const = 0;
  virtual std::vector<GpuProperties> gpus() const = 0;
  /// Opens a GPU by its ordinal. Throws Error (io) where the driver refuses it.
  virtual std::unique_ptr<Gpu> open(int ordinal) const = 0;
  /// Writes each launch from now on down in `where`, until told null; with `only`, instead of making it, which needs no GPU. One thread
  /// alone sweeps meanwhile.
  virtual void write_down_launches(std::vector<KernelLaunch>* where, bool only = false) const = 0;
};

struct OpenedGpuModule {
  const GpuModule* module = nullptr;  // never closed
  std::string file;                   // that was opened
  std::string why_not;                // in words with what to try, where there is none
  std::string chosen = {};            // why it is this one of the modules, in words
  std::string cannot_run = {};  // why the driver here runs nothing of it, in words with what to try; its kernels are known all the same
};

/// The module as it is built with one CUDA: by NVIDIA's rule of minor version compatibility what was built with any CUDA 12.x runs on each
/// driver from 525 on, what was built with 13.x on each from 580 on (NVIDIA, CUDA Compatibility, table 1).
struct GpuModuleFile {
  int cuda;          // the major number
  const char* file;  // its name
  int least_driver;  // that runs it
};
inline constexpr std::array gpu_module_files{GpuModuleFile{13, "libplumbline_cuda.so", 580},
                                             GpuModuleFile{12, "libplumbline_cuda12.so", 525}};  // the newest first

/// Opens a module in these folders (or that very file, where one of them is a file), by its absolute path, and nowhere else: the newest
/// that runs on a driver for this CUDA (as cuda_of_driver() of counters/cupti/cuda_driver.hpp tells; 0: there is none), else the newest
/// that is there, whose kernels can be told all the same. Where that one cannot be opened the other one is, and `chosen` says so. Each call
/// tries anew.
OpenedGpuModule open_gpu_module(const std::vector<std::filesystem::path>& folders, int driver);

/// The interface's number, which changes with every change of what stands in this header, in what it includes, and in Kernel.
inline constexpr int gpu_module_interface = 13;
/// The module's one function: null where it was built to another interface.
using GpuModuleEntry = const GpuModule* (*)(int interface, const char* version);
inline constexpr const char* gpu_module_entry = "plumbline_gpu_module";

}  // namespace plumbline
