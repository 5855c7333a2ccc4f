// A module for GPUs where there is none: it opens the real one for its kernels, and runs each sweep on the host by the kernel's reference
// loop. So all of the program that deals with GPUs runs in tests. Its GPUs are made up, and say so in their names.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/host_name.hpp"
#include "core/kernel.hpp"
#include "core/unavailable.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "tests/cuda/standin/stand_in_gpu.hpp"

namespace plumbline {
namespace {

/// The number that a test asks for: PLUMBLINE_STAND_IN_GPUS=2 and so on.
std::uint64_t asked_for(const char* name, std::uint64_t preset) {
  const char* value = std::getenv(name);
  return value == nullptr ? preset : std::strtoull(value, nullptr, 10);
}

void do_nothing(const void*, std::size_t, std::size_t) {}

/// Tells the driver's stand-in, where it is loaded, of each sweep, as of a launch with so much work: that is what its counters count.
void tell_driver(std::size_t work) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  static const auto launch = driver == nullptr ? nullptr : reinterpret_cast<void (*)(std::uint64_t)>(dlsym(driver, "stand_in_launch"));
  if (launch != nullptr) launch(work);
}

/// The driver's stand-in starts, where it is what the loader finds, as CUDA's runtime starts the driver at its first call.
void start_driver() {
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr || dlsym(driver, "stand_in_launch") == nullptr) return;
  static const int started = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0);
  static_cast<void>(started);
}

/// The sweep that is done here, and the launch that it stands in for.
struct ToldSweep {
  Sweep on_host = nullptr, launch = nullptr;
  bool is_transfer = false, is_library = false;  // a library is open on a GPU alone
  bool never_ends = false, breaks = false;
};

/// A line in the file PLUMBLINE_STAND_IN_TRANSFERS for each transfer to the host or a peer: process, begin and end in ns of a clock that
/// all processes share.
class ToldTransfer {
 public:
  ~ToldTransfer() {
    static const char* const path = std::getenv("PLUMBLINE_STAND_IN_TRANSFERS");
    if (path == nullptr) return;
    static std::FILE* const file = std::fopen(path, "a");
    std::fprintf(file, "%d %lld %lld\n", static_cast<int>(getpid()), began_, now());
    std::fflush(file);
  }

 private:
  static long long now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }
  long long began_ = now();
};

/// The place where launches are to be written down, and by whom: the real module, which makes none of them.
struct Writing {
  const GpuModule* real = nullptr;
  std::vector<KernelLaunch>* where = nullptr;
} writing;

/// The made-up multiprocessor has room for 1024 threads in 16 blocks, and for 64 KiB of shared memory.
constexpr int room_for_threads = 1024;
int resident_blocks(const KernelLaunch& launch) {
  const int threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]), by_threads = room_for_threads / threads;
  return std::min({16, by_threads, static_cast<int>(65536 / std::max<std::uint64_t>(launch.shared_bytes, 1))});
}

void write_down(Sweep launch, const void* arguments, std::size_t begin, std::size_t end) {
  const std::size_t first = writing.where->size();
  writing.real->write_down_launches(writing.where, true);
  launch(arguments, begin, end);
  writing.real->write_down_launches(nullptr);
  for (std::size_t i = first; i < writing.where->size(); ++i) {
    KernelLaunch& made = (*writing.where)[i];
    made.architecture = "sm_90a";
    if (!made.function.empty()) made.resident_blocks = resident_blocks(made);
  }
}

// A sweep is a plain function: each has a number here.
std::array<ToldSweep, 2048> told_sweeps;
std::size_t told = 0;
std::uint64_t sweeps_made = 0;
bool hangs = false;   // at a sweep that never ends: whoever waits for the GPU waits for ever
bool broken = false;  // by a sweep that a test names
template <std::size_t number>
void sweep_and_tell(const void* arguments, std::size_t begin, std::size_t end) {
  ++sweeps_made;
  std::optional<ToldTransfer> transfer;
  if (told_sweeps[number].is_transfer) transfer.emplace();
  told_sweeps[number].on_host(arguments, begin, end);
  if (writing.where != nullptr && !told_sweeps[number].is_library)
    write_down(told_sweeps[number].launch, arguments, begin, end);  // first launches may be told from others
  tell_driver(end - begin);
  hangs = hangs || told_sweeps[number].never_ends;
  broken = broken || told_sweeps[number].breaks;
}
template <std::size_t... number>
constexpr std::array<Sweep, sizeof...(number)> all_told(std::index_sequence<number...>) {
  return {&sweep_and_tell<number>...};
}
Sweep telling(ToldSweep sweep) {
  static constexpr auto wrapped = all_told(std::make_index_sequence<std::tuple_size_v<decltype(told_sweeps)>>());
  if (told == wrapped.size()) throw std::length_error("more sweeps than the stand-in has numbers for");
  told_sweeps[told] = sweep;
  return wrapped[told++];
}

