#include "schedule/node_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace plumbline {

int NodePart::cores_at_once() const {
  if (cpu_quota >= cores) return std::max(1, cores);
  return std::max(1, static_cast<int>(std::floor(cpu_quota)));
}

std::string NodePart::in_words() const {
  const std::string quota = cpu_quota < cores ? fmt::format(" (a CPU quota of {:.4g})", cpu_quota) : "";
  return fmt::format("{} of {} cores{}", cores_at_once(), of_cores, quota);
}

std::string NodePart::advice() const {
  if (cores == of_cores) return "measure outside of the control group (container, batch step) that has the quota";
  return "sbatch --exclusive; srun --cpu-bind=none without --cpus-per-task, which implies --exact and then leaves out cores of nodes with "
         "two "
         "hardware threads a core; mpiexec -bind-to none";
}

Topology with_allowed(Topology node, const std::vector<std::vector<int>>& allowed) {
  std::set<int> any;
  for (const auto& own : allowed) any.insert(own.begin(), own.end());
  for (auto& cpu : node.cpus) cpu.allowed = any.contains(cpu.cpu);
  return node;
}

NodePart part_of(const Topology& node, double cpu_quota) {
  std::set<int> cores, all, domains, packages;
  for (const auto& cpu : node.cpus) {
    all.insert(cpu.core);
    if (!cpu.allowed) continue;
    cores.insert(cpu.core);
    domains.insert(cpu.numa);
    packages.insert(cpu.package);
  }
  const auto count = [](const std::set<int>& some) { return static_cast<int>(some.size()); };
  return {
      .cores = count(cores), .of_cores = count(all), .numa_domains = count(domains), .packages = count(packages), .cpu_quota = cpu_quota};
}

}  // namespace plumbline
