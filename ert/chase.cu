// Latency of a GPU's memory is measured by one thread: each load's address is what the load before it brought, through all lines in random
// order.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/counted.hpp"
#include "core/kernel_data.hpp"
#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

/// The line that L1 and L2 keep.
struct ChaseLine {
  const ChaseLine* next;
  std::uint64_t filler[15];
};
constexpr std::uint64_t sector_bytes = 32;  // what moves
constexpr std::uint64_t steps_at_once = 16;
struct ChaseState {
  const ChaseLine* at;
  std::uint64_t loads;  // done so far
};
struct Chase {
  ChaseState* chains;
  std::uint64_t steps;  // loads a chain and sweep
};

/// Sweeps the chains [begin, end), one after the other: their latencies add up.
__global__ void chase(const Chase x, std::size_t begin, std::size_t end, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
#pragma unroll 1
  for (std::size_t chain = begin; chain < end; ++chain) {
    const ChaseLine* at = x.chains[chain].at;
    const auto go_on = [&] { asm volatile("ld.global.u64 %0, [%1];" : "=l"(at) : "l"(&at->next) : "memory"); };
#pragma unroll 1
    for (std::uint64_t n = x.steps / steps_at_once; n != 0; --n) {
#pragma unroll
      for (unsigned k = 0; k < steps_at_once; ++k) go_on();
    }
#pragma unroll 1
    for (std::uint64_t n = x.steps % steps_at_once; n != 0; --n) go_on();
    x.chains[chain].at = at;
    x.chains[chain].loads += x.steps;
  }
}

/// The order of all lines, each once; the same in every run.
std::vector<std::uint32_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

template <class Real>
class ChaseCase final : public KernelData<Chase> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t chains = p.integer("chains"), n = p.integer("n"), steps = p.integer("steps"), line = sizeof(ChaseLine);
    // A cache keeps whole lines, but fetches the one sector of each that is read; memory may send up to the whole line for it.
    const Stream lines{.array = "lines",
                       .footprint_bytes = chains * n * line,
                       .read = true,
                       .loads = chains * steps,
                       .element_bytes = sizeof(void*),
                       .layers = {{.reuse_bytes = n * line, .fetched_bytes = chains * steps * sector_bytes},
                                  {.reuse_bytes = n * line, .fetched_bytes = chains * steps * line, .upper_bound = true}},
                       .touched_bytes = chains * std::min(steps, n) * sector_bytes};
    return {.streams = {lines,
                        {.array = "states",
                         .footprint_bytes = chains * sizeof(ChaseState),
                         .read = true,
                         .written = true,
                         .loads = 2 * chains,
                         .stores = 2 * chains,
                         .element_bytes = 8},
                        cuda::clock_stream()}};
  }

  ChaseCase(const Parameters& p, DeviceMemory& memory)
      : n_(p.integer("n")), lines_(n_ * p.integer("chains"), memory), chains_(p.integer("chains"), memory) {
    arguments_ = {chains_.data(), p.integer("steps")};
  }

  std::size_t extent() const override { return chains_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t chain = begin; chain < end; ++chain) {
      const auto order = random_order(n_, chain);
      std::vector<std::uint32_t> after(n_);
      for (std::size_t i = 0; i < n_; ++i) after[order[i]] = order[(i + 1) % n_];
      const ChaseLine* const lines = lines_.data() + chain * n_;
      lines_.fill(chain * n_, (chain + 1) * n_, [&](std::size_t i) {
        ChaseLine line{.next = lines + after[i - chain * n_], .filler = {}};
        for (unsigned k = 0; k < std::size(line.filler); ++k) line.filler[k] = (i + 1) * 0x9e3779b97f4a7c15U ^ (i + 1) << k;
        return line;
      });
      chains_.fill(chain, chain + 1, [&](std::size_t) { return ChaseState{lines + order[0], 0}; });
    }
  }

  static void launch(const Chase& x, std::size_t begin, std::size_t end) {
    cuda::next_launch(1, {end - begin, x.steps / steps_at_once, x.steps % steps_at_once});
    chase<<<1, 1, 0, cuda::stream()>>>(x, begin, end, cuda::clock_span());
  }
  static void on_host(const Chase& x, std::size_t begin, std::size_t end) {
    for (std::size_t chain = begin; chain < end; ++chain) {
      ChaseState& state = x.chains[chain];
      for (std::uint64_t n = x.steps; n != 0; --n) state.at = state.at->next;
      state.loads += x.steps;
    }
  }

  /// The error is 0 where every chain stands where so many loads lead; else, or where it was never swept, 1.
  double error() const override {
    double worst = 0;
    chains_.read(0, chains_.size(), [&](std::size_t chain, const ChaseState& state) {
      const auto order = random_order(n_, chain);
      const bool moved = state.loads != 0 && state.loads % arguments_.steps == 0;
      if (!moved || state.at != lines_.data() + chain * n_ + order[state.loads % n_]) worst = 1;
    });
    return worst;
  }
  double tolerance() const override { return 0; }

 private:
  std::size_t n_;
  DeviceArray<ChaseLine> lines_;
  DeviceArray<ChaseState> chains_;
};

const cuda::Register<ChaseCase, double> chase_registered{
    "ert/chase",
    "Latency: one thread's dependent loads through all lines in random order (lat_mem_rd, McVoy and Staelin 1996)",
    {{.name = "n", .preset = std::int64_t{4096}, .description = "lines of 128 bytes of each chain", .max = std::int64_t{1} << 31},
     {.name = "steps",
      .preset = std::int64_t{4096},
      .description = "loads on each chain in one sweep, which goes on where the last one stopped"},
     {.name = "chains", .preset = std::int64_t{1}, .description = "one after the other", .max = 1 << 20}}};

}  // namespace
}  // namespace plumbline
