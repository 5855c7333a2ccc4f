// Each kernel that a process launches on its GPUs gets a row: metrics counted launch by launch, CUPTI running a kernel again for each pass.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_host.hpp"
#include "counters/cupti/launch_places.hpp"

namespace plumbline {

/// The wishes for what is to be counted.
struct KernelWishes {
  std::map<std::string, std::vector<std::string>> metrics = {};  // by chip; those that this CUPTI does not know are left out
  std::uint64_t most_launches = 0;                               // of each kernel in each phase on each GPU, its first ones; 0: all
};

struct CountedGpu {
  int ordinal = 0;
  std::string chip = {};
  int compute_capability = 0;  // 90 for 9.0
  std::vector<std::string> metrics = {};
  std::size_t passes = 0;          // so often each counted launch ran
  Availability availability = {};  // what stood in the way of counting, at first or later
};

struct CountedKernel {
  int gpu = 0;            // ordinal
  std::string name = {};  // as the linker knows it
  std::uint64_t launches = 0, counted = 0;
  std::vector<double> sums = {};  // over the counted launches, by metric of the GPU; NaN: CUPTI gave no number for one
  std::uint32_t phase = 0;        // by LaunchPlaces
};

struct KernelCounts {
  std::vector<CountedGpu> gpus = {};
  std::vector<CountedKernel> kernels = {};
  std::uint64_t graph_launches = 0;  // whole graphs: their kernels are not counted
  std::uint64_t captured = 0;        // launches while a stream was captured: most became nodes of a graph
  std::uint64_t elsewhere = 0;       // launches in a further context of a GPU: not counted
  std::uint64_t lost = 0;            // launches that ran under the profiler, without a count: see the GPU's availability
};

/// Counts from its making on, in the first context of each GPU. A launch that is counted is waited for, and only one is under way at a
/// time.
class CuptiKernels {
 public:
  /// Subscribes to CUPTI's callbacks; throws CuptiError where another tool has. `taken` is called after each batch of launches was read.
  CuptiKernels(const CuptiHost& cupti, KernelWishes wishes, LaunchPlaces places, std::function<void()> taken, std::string driver);
  CuptiKernels(const CuptiKernels&) = delete;
  CuptiKernels& operator=(const CuptiKernels&) = delete;
  ~CuptiKernels();

  /// Reads what is left and gives the GPUs back. False: a launch was still under way after 2 s.
  bool end();
  /// The counts so far. It is called from `taken`, or after end().
  KernelCounts counts() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

/// CuptiKernels as the driver loads it into a program: what refuses to start is a value. Null: why_not says it.
std::unique_ptr<CuptiKernels> count_kernels(const CuptiHost& cupti, KernelWishes wishes, LaunchPlaces places, std::function<void()> taken,
                                            Availability& why_not, const std::string& driver = "libcuda.so.1");

}  // namespace plumbline
