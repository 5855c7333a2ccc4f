#include "machine/machine_json.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "machine/memory.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
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

ordered_json gpu_list(const std::vector<GpuFacts>& gpus) {
  auto list = ordered_json::array();
  for (const auto& gpu : gpus)
    list.push_back({{"pci", gpu.pci},
                    {"vendor", gpu.vendor},
                    {"name", gpu.name},
                    {"numa_node", gpu.numa < 0 ? ordered_json() : ordered_json(gpu.numa)}});
  return list;
}

}  // namespace

NodeState this_node_state() {
  NodeState state;
  state.memory_available_bytes = memory_available_bytes();
  state.thp = bracketed(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  state.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto active = first_line("/sys/devices/system/cpu/smt/active")) state.smt = *active == "1";
  state.valgrind = valgrind_version();
  if (const auto level = first_line("/proc/sys/kernel/perf_event_paranoid")) state.perf_event_paranoid = std::atoi(level->c_str());
  return state;
}

std::string machine_json(const std::string& node, const Topology& topology, const Cpu& cpu, const NodeState& state) {
  const ordered_json document{
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
      {"gpus", gpu_list(topology.gpus)},
      {"allowed_cpus", topology.allowed_cpus()},
      {"memory_bytes", topology.memory_bytes},
      {"memory_available_bytes", state.memory_available_bytes},
      {"thp", or_null(state.thp)},
      {"governor", or_null(state.governor)},
      {"smt", or_null(state.smt)},
      {"valgrind", or_null(state.valgrind)},
      {"perf_event_paranoid", or_null(state.perf_event_paranoid)},
  };
  return document.dump();
}

}  // namespace plumbline
