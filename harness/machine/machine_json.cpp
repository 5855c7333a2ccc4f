#include "machine/machine_json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "machine/facts_json.hpp"
#include "machine/loaded_libraries.hpp"
#include "machine/memory.hpp"
#include "machine/system_facts.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

using nlohmann::ordered_json;

template <class T>
void add(ordered_json& document, const char* name, const std::optional<T>& value, const char* why_not) {
  document[name] = value ? ordered_json(*value) : ordered_json();
  if (!value) document["absent"][name] = why_not;
}

std::optional<std::string> valgrind_version() {
  const auto close = [](FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen("valgrind --version 2>/dev/null", "r"), close);
  std::array<char, 128> line{};
  if (!pipe || std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) == nullptr) return std::nullopt;
  std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

ordered_json cache_list(const std::vector<CacheFacts>& caches) {
  auto list = ordered_json::array();
  for (const auto& cache : caches)
    list.push_back({{"level", cache.level},
                    {"bytes", cache.bytes},
                    {"ways", cache.ways},
                    {"line_bytes", cache.line_bytes},
                    {"shared_by_cpus", cache.shared_by_cpus}});
  return list;
}

std::string name_of(const NvidiaGpu& gpu) {
  for (const auto& fact : gpu.settled)
    if (fact.name == "name" && fact.value) return *fact.value;
  return "GPU";
}

/// Lists the GPUs with the driver's facts beside the bus's; each may know GPUs that the other does not.
ordered_json gpu_list(const std::vector<GpuFacts>& gpus, const NvidiaGpus& nvidia) {
  std::vector<GpuFacts> all = gpus;
  const auto at = [](auto& list, const std::string& pci) {
    return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.pci == pci; });
  };
  for (const auto& gpu : nvidia.gpus)
    if (at(gpus, gpu.pci) == gpus.end()) all.push_back({gpu.pci, "NVIDIA Corporation", name_of(gpu), {}, -1});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pci < b.pci; });
  auto list = ordered_json::array();
  for (const auto& gpu : all) {
    auto& one = list.emplace_back(ordered_json{{"pci", gpu.pci}, {"vendor", gpu.vendor}, {"name", gpu.name}});
    add(one, "numa_node", gpu.numa < 0 ? std::nullopt : std::optional(gpu.numa),
        "it lies beside several NUMA domains, or nobody says where");
    if (nvidia.gpus.empty()) continue;  // one reason for all: gpu_driver's
    const auto known = at(nvidia.gpus, gpu.pci);
    if (known == nvidia.gpus.end()) {
      one["driver"] = nullptr;
      one["absent"]["driver"] = "NVIDIA's driver shows no GPU at this address to this process";
    } else {
      one["driver"] = facts_json(known->settled);
      one["now"] = facts_json(known->now);
    }
  }
  return list;
}

ordered_json driver_object(const NvidiaGpus& nvidia) { return nvidia.driver.empty() ? ordered_json() : facts_json(nvidia.driver); }

}  // namespace

NodeState this_node_state() {
  NodeState state;
  state.memory_available_bytes = memory_available_bytes();
  state.thp = bracketed(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  state.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto active = first_line("/sys/devices/system/cpu/smt/active")) state.smt = *active == "1";
  state.valgrind = valgrind_version();
  if (const auto level = first_line("/proc/sys/kernel/perf_event_paranoid")) state.perf_event_paranoid = std::atoi(level->c_str());
  state.system = system_facts();
  state.mitigations = mitigations();
  state.nvidia = nvidia_gpus(Nvml());
  state.libraries = loaded_libraries();
  return state;
}

std::string machine_json(const std::string& node, const Topology& topology, const Cpu& cpu, const NodeState& state) {
  ordered_json document{
      {"node", node},
      {"cpu",
       {{"vendor", cpu.vendor},
        {"family", cpu.family},
        {"model", cpu.model},
        {"stepping", cpu.stepping},
        {"name", cpu.name},
        {"isa", cpu.best_isa()},
        {"isas", cpu.isas},
        {"virtual_machine", cpu.virtual_machine}}},
      {"caches", cache_list(topology.caches)},
      {"cores", topology.cores},
      {"pus", topology.pus},
      {"packages", topology.packages},
      {"numa_nodes", topology.numa_nodes},
      {"gpus", gpu_list(topology.gpus, state.nvidia)},
      {"gpu_driver", driver_object(state.nvidia)},
      {"allowed_cpus", topology.allowed_cpus()},
      {"memory_bytes", topology.memory_bytes},
      {"memory_available_bytes", state.memory_available_bytes},
      {"system", facts_json(state.system)},
      {"mitigations", facts_json(state.mitigations)},
      {"libraries", state.libraries},
  };
  if (!cpu.why_no_tiles.empty()) document["absent"]["amx"] = cpu.why_no_tiles;
  if (state.nvidia.driver.empty()) document["absent"]["gpu_driver"] = state.nvidia.why_none;
  add(document, "thp", state.thp, "no /sys/kernel/mm/transparent_hugepage/enabled: the kernel has no transparent huge pages");
  add(document, "governor", state.governor, "no cpufreq: the system does not show who sets the clock");
  add(document, "smt", state.smt, "no /sys/devices/system/cpu/smt/active");
  add(document, "valgrind", state.valgrind, "no valgrind on PATH");
  add(document, "perf_event_paranoid", state.perf_event_paranoid, "no /proc/sys/kernel/perf_event_paranoid: no perf in this kernel");
  return document.dump();
}

}  // namespace plumbline
