// The parts of a GPU's plan share a planner: it knows which cases there are so far, how to add one, and how long a sweep is to be.
#pragma once
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ert/ceiling_plan.hpp"
#include "ert/planned_sweep.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {

inline constexpr double sustained_seconds = 1;   // of a sustained sample: until a GPU's power and heat have moved its clock
inline constexpr double target_seconds = 0.003;  // of a sweep, by estimate: what surrounds a kernel is 1 % of it at most

/// The bytes a second that are expected of a working set, for the length of a sweep alone: of L2 up to twice its size, beyond of memory by
/// its clock and width, as far as they are known.
double expected_bandwidth(const GpuProperties& gpu, double working_set_bytes);

class GpuCeilingPlanner {
 public:
  GpuCeilingPlanner(CeilingMode mode, const GpuProperties& gpu, std::span<const Kernel> kernels)
      : quick_(mode == CeilingMode::quick), gpu_(gpu), kernels_(kernels) {}

  bool quick() const { return quick_; }
  const GpuProperties& gpu() const { return gpu_; }
  std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(1, gpu_.multiprocessors)); }
  /// The number of warps that a multiprocessor has room for: 32, 48 or 64.
  std::uint64_t warps() const {
    return static_cast<std::uint64_t>(gpu_.threads_per_multiprocessor > 0 ? gpu_.threads_per_multiprocessor / gpu_.warp_threads : 32);
  }
  double clock_hz() const { return gpu_.clock_hz > 0 ? gpu_.clock_hz : 1.5e9; }
  /// The most bytes that a working set may have.
  double quarter_of_memory() const {
    return gpu_.memory_bytes == 0 ? 1024.0 * static_cast<double>(MiB) : static_cast<double>(gpu_.memory_bytes) / 4;
  }
  /// Finds a kernel of the module; nullptr where it has none of that name.
  const Kernel* kernel(std::string_view name) const;

  /// Adds a case of a kernel with its presets but for `values`; nullptr where the kernel has no flavor of that precision for this GPU. The
  /// pointer is valid until the next call.
  CeilingCase* add(const Kernel& kernel, std::string_view precision, std::initializer_list<std::pair<const char*, Value>> values);
  /// The number of iterations that make a sweep long enough, each of so many cycles.
  std::uint64_t iterations(double cycles_each) const {
    return static_cast<std::uint64_t>(std::max(1.0, target_seconds * clock_hz() / cycles_each));
  }

  /// The number of passes that make a sweep long enough, each of so many bytes of a working set.
  std::uint64_t passes(double bytes_each, double working_set_bytes) const {
    return static_cast<std::uint64_t>(std::ceil(std::max(1.0, target_seconds * expected_bandwidth(gpu_, working_set_bytes) / bytes_each)));
  }

  /// Adds the case that was added last once more, as one that lasts: its name ends in ", sustained". Quick plans have none.
  void add_sustained();

  std::vector<CeilingCase> cases;

 private:
  bool quick_;
  const GpuProperties& gpu_;
  std::span<const Kernel> kernels_;
};

void describe(CeilingCase& planned, std::string name, std::string precision, CeilingLevel level, std::string pattern, const char* unit);
/// Take the amount of its sweep from its model: FLOP, or algorithmic bytes.
void take_flops(CeilingCase& planned);
void take_bytes(CeilingCase& planned);

const Kernel* kernel_named(std::span<const Kernel> kernels, std::string_view name);
inline Value word(const char* text) { return std::string(text); }
/// The seconds of a product of level "gemm", at a rate that is reached by GPUs of the last ten years.
double gemm_seconds(const CeilingCase& planned, const GpuProperties& gpu);

// The parts, in the order of the plan.
void plan_gpu_arithmetic(GpuCeilingPlanner& planner);  // peak, and how many warps it takes
void plan_gpu_tensor(GpuCeilingPlanner& planner);
void plan_gpu_memory(GpuCeilingPlanner& planner);  // shared memory, L1, streams, latency
void plan_gpu_vector(GpuCeilingPlanner& planner);
void plan_gpu_links(GpuCeilingPlanner& planner);  // host and peer; launches

// Two parts add the ceilings that a GPU cannot be asked for.
void add_absent_gpu_tensor(const GpuProperties& gpu, std::span<const Kernel> kernels, std::vector<AbsentFlavor>& missing);
void add_absent_gpu_links(const GpuProperties& gpu, std::vector<AbsentFlavor>& missing);

}  // namespace plumbline
