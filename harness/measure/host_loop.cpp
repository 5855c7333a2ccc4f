#include "measure/host_loop.hpp"

#include <string>
#include <tuple>

#include "core/application.hpp"
#include "core/case.hpp"
#include "core/kernel.hpp"
#include "core/unavailable.hpp"
#include "machine/cpu.hpp"

namespace plumbline {

std::optional<Flavor> host_loop(const Case& measured) {
  const Kernel& kernel = *measured.kernel;
  if (kernel.host_kernel.empty()) return std::nullopt;
  const Kernel* const on_cpus = find_kernel(kernel.host_kernel);
  if (on_cpus == nullptr)
    throw UnavailableHere("steps of " + kernel.name + " are done by the host's " + kernel.host_kernel + ", which this program has not");
  const auto rank = [](const Flavor& flavor) {
    const FlavorName parts = split_flavor(flavor.name);
    return std::tuple(parts.level, vector_registers(parts.isa).bytes);
  };
  std::optional<Flavor> best;
  for (const Flavor& flavor : on_cpus->flavors())
    if (flavor.precision == measured.precision && !is_library(flavor.name) && runs_isa(split_flavor(flavor.name).isa))
      if (!best || rank(flavor) > rank(*best)) best = flavor;
  if (best) return best;
  throw UnavailableHere("steps of " + kernel.name + " are done by the host's " + kernel.host_kernel + ", of which no flavor in " +
                        measured.precision + " runs on this CPU");
}

void HostSide::run(const Step& step) const {
  threads_.run([&](int thread) {
    const auto [begin, end] = part_of(step.extent, step.grain, thread, threads_.size());
    loop_->sweep(step.arguments, begin, end);
  });
}

}  // namespace plumbline