/// Whether a test names it: "GPU-1111...", or of one node alone "nodeB/GPU-1111...".
bool is_meant(const char* name, const GpuProperties& gpu) {
  return name != nullptr && (gpu.uuid == name || host_name() + "/" + gpu.uuid == name);
}

/// PLUMBLINE_STAND_IN_SWEEP_NANOSECONDS: by its own clock each sweep takes that, and 0 to 0.8 % more, whatever the host does meanwhile. The
/// one that PLUMBLINE_STAND_IN_SLOW names takes twice as long, where PLUMBLINE_STAND_IN_SLOW_FILLINGS is set only the first times that its
/// memory is filled; at the filling PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING its process is told, once, that the job's time is up.
class PacedGpu : public StandInGpu {
 public:
  PacedGpu(const GpuModule& real, GpuProperties properties, std::uint64_t taken_bytes)
      : StandInGpu(std::move(properties), taken_bytes), real_(real) {}
  void write_down_launches(std::vector<KernelLaunch>* where) override { writing = {&real_, where}; }
  void start() override {
    if (memory().fillings() == signal_filling_ && is_slow_ && !std::exchange(signalled_, true)) std::raise(SIGUSR1);
    sweeps_before_ = sweeps_made;
    StandInGpu::start();
  }
  double stop() override {
    const double by_host = StandInGpu::stop();
    if (nanoseconds_ == 0) return by_host;
    const double slower = is_slow_ && memory().fillings() <= slow_fillings_ ? 2 : 1, more = 1 + 0.002 * static_cast<double>(stops_++ % 5);
    return 1e-9 * static_cast<double>((sweeps_made - sweeps_before_) * nanoseconds_) * slower * more;
  }

 private:
  const GpuModule& real_;
  std::uint64_t sweeps_before_ = 0, stops_ = 0;
  std::uint64_t nanoseconds_ = asked_for("PLUMBLINE_STAND_IN_SWEEP_NANOSECONDS", 0);
  bool is_slow_ = is_meant(std::getenv("PLUMBLINE_STAND_IN_SLOW"), properties());
  std::uint64_t signal_filling_ = asked_for("PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING", 0);
  bool signalled_ = false;
  std::uint64_t slow_fillings_ = asked_for("PLUMBLINE_STAND_IN_SLOW_FILLINGS", ~std::uint64_t{0});
};

/// A GPU that breaks at a sweep, for good, as a GPU does at an illegal address, or in the kernel that PLUMBLINE_STAND_IN_BREAKS_IN names,
/// or hangs in the one that PLUMBLINE_STAND_IN_HANGS_IN names.
class BreakableGpu final : public PacedGpu {
 public:
  using PacedGpu::PacedGpu;
  void wait() override {
    while (hangs) pause();
    if (broken || sweeps_made >= breaks_at_) throw std::runtime_error("an illegal memory access was encountered");
  }
  double stop() override { return wait(), PacedGpu::stop(); }
  void start() override { wait(), PacedGpu::start(); }
  void mark(std::size_t number) override { wait(), PacedGpu::mark(number); }

 private:
  bool breaks() const {
    const char* which = std::getenv("PLUMBLINE_STAND_IN_BREAKS");
    return which == nullptr || is_meant(which, properties());
  }
  std::uint64_t breaks_at_ = breaks() ? asked_for("PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP", ~std::uint64_t{0}) : ~std::uint64_t{0};
};

/// Names a GPU as the stand-in for NVML does; PLUMBLINE_STAND_IN_PARTS: all are parts of the first, at its address.
/// PLUMBLINE_STAND_IN_NAMELESS: without UUIDs. PLUMBLINE_STAND_IN_UUIDS_FROM: those of another machine's.
void name_in_node(int number, GpuProperties& gpu) {
  static constexpr std::array addresses{"0000:17:00.0", "0001:65:00.0", "0001:9a:00.0", "0001:ca:00.0"};
  const bool parts = asked_for("PLUMBLINE_STAND_IN_PARTS", 0) != 0;
  const std::string digit = std::to_string(asked_for("PLUMBLINE_STAND_IN_UUIDS_FROM", 1) + static_cast<std::uint64_t>(number)),
                    zeros = "-0000-0000-0000-00000000000";
  gpu.pci = addresses.at(parts ? 0 : static_cast<std::size_t>(number));
  if (asked_for("PLUMBLINE_STAND_IN_NAMELESS", 0) == 0)
    gpu.uuid = (parts ? "MIG-" : "GPU-") + std::string(8, digit.front()) + zeros + digit;
}

