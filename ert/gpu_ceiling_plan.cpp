#include "ert/gpu_ceiling_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace plumbline {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr double target_seconds = 0.003;  // of a sweep, by estimate: what surrounds a kernel is 1 % of it at most

const Kernel* kernel_named(std::span<const Kernel> kernels, std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::optional<Flavor> flavor_for(const Kernel& kernel, const GpuProperties& gpu, std::string_view precision) {
  for (const Flavor& flavor : kernel.flavors())
    if (flavor.name == gpu.flavor && flavor.precision == precision) return flavor;
  return std::nullopt;
}

std::string upper(std::string_view precision) {
  std::string word(precision);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return word;
}

Value integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }
Value word(const char* text) { return std::string(text); }

/// FLOP a cycle and multiprocessor that are expected of vectors and tensor cores, for the length of a sweep; a real limit is
/// model/gpu_limits.cpp's.
double expected_flops(std::string_view precision) {
  constexpr std::pair<std::string_view, double> table[] = {{"fp64", 128}, {"fp32", 256}, {"fp16", 512}, {"bf16", 512}};
  for (const auto& [name, flops] : table)
    if (name == precision) return flops;
  return 512;
}
double expected_tensor_flops(std::string_view type) {
  return type == "fp64" ? 256 : type == "tf32" ? 2048 : type == "fp16" || type == "bf16" ? 4096 : 8192;
}

struct PeakCeiling {
  const char* form;
  const char* name;
  const char* pattern;
  bool quick, in_halves;
};
/// 16-bit numbers two an instruction: ptxas makes it so of single ones that do not wait for one another too. It also makes FMAs of a part
/// of their sums and products: a ceiling without FMAs is none.
constexpr std::array peak_ceilings{
    PeakCeiling{"fma", "FMA", "fma", true, true},
    PeakCeiling{"muladd", "mul+add", "mul+add", true, false},
    PeakCeiling{"add", "add", "add", false, false},
    PeakCeiling{"mul", "mul", "mul", false, false},
};

struct BandwidthCeiling {
  const char* pattern;
  std::uint64_t arrays;
  double points_an_octave;  // in full mode; quick: 0 for those that it leaves out
  double quick_points_an_octave;
  std::uint64_t least_bytes;
};
constexpr std::array bandwidth_ceilings{
    BandwidthCeiling{"load", 1, 4, 2, 2 * MiB},    BandwidthCeiling{"triad", 3, 1, 0.5, 12 * MiB},
    BandwidthCeiling{"copy", 2, 1, 0.5, 12 * MiB}, BandwidthCeiling{"store", 1, 1, 0, 12 * MiB},
    BandwidthCeiling{"update", 1, 1, 0, 12 * MiB},
};

struct TransferCeiling {
  const char* to;
  const char* way;
  const char* name;
  bool quick;
};
constexpr std::array transfer_ceilings{
    TransferCeiling{"device", "copy_pinned", "GPU from host, copy engine, pinned", true},
    TransferCeiling{"host", "copy_pinned", "GPU to host, copy engine, pinned", true},
    TransferCeiling{"device", "copy_pageable", "GPU from host, copy engine, pageable", false},
    TransferCeiling{"host", "copy_pageable", "GPU to host, copy engine, pageable", false},
    TransferCeiling{"device", "kernel_pinned", "GPU from host, kernel, pinned", false},
    TransferCeiling{"host", "kernel_pinned", "GPU to host, kernel, pinned", false},
    TransferCeiling{"device", "copy_peer", "GPU from peer, copy engine", true},
    TransferCeiling{"host", "copy_peer", "GPU to peer, copy engine", true},
};
bool is_peer(const TransferCeiling& ceiling) { return std::string_view(ceiling.way) == "copy_peer"; }

struct LaunchCeiling {
  const char* way;
  const char* name;
  std::uint64_t launches;
};
constexpr std::array launch_ceilings{LaunchCeiling{"stream", "GPU launch, stream", 1000}, LaunchCeiling{"graph", "GPU launch, graph", 4000},
                                     LaunchCeiling{"waited", "GPU launch, waited for", 500}};

constexpr std::array tensor_kernels{std::pair{"ert/wgmma", "wgmma"}, std::pair{"ert/mma", "mma.sync"}, std::pair{"ert/wmma", "WMMA"}};

