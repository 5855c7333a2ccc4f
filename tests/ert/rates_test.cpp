// The ceiling kernels' rates here are printed beside what Zen 5 could, never asserted (a busy machine is no defect).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "core/kernel.hpp"
#include "machine/cpu.hpp"
#include "measure/arena.hpp"
#include "measure/clock.hpp"

namespace plumbline {
namespace {

struct Rate {
  double flops_a_cycle = 0, bytes_a_cycle = 0, gflops = 0, gbs = 0;
};

/// The best of many short samples, each against the clock measured right before it.
Rate best_rate(const Kernel& kernel, const Parameters& p, const Flavor& flavor) {
  const Work work = kernel.model(p, flavor.precision, flavor.name);
  double bytes = 0, footprint = 0;
  for (const Stream& s : work.streams) {
    bytes += static_cast<double>((s.loads + s.stores) * s.element_bytes);
    footprint += static_cast<double>(s.footprint_bytes);
  }
  const double flops = static_cast<double>(total_flops(work.flops).lo);
  Arena arena(arena_bytes(2 * static_cast<std::size_t>(footprint), 8) + (std::size_t{1} << 20));
  const auto data = kernel.prepare(p, flavor.precision, arena);
  data->initialise(0, data->extent());
  flavor.sweep(data->arguments(), 0, data->extent());
  EXPECT_LE(data->error(), data->tolerance()) << p.path() << " " << flavor.name;
  Rate best;
  for (const double end = now_seconds() + 0.03; now_seconds() < end;) {
    const double clock = core_clock_hz(), start = now_seconds();
    flavor.sweep(data->arguments(), 0, data->extent());
    const double seconds = now_seconds() - start;
    best.flops_a_cycle = std::max(best.flops_a_cycle, flops / seconds / clock);
    best.bytes_a_cycle = std::max(best.bytes_a_cycle, bytes / seconds / clock);
    best.gflops = std::max(best.gflops, flops / seconds * 1e-9);
    best.gbs = std::max(best.gbs, bytes / seconds * 1e-9);
  }
  return best;
}

Parameters parameters(const Kernel& kernel, std::vector<std::pair<std::string, Value>> values) {
  Parameters p;
  for (const auto& spec : kernel.parameters) p.set(spec.name, spec.preset);
  for (const auto& [name, value] : values) p.set(name, value);
  return p;
}

/// The flavors here, one of each compiler at the machine's widest ISA.
std::vector<Flavor> flavors_here(const Kernel& kernel, std::string_view precision) {
  std::vector<Flavor> chosen;
  for (const Flavor& f : kernel.flavors())
    if (f.precision == precision && split_flavor(f.name).isa == this_cpu().best_isa()) chosen.push_back(f);
  return chosen;
}

TEST(ErtRates, arithmetic) {
  const Kernel& kernel = *find_kernel("ert/peak");
  struct Limit {
    const char* form;
    double flops_a_cycle;  // FP64, Zen 5 with AVX-512
    bool scalar;
  };
  for (const Limit& limit : {Limit{"fma", 32, false},
                             {"add", 16, false},
                             {"mul", 16, false},
                             {"muladd", 32, false},
                             {"fmaadd", 48, false},
                             {"scalar_fma", 4, true},
                             {"scalar_add", 2, true}})
    for (const char* precision : {"fp64", "fp32"})
      for (const Flavor& f : flavors_here(kernel, precision)) {
        const auto p = parameters(kernel, {{"form", std::string(limit.form)}, {"iterations", std::int64_t{limit.scalar ? 200 : 2000}}});
        const Rate r = best_rate(kernel, p, f);
        const double most = limit.flops_a_cycle * (!limit.scalar && f.precision == "fp32" ? 2 : 1);
        std::printf("%-11s %s %-14s %7.1f GFLOP/s %6.2f FLOP/clk (Zen 5: %g)\n", limit.form, precision, std::string(f.name).c_str(),
                    r.gflops, r.flops_a_cycle, most);
      }
}

TEST(ErtRates, bandwidth) {
  const Kernel& kernel = *find_kernel("ert/stream");
  struct Size {
    const char* level;
    std::int64_t bytes;
  };
  for (const char* pattern : {"load", "store", "copy", "update", "triad", "loads2store1"})
    for (const Size& size : {Size{"L1", 24 << 10}, {"L2", 384 << 10}, {"L3", 12 << 20}, {"mem", 128 << 20}})
      for (const Flavor& f : flavors_here(kernel, "fp64")) {
        const std::int64_t arrays = std::string_view(pattern) == "copy"                                                   ? 2
                                    : std::string_view(pattern) == "triad" || std::string_view(pattern) == "loads2store1" ? 3
                                                                                                                          : 1;
        const auto p = parameters(kernel, {{"pattern", std::string(pattern)},
                                           {"n", size.bytes / 8 / arrays / 256 * 256},
                                           {"repeat", std::max<std::int64_t>(1, (16 << 20) / size.bytes)}});
        const Rate r = best_rate(kernel, p, f);
        std::printf("%-12s %-4s %-14s %7.1f GB/s %6.2f B/clk\n", pattern, size.level, std::string(f.name).c_str(), r.gbs, r.bytes_a_cycle);
      }
  std::printf("Zen 5 limits, B/clk: L1 load 128, store 64, two loads and a store 192; L2 load 64\n");
}

TEST(ErtRates, vector_by_flops_an_element) {
  const Kernel& kernel = *find_kernel("ert/vector");
  for (std::int64_t k = 1; k <= 512; k *= 2)
    for (const Flavor& f : flavors_here(kernel, "fp64")) {
      const Rate r = best_rate(kernel, parameters(kernel, {{"k", k}, {"n", std::int64_t{1536}}, {"repeat", std::int64_t{50}}}), f);
      std::printf("k=%-4ld %-14s %7.1f GFLOP/s %6.2f FLOP/clk %6.2f B/clk\n", static_cast<long>(k), std::string(f.name).c_str(), r.gflops,
                  r.flops_a_cycle, r.bytes_a_cycle);
    }
}

}  // namespace
}  // namespace plumbline
