#include "machine/capability.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/shared_library.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

/// A count with its noun: "1 package", "2 packages".
std::string counted(long n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

Capability cpu_row(const Topology& topology, const Cpu& cpu) {
  return {"CPU", Status::ok,
          fmt::format("{} ({} family {} model {}), {}, {}, {}, {}{}", cpu.name, cpu.vendor, cpu.family, cpu.model,
                      counted(topology.packages, "package"), counted(topology.numa_nodes, "NUMA domain"), counted(topology.cores, "core"),
                      counted(topology.pus, "CPU") + " (hardware threads)", cpu.virtual_machine ? ", virtual machine" : ""),
          ""};
}

Capability isa_row(const Cpu& cpu) {
  if (cpu.isas.empty())
    return {"kernel flavors", Status::unavailable, "no ISA level that flavors are built for", "build plumbline on this architecture"};
  const std::string no_tiles = cpu.why_no_tiles.empty() ? "" : "; no AMX: " + cpu.why_no_tiles;
  return {
      "kernel flavors", Status::ok,
      fmt::format("runs code for {}{}{}", cpu.isas.front().starts_with('v') ? "x86-64 levels " : "", fmt::join(cpu.isas, ", "), no_tiles),
      "plumbline list kernels"};
}

Capability cache_row(const Topology& topology) {
  std::vector<std::string> levels;
  for (const auto& cache : topology.caches)
    levels.push_back(fmt::format("L{} {} KiB {}", cache.level, cache.bytes / 1024,
                                 cache.shared_by_cpus == 1 ? "for each CPU" : fmt::format("shared by {} CPUs", cache.shared_by_cpus)));
  if (levels.empty())
    return {"caches", Status::unavailable, "the system names no caches: models by cache level are intervals without bounds", "lstopo"};
  return {"caches", Status::ok, fmt::format("{}", fmt::join(levels, ", ")), ""};
}

Capability binding_row(const Topology& topology) {
  const auto allowed = topology.allowed_cpus().size();
  std::string next;
  if (static_cast<int>(allowed) < topology.pus)
    next = "ask the launcher or the batch system for whole nodes (srun --exclusive --cpu-bind=none)";
  return {"binding", allowed > 0 ? Status::ok : Status::unavailable, fmt::format("{} of {} CPUs may be used", allowed, topology.pus), next};
}

Capability memory_row(const Topology& topology, const NodeState& state) {
  return {"memory", state.memory_available_bytes > 0 ? Status::ok : Status::unavailable,
          fmt::format("{:.1f} GiB available of {:.1f} GiB; transparent huge pages: {}",
                      static_cast<double>(state.memory_available_bytes) / 0x1p30, static_cast<double>(topology.memory_bytes) / 0x1p30,
                      state.thp.value_or("unknown")),
          ""};
}

Capability clock_row(const NodeState& state) {
  if (!state.governor) return {"core clock", Status::ok, "no cpufreq: the clock is measured beside every timing", ""};
  const bool fixed = *state.governor == "performance";
  return {"core clock", Status::ok, fmt::format("governor {}; the clock is measured beside every timing", *state.governor),
          fixed ? "" : "cpupower frequency-set -g performance (root) steadies it"};
}

Capability gpu_row(const Topology& topology, const NvidiaGpus& nvidia) {
  const std::string seen = topology.gpus.empty() ? "no GPU on the PCI bus" : fmt::format("{} GPUs on the PCI bus", topology.gpus.size());
  const std::string told = in_one_line(nvidia);
  const auto [driver, why] = open_library("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr)
    return {"GPU driver", Status::unavailable, fmt::format("{}; {}; {}", seen, why, told),
            topology.gpus.empty() || !unsafe_loader_path().empty() ? "" : "install the NVIDIA driver"};
  dlclose(driver);
  const bool silent = nvidia.library_found && !nvidia.why_none.empty();
  return {"GPU driver", silent ? Status::unavailable : Status::ok, fmt::format("{}; libcuda.so.1 opens; {}", seen, told),
          silent ? "nvidia-smi may tell more; as root: modprobe nvidia" : ""};
}

}  // namespace

PmuAttempt try_pmu(const Cpu& cpu) {
  PmuAttempt attempt;
  attempt.virtual_machine = cpu.virtual_machine;
  if (const auto level = first_line("/proc/sys/kernel/perf_event_paranoid")) attempt.paranoid = std::atoi(level->c_str());
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_HW_CPU_CYCLES;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const long file = syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL);
  if (file < 0) {
    attempt.error = errno;
    return attempt;
  }
  std::uint64_t cycles = 0;
  if (read(static_cast<int>(file), &cycles, sizeof cycles) != sizeof cycles || cycles == 0) attempt.error = ENODATA;
  close(static_cast<int>(file));
  return attempt;
}

Capability judge_pmu(const PmuAttempt& attempt) {
  Capability row{"hardware counters", Status::ok, "", ""};
  const std::string paranoid =
      attempt.paranoid ? fmt::format("perf_event_paranoid is {}", *attempt.paranoid) : "no perf_event_paranoid: no perf in this kernel";
  if (attempt.error == 0) {
    row.found = "perf_event_open counts cycles; " + paranoid;
  } else if (attempt.error == EACCES || attempt.error == EPERM) {
    row.status = Status::permission;
    row.found = fmt::format("perf_event_open: {}; {}", std::strerror(attempt.error), paranoid);
    constexpr int own_user_code = 2;  // what counting it needs at most
    row.next = attempt.paranoid.value_or(own_user_code + 1) > own_user_code
                   ? "as root: sysctl kernel.perf_event_paranoid=1 (in a container also allow the system call); emulated counters need no "
                     "permission"
                   : "in a container allow the system call perf_event_open (docker --cap-add PERFMON, or its seccomp profile); emulated "
                     "counters need no permission";
  } else {
    row.status = Status::unavailable;
    const std::string error = attempt.error == ENODATA ? "opens, but counts nothing" : std::strerror(attempt.error);
    row.found = fmt::format("perf_event_open for cycles: {}{}; {}", error,
                            attempt.virtual_machine ? " (virtual machine: its host exposes no PMU)" : "", paranoid);
    row.next = attempt.virtual_machine ? "use a bare-metal node, or the emulated counters" : "use the emulated counters";
  }
  return row;
}

std::vector<Capability> machine_capabilities(const Topology& topology, const Cpu& cpu, const NodeState& state) {
  return {cpu_row(topology, cpu),      isa_row(cpu),     cache_row(topology),     binding_row(topology),
          memory_row(topology, state), clock_row(state), judge_pmu(try_pmu(cpu)), gpu_row(topology, state.nvidia)};
}

}  // namespace plumbline