/// Whether CUDA_VISIBLE_DEVICES lets a GPU be seen, read as CUDA does: numbers or UUIDs. In another order than theirs it is not tried here.
bool is_visible(int number, const std::string& uuid) {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return true;
  const std::string words = "," + std::string(list) + ",";
  return words.find("," + std::to_string(number) + ",") != words.npos || (!uuid.empty() && words.find("," + uuid + ",") != words.npos);
}

class StandInModule final : public GpuModule {
 public:
  explicit StandInModule(const GpuModule& real) : real_(real) {
    const bool wrong = asked_for("PLUMBLINE_STAND_IN_WRONG_RESULTS", 0) != 0;
    const auto is_named = [](const char* variable, const std::string& kernel) {
      const char* const named = std::getenv(variable);
      return named != nullptr && kernel == named;
    };
    for (const Kernel& kernel : real.kernels()) {
      auto* const flavors = new std::vector<Flavor>;  // they outlive the program, as a module's do
      for (const Flavor& flavor : kernel.flavors())
        if (const Sweep on_host = kernel.on_host ? kernel.on_host(flavor.precision) : nullptr)
          flavors->push_back({flavor.name, flavor.precision,
                              telling({.on_host = wrong ? do_nothing : on_host,
                                       .launch = flavor.sweep,
                                       .is_transfer = kernel.name == "ert/transfer",
                                       .is_library = is_library(flavor.name),
                                       .never_ends = is_named("PLUMBLINE_STAND_IN_HANGS_IN", kernel.name),
                                       .breaks = is_named("PLUMBLINE_STAND_IN_BREAKS_IN", kernel.name)})});
      Kernel& copy = kernels_.emplace_back(kernel);
      copy.flavors = [flavors] { return std::span<const Flavor>(*flavors); };
    }
  }

  std::string version() const override { return "stand-ins on the host for " + real_.version(); }
  const std::vector<Kernel>& kernels() const override { return kernels_; }
  Availability availability() const override {
    start_driver();
    if (gpus().empty()) return {Status::unavailable, "no stand-in GPU was asked for"};
    return {};
  }
  std::vector<GpuProperties> gpus() const override {
    std::vector<GpuProperties> all;
    const auto count = static_cast<int>(asked_for("PLUMBLINE_STAND_IN_GPUS", 1));
    for (int number = 0; number < count; ++number) {
      GpuProperties gpu;
      gpu.name = "stand-in GPU " + std::to_string(number) + " (the host)";
      name_in_node(number, gpu);
      if (!is_visible(number, gpu.uuid)) continue;
      gpu.ordinal = static_cast<int>(all.size());
      if (asked_for("PLUMBLINE_STAND_IN_NO_CODE", 0) == 0) gpu.flavor = kernels_.front().flavors().front().name;
      gpu.multiprocessors = 1;
      gpu.threads_per_multiprocessor = room_for_threads;
      gpu.clock_hz = 1e8;  // slow, so that a sweep for its clock is little work for the host
      gpu.major = 9;
      gpu.l2_bytes = std::uint64_t{50} << 20;
      gpu.memory_bytes = asked_for("PLUMBLINE_STAND_IN_BYTES", std::uint64_t{1} << 30);
      all.push_back(std::move(gpu));
    }
    const bool parts = asked_for("PLUMBLINE_STAND_IN_PARTS", 0) != 0;  // of which none reaches another
    for (GpuProperties& gpu : all) gpu.peers = parts ? 0 : static_cast<int>(all.size()) - 1;
    return all;
  }
  std::unique_ptr<Gpu> open(int ordinal) const override {
    if (asked_for("PLUMBLINE_STAND_IN_HELD", 0) != 0)
      throw io_error(std::string("cudaSetDevice failed: CUDA-capable device(s) is/are busy or unavailable (made up)") +
                     advice_on_gpu_refusal(gpu_is_held));
    return std::make_unique<BreakableGpu>(real_, gpus().at(static_cast<std::size_t>(ordinal)),
                                          asked_for("PLUMBLINE_STAND_IN_BYTES_TAKEN", 0));
  }
  void write_down_launches(std::vector<KernelLaunch>* where, bool) const override { writing = {&real_, where}; }

 private:
  const GpuModule& real_;
  std::vector<Kernel> kernels_;
};

}  // namespace
}  // namespace plumbline

extern "C" __attribute__((visibility("default"))) const plumbline::GpuModule* plumbline_gpu_module(int interface, const char* version) {
  static const plumbline::OpenedGpuModule real = plumbline::open_gpu_module({PLUMBLINE_CUDA_FOLDER}, plumbline::cuda_of_driver());
  if (real.module == nullptr || interface != plumbline::gpu_module_interface || std::string_view(version) != PLUMBLINE_VERSION)
    return nullptr;
  static const plumbline::StandInModule module(*real.module);
  return &module;
}