/// Blocks of 1024 threads a multiprocessor holds at once, by registers too: one for each 1024 of its threads.
std::uint64_t multiprocessors_of(const GpuProperties& gpu) { return static_cast<std::uint64_t>(std::max(1, gpu.multiprocessors)); }

/// All but what a kernel stores to be checked, and to have its clock measured.
bool is_measured(const Stream& s) { return s.array != "clock span" && s.array != "sums" && s.array != "passes"; }
double footprint_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams)
    if (is_measured(s)) bytes += static_cast<double>(s.footprint_bytes);
  return bytes;
}
double algorithmic_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams)
    if (is_measured(s)) bytes += static_cast<double>((s.loads + s.stores) * s.element_bytes);
  return bytes;
}
/// Loads of shared memory alone.
double scratchpad_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams)
    if (s.scratchpad) bytes += static_cast<double>(s.loads * s.element_bytes);
  return bytes;
}

class Planner {
 public:
  Planner(CeilingMode mode, const GpuProperties& gpu, std::span<const Kernel> kernels)
      : quick_(mode == CeilingMode::quick),
        gpu_(gpu),
        kernels_(kernels),
        blocks_(multiprocessors_of(gpu)),
        clock_hz_(gpu.clock_hz > 0 ? gpu.clock_hz : 1.5e9) {}

