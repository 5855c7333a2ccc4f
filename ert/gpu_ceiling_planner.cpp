#include "ert/gpu_ceiling_planner.hpp"

#include <algorithm>
#include <optional>

namespace plumbline {
namespace {

std::optional<Flavor> flavor_for(const Kernel& kernel, const GpuProperties& gpu, std::string_view precision) {
  if (gpu.flavor.empty()) return std::nullopt;
  for (const Flavor& flavor : kernel.flavors())
    if ((flavor.name == gpu.flavor || is_library(flavor.name)) && flavor.precision == precision) return flavor;
  return std::nullopt;
}

}  // namespace

const Kernel* kernel_named(std::span<const Kernel> kernels, std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

double expected_bandwidth(const GpuProperties& gpu, double working_set_bytes) {
  constexpr double L2_bytes_a_cycle = 32, memory_bytes_a_cycle = 10;  // of a multiprocessor
  const double cycles = std::max(1, gpu.multiprocessors) * (gpu.clock_hz > 0 ? gpu.clock_hz : 1.5e9);
  const double L2 = 2 * (gpu.l2_bytes > 0 ? static_cast<double>(gpu.l2_bytes) : 64.0 * MiB);
  const double told = 2 * gpu.memory_clock_hz * gpu.memory_bus_bits / 8;  // two transfers a cycle
  const double memory = told > 0 ? told : memory_bytes_a_cycle * cycles;
  return working_set_bytes <= L2 ? std::max(memory, L2_bytes_a_cycle * cycles) : memory;
}

const Kernel* GpuCeilingPlanner::kernel(std::string_view name) const { return kernel_named(kernels_, name); }

CeilingCase* GpuCeilingPlanner::add(const Kernel& kernel, std::string_view precision,
                                    std::initializer_list<std::pair<const char*, Value>> values) {
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

void GpuCeilingPlanner::add_sustained() {
  if (quick_) return;
  CeilingCase one = cases.back();
  one.name += ", sustained";
  one.level = CeilingKind::sustained;
  one.sample_seconds = sustained_seconds;
  cases.push_back(std::move(one));
}

void describe(CeilingCase& planned, std::string name, std::string precision, CeilingLevel level, std::string pattern, const char* unit) {
  planned.name = std::move(name);
  planned.precision = std::move(precision);
  planned.level = std::move(level);
  planned.pattern = std::move(pattern);
  planned.unit = unit;
}

void take_flops(CeilingCase& planned) { planned.amount_per_sweep = static_cast<double>(total_flops(planned.measured.work().flops).lo); }

void take_bytes(CeilingCase& planned) { planned.amount_per_sweep = algorithmic_bytes(planned.measured.work()); }

}  // namespace plumbline