  void plan_peak() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/peak");
    if (kernel == nullptr) return;
    for (const char* precision : {"fp64", "fp32", "fp16", "bf16"})
      for (const PeakCeiling& ceiling : peak_ceilings) {
        if ((quick_ && !ceiling.quick) || (precision_bytes(precision) == 2 && !ceiling.in_halves)) continue;
        add_peak(*kernel, precision, ceiling, "GPU " + upper(precision) + " " + ceiling.name, "compute", 4 * blocks_, 256);
      }
  }

  /// FMAs with 1, 2, 4, ... warps on each multiprocessor: how many it takes.
  void plan_occupancy() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/peak");
    if (quick_ || kernel == nullptr) return;
    for (const char* precision : {"fp64", "fp32"})
      for (std::uint64_t warps = 1; warps <= 32; warps *= 2)
        add_peak(*kernel, precision, peak_ceilings[0], "GPU " + upper(precision) + " FMA, " + std::to_string(warps) + " warps an SM",
                 "occupancy", blocks_, 32 * warps);
  }

  void plan_tensor() {
    for (const auto& [name, instruction] : tensor_kernels) {
      const Kernel* const kernel = kernel_named(kernels_, name);
      if (kernel == nullptr) continue;
      for (const std::string& type : kernel->precisions)
        if (!quick_ || type == "bf16" || type == "fp64") add_tensor(*kernel, type, instruction);
    }
  }

  void plan_own_memory() {
    if (const Kernel* const kernel = kernel_named(kernels_, "ert/shared")) add_shared(*kernel);
    if (const Kernel* const kernel = kernel_named(kernels_, "ert/l1"))
      for (const std::uint64_t pieces : {48, 32, 24, 20, 16, 14, 12, 10, 8, 6, 4, 3, 2, 1}) add_l1(*kernel, pieces);
  }

  void plan_stream() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/stream");
    if (kernel == nullptr) return;
    for (const BandwidthCeiling& ceiling : bandwidth_ceilings) {
      const double points = quick_ ? ceiling.quick_points_an_octave : ceiling.points_an_octave;
      if (points == 0) continue;
      const double largest = largest_bytes();
      std::set<std::uint64_t> planned;
      for (double bytes = largest; bytes >= static_cast<double>(ceiling.least_bytes); bytes /= std::exp2(1 / points)) {
        const std::uint64_t n = elements(bytes / static_cast<double>(ceiling.arrays));
        if (planned.insert(n).second) add_stream(*kernel, ceiling, n, elements(largest / static_cast<double>(ceiling.arrays)));
      }
    }
  }

  void plan_chase() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/chase");
    if (kernel == nullptr) return;
    const double step = quick_ ? 2 : std::sqrt(2.0);
    const double largest = std::min(largest_bytes(), (quick_ ? 256.0 : 512.0) * MiB);
    for (double bytes = largest; bytes >= 16.0 * KiB; bytes /= step) add_chase(*kernel, static_cast<std::uint64_t>(bytes) / 128);
  }

  void plan_vector() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/vector");
    if (quick_ || kernel == nullptr) return;
    for (const char* precision : {"fp64", "fp32"})
      for (std::uint64_t k = 1; k <= 512; k *= 2) add_vector(*kernel, precision, k);
  }

  void plan_transfer() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/transfer");
    if (kernel == nullptr) return;
    for (const TransferCeiling& ceiling : transfer_ceilings)
      if ((!quick_ || ceiling.quick) && (!is_peer(ceiling) || gpu_.peers > 0)) add_transfer(*kernel, ceiling);
  }

  void plan_launch() {
    const Kernel* const kernel = kernel_named(kernels_, "ert/launch");
    if (kernel == nullptr) return;
    for (const LaunchCeiling& ceiling : launch_ceilings) {
      CeilingCase* const planned = add(*kernel, "fp64", {{"way", word(ceiling.way)}, {"launches", integer(ceiling.launches)}});
      if (planned == nullptr) continue;
      describe(*planned, ceiling.name, "-", "overhead", ceiling.way, "seconds");
      planned->amount_per_sweep = static_cast<double>(ceiling.launches);
    }
  }

  std::vector<CeilingCase> cases;

 private:
  /// Far beyond any cache; in full mode so far that they hold nothing of it from one pass to the next.
  double largest_bytes() const {
    const double memory = gpu_.memory_bytes == 0 ? 4.0 * 1024 * MiB : static_cast<double>(gpu_.memory_bytes);
    return std::min(memory / 4, (quick_ ? 1024.0 : 4608.0) * MiB);
  }
  /// Whole chunks of ert/stream: 2048 elements of 8 bytes.
  static std::uint64_t elements(double bytes) { return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / 8 / 2048) * 2048; }

  CeilingCase* add(const Kernel& kernel, std::string_view precision, std::initializer_list<std::pair<const char*, Value>> values) {
    const auto flavor = flavor_for(kernel, gpu_, precision);
    if (!flavor) return nullptr;
    Parameters p;
    for (const ParameterSpec& spec : kernel.parameters) p.set(spec.name, spec.preset);
    for (const auto& [name, value] : values) p.set(name, value);
    cases.push_back({.measured = {.kernel = &kernel,
                                  .parameters = std::move(p),
                                  .precision = std::string(precision),
                                  .flavor = *flavor,
                                  .team = {.ranks = 1, .threads = 1, .gpus = 1}},
                     .name = {},
                     .precision = {},
                     .level = {},
                     .pattern = {},
                     .unit = {}});
    return &cases.back();
  }
  static void describe(CeilingCase& planned, std::string name, std::string precision, const char* level, std::string pattern,
                       const char* unit) {
    planned.name = std::move(name);
    planned.precision = std::move(precision);
    planned.level = level;
    planned.pattern = std::move(pattern);
    planned.unit = unit;
  }

  /// So many iterations as make a sweep long enough, of work that takes so many cycles.
  std::uint64_t iterations(double cycles_each) const {
    return static_cast<std::uint64_t>(std::max(1.0, target_seconds * clock_hz_ / cycles_each));
  }

  void add_peak(const Kernel& kernel, const char* precision, const PeakCeiling& ceiling, std::string name, const char* level,
                std::uint64_t blocks, std::uint64_t threads) {
    // an iteration: 32 operations of 8 chains a thread; few warps wait for their own results
    const double lanes = precision_bytes(precision) == 2 ? 2 : 1;
    const double flops = 256 * lanes * 2 * static_cast<double>(threads * blocks) / static_cast<double>(blocks_);
    const double cycles = std::max(flops / expected_flops(precision), 32.0 * 8);
    CeilingCase* const planned = add(kernel, precision,
                                     {{"form", word(ceiling.form)},
                                      {"packed", word("yes")},
                                      {"blocks", integer(blocks)},
                                      {"threads", integer(threads)},
                                      {"iterations", integer(iterations(cycles))}});
    if (planned == nullptr) return;
    const bool occupancy = std::string_view(level) == "occupancy";
    describe(*planned, std::move(name), precision, level, occupancy ? std::to_string(threads / 32) + " warps" : ceiling.pattern, "GFLOP/s");
    planned->amount_per_sweep = static_cast<double>(total_flops(planned->measured.work().flops).lo);
  }

  void add_tensor(const Kernel& kernel, const std::string& type, const char* instruction) {
    const std::uint64_t blocks = 2 * blocks_;
    const Parameters one{{"blocks", integer(blocks)}, {"iterations", integer(1)}},
        two{{"blocks", integer(blocks)}, {"iterations", integer(2)}};
    const auto flops = [&](const Parameters& p) { return static_cast<double>(total_flops(kernel.model(p, type, "").flops).lo); };
    const double cycles = (flops(two) - flops(one)) / static_cast<double>(blocks_) / expected_tensor_flops(type);
    CeilingCase* const planned = add(kernel, type, {{"blocks", integer(blocks)}, {"iterations", integer(iterations(cycles))}});
    if (planned == nullptr) return;
    describe(*planned, "GPU tensor " + upper(type) + " " + instruction, "tensor." + type, "compute", instruction, "GFLOP/s");
    planned->amount_per_sweep = static_cast<double>(total_flops(planned->measured.work().flops).lo);
  }

  void take_bytes(CeilingCase& planned, bool working_set) {
    const Work work = planned.measured.work();
    planned.amount_per_sweep = algorithmic_bytes(work);
    if (working_set) planned.working_set_bytes = footprint_bytes(work);
  }

  void add_shared(const Kernel& kernel) {
    const std::uint64_t repeat = iterations(2 * 32.0 * KiB / 128);
    if (CeilingCase* const planned = add(kernel, "fp64", {{"blocks", integer(2 * blocks_)}, {"repeat", integer(repeat)}})) {
      describe(*planned, "GPU shared load", "-", "shared", "load", "GB/s");
      planned->amount_per_sweep = scratchpad_bytes(planned->measured.work());
      planned->working_set_bytes = footprint_bytes(planned->measured.work());
    }
  }

  /// Pieces of 16 KiB a multiprocessor: as far as its L1 reaches, and beyond.
  void add_l1(const Kernel& kernel, std::uint64_t pieces) {
    const std::uint64_t repeat = iterations(static_cast<double>(pieces) * 16.0 * KiB / 100);
    if (CeilingCase* const planned =
            add(kernel, "fp64", {{"blocks", integer(blocks_)}, {"pieces", integer(pieces)}, {"repeat", integer(repeat)}})) {
      describe(*planned, "GPU load own", "-", "sweep", "load own", "GB/s");
      take_bytes(*planned, true);
    }
  }

  /// The largest data are made once; a smaller working set is a part of them. Passes over 256 MiB make a sweep.
  void add_stream(const Kernel& kernel, const BandwidthCeiling& ceiling, std::uint64_t n, std::uint64_t data) {
    const auto repeat = [&](std::uint64_t elements) { return std::max<std::uint64_t>(1, 256 * MiB / (elements * 8 * ceiling.arrays)); };
    const bool within = n * 8 * ceiling.arrays > 256 * MiB;  // of the large data, of which one pass is a sweep
    CeilingCase* const planned =
        add(kernel, "fp64",
            {{"pattern", word(ceiling.pattern)}, {"n", integer(within ? data : n)}, {"repeat", integer(repeat(within ? data : n))}});
    if (planned == nullptr) return;
    describe(*planned, std::string("GPU ") + ceiling.pattern, "-", "sweep", ceiling.pattern, "GB/s");
    take_bytes(*planned, true);
    if (!within || n == data) return;
    planned->share = static_cast<double>(n) / static_cast<double>(data);
    planned->amount_per_sweep *= planned->share;
    planned->working_set_bytes *= planned->share;
  }

  void add_chase(const Kernel& kernel, std::uint64_t lines) {
    constexpr std::uint64_t steps = 8192;
    CeilingCase* const planned = add(kernel, "fp64", {{"n", integer(lines)}, {"steps", integer(steps)}});
    if (planned == nullptr) return;
    describe(*planned, "GPU chase", "-", "sweep", "chase", "seconds");
    planned->amount_per_sweep = static_cast<double>(steps);
    planned->working_set_bytes = static_cast<double>(lines * 128);
    if (lines * 128 <= 64 * MiB) planned->warm_sweeps = lines / steps + 1;
  }

  void add_vector(const Kernel& kernel, const char* precision, std::uint64_t k) {
    const std::uint64_t n = 128 * MiB / precision_bytes(precision);
    if (CeilingCase* const planned = add(kernel, precision, {{"k", integer(k)}, {"n", integer(n)}, {"repeat", integer(1)}})) {
      const std::string pattern = "k=" + std::to_string(k);
      describe(*planned, "GPU " + upper(precision) + " vector " + pattern, precision, "vector", pattern, "GFLOP/s");
      planned->amount_per_sweep = static_cast<double>(total_flops(planned->measured.work().flops).lo);
      planned->working_set_bytes = footprint_bytes(planned->measured.work());
    }
  }

  void add_transfer(const Kernel& kernel, const TransferCeiling& ceiling) {
    if (CeilingCase* const planned =
            add(kernel, "fp64", {{"to", word(ceiling.to)}, {"way", word(ceiling.way)}, {"n", integer(128 * MiB / 8)}})) {
      describe(*planned, ceiling.name, "-", "host-dev", std::string(ceiling.way) + " to " + ceiling.to, "GB/s");
      take_bytes(*planned, false);
      planned->amount_per_sweep /= 2;  // read here, written there: once over the link
    }
  }

  bool quick_;
  const GpuProperties& gpu_;
  std::span<const Kernel> kernels_;
  std::uint64_t blocks_;
  double clock_hz_;
};

}  // namespace

std::vector<CeilingCase> plan_gpu_ceilings(CeilingMode mode, const GpuProperties& gpu, std::span<const Kernel> kernels) {
  Planner planner(mode, gpu, kernels);
  planner.plan_peak();
  planner.plan_occupancy();
  planner.plan_tensor();
  planner.plan_own_memory();
  planner.plan_stream();
  planner.plan_chase();
  planner.plan_vector();
  planner.plan_transfer();
  planner.plan_launch();
  return std::move(planner.cases);
}

std::vector<AbsentFlavor> absent_gpu_ceilings(const GpuProperties& gpu, std::span<const Kernel> kernels) {
  std::vector<AbsentFlavor> missing;
  for (const auto& [name, instruction] : tensor_kernels)
    if (const Kernel* const kernel = kernel_named(kernels, name))
      for (const AbsentFlavor& flavor : kernel->absent_flavors())
        if (flavor.name == gpu.flavor) missing.push_back({std::string("GPU tensor ") + instruction, flavor.reason});
  for (const TransferCeiling& ceiling : transfer_ceilings)
    if (is_peer(ceiling) && gpu.peers == 0) missing.push_back({ceiling.name, "no other GPU is visible whose memory this one reaches"});
  return missing;
}

double gpu_ceilings_seconds(std::span<const CeilingCase> plan, const GpuProperties& gpu, int rounds) {
  constexpr double first_seconds = 0.02;                   // check and calibration of a case
  constexpr double prepare_seconds = 0.4e-9;               // a byte, from the host's pageable memory and back for the check
  constexpr double link_rate = 5e9, memory_rate = 0.3e12;  // bytes a second, of the slowest that there are
  constexpr int sweeps = 4;
  double first = 0, round = 0;
  const Case* before = nullptr;
  for (const CeilingCase& one : plan) {
    const double bytes = std::isfinite(one.working_set_bytes) ? one.working_set_bytes / one.share : 0;
    const bool same = before != nullptr && before->id() == one.measured.id();
    const double sweep = one.level == "host-dev" ? one.amount_per_sweep / link_rate
                         : one.unit == "seconds" ? one.amount_per_sweep * 1e-6 * (1 + static_cast<double>(one.warm_sweeps) / sweeps)
                         : (one.level == "sweep" && one.pattern != "load own") || one.level == "vector"
                             ? 5 * target_seconds + one.working_set_bytes / memory_rate / 8
                             : 2 * target_seconds;
    round += sweeps * sweep + (same ? 0 : prepare_seconds * bytes);
    first += same ? 0 : first_seconds + prepare_seconds * bytes;
    before = &one.measured;
  }
  static_cast<void>(gpu);
  return first + round * rounds;
}

}  // namespace plumbline
