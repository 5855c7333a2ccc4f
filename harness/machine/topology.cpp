#include "machine/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "core/error.hpp"
#include "core/passing_variable.hpp"
#include "machine/memory.hpp"

namespace plumbline {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Set = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Destroy>;

Handle make_handle() {
  const WithoutHwlocPlugins fewer;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw io_error("hwloc_topology_init failed");
  Handle handle(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  // Disks, network interfaces and memory modules cost a hundred files of /sys a rank, and nobody here asks hwloc for them.
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  return handle;
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> all;
  for (hwloc_obj_t one = nullptr; (one = hwloc_get_next_obj_by_type(topology, type, one)) != nullptr;) all.push_back(one);
  return all;
}

std::vector<int> members(hwloc_const_bitmap_t set) {
  std::vector<int> all;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) all.push_back(i);
  return all;
}

// NUMA domains by their CPUs: memory-only nodes (HBM, CXL) that share CPUs with another are no domain of their own.
class Domains {
 public:
  explicit Domains(hwloc_topology_t topology) {
    for (auto* node : objects(topology, HWLOC_OBJ_NUMANODE))
      if (hwloc_bitmap_iszero(node->cpuset) == 0 &&
          std::none_of(sets_.begin(), sets_.end(), [&](auto* known) { return hwloc_bitmap_intersects(known, node->cpuset) != 0; }))
        sets_.push_back(node->cpuset), memories_.push_back(static_cast<int>(node->os_index));
  }
  const std::vector<int>& memories() const { return memories_; }
  int count() const { return static_cast<int>(sets_.size()); }
  int of(hwloc_const_bitmap_t cpus) const {  // the one that holds all of these, or -1
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (hwloc_bitmap_isincluded(cpus, sets_[i]) != 0) return static_cast<int>(i);
    return -1;
  }

 private:
  std::vector<hwloc_cpuset_t> sets_;
  std::vector<int> memories_;
};

int index_of_ancestor(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
  const auto* ancestor = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return ancestor == nullptr ? 0 : static_cast<int>(ancestor->logical_index);
}

std::vector<CpuFacts> cpus_of(hwloc_topology_t topology, const Domains& domains, hwloc_const_bitmap_t allowed) {
  std::vector<CpuFacts> all;
  std::map<int, int> siblings;
  for (auto* pu : objects(topology, HWLOC_OBJ_PU)) {
    const auto* core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    const int core_index = static_cast<int>(core == nullptr ? pu->logical_index : core->logical_index);
    all.push_back({.cpu = static_cast<int>(pu->os_index),
                   .core = core_index,
                   .sibling = siblings[core_index]++,
                   .numa = std::max(0, domains.of(pu->cpuset)),
                   .package = index_of_ancestor(topology, pu, HWLOC_OBJ_PACKAGE),
                   .allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0});
  }
  return all;
}

std::vector<CacheFacts> caches_of(hwloc_topology_t topology) {
  std::vector<CacheFacts> all;
  for (auto* object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0); object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) == 0) continue;
    const auto& cache = object->attr->cache;
    const auto lines = cache.linesize == 0 ? 0 : cache.size / cache.linesize;
    all.push_back({.level = static_cast<int>(cache.depth),
                   .bytes = cache.size,
                   .ways = cache.associativity < 0 ? static_cast<std::uint32_t>(lines) : static_cast<std::uint32_t>(cache.associativity),
                   .line_bytes = cache.linesize,
                   .shared_by_cpus = hwloc_bitmap_weight(object->cpuset)});
  }
  return all;
}

constexpr unsigned nvidia = 0x10de, amd = 0x1002, intel = 0x8086;  // vendors' PCI numbers

// Display and 3D controllers and processing accelerators of the makers of compute GPUs; a board's VGA chip is none.
bool is_gpu(hwloc_obj_t device) {
  const auto& pci = device->attr->pcidev;
  const bool display = pci.class_id >> 8 == 0x03 || pci.class_id == 0x1200;
  const bool integrated = pci.vendor_id == intel && pci.class_id == 0x0300;
  return display && !integrated && (pci.vendor_id == nvidia || pci.vendor_id == amd || pci.vendor_id == intel);
}

const char* maker_of_gpu(unsigned vendor) { return vendor == nvidia ? "NVIDIA" : vendor == amd ? "AMD" : "Intel"; }

std::string info_of(hwloc_obj_t object, const char* key, const char* otherwise) {
  const char* value = hwloc_obj_get_info_by_name(object, key);
  return value == nullptr ? otherwise : value;
}

std::vector<GpuFacts> gpus_of(hwloc_topology_t topology, const Domains& domains) {
  std::vector<GpuFacts> all;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    if (!is_gpu(device)) continue;
    const auto* beside = hwloc_get_non_io_ancestor_obj(topology, device);
    const auto& pci = device->attr->pcidev;
    all.push_back({.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func),
                   .vendor = info_of(device, "PCIVendor", maker_of_gpu(pci.vendor_id)),
                   .name = info_of(device, "PCIDevice", ""),
                   .near_cpus = members(beside->cpuset),
                   .numa = domains.of(beside->cpuset)});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pci < b.pci; });
  return all;
}

Topology facts_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  const Domains domains(topology);
  Topology facts;
  facts.packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
  facts.numa_nodes = domains.count();
  facts.numa_memories = domains.memories();
  facts.pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  facts.cpus = cpus_of(topology, domains, allowed);
  facts.cores = static_cast<int>(std::count_if(facts.cpus.begin(), facts.cpus.end(), [](const auto& cpu) { return cpu.sibling == 0; }));
  facts.caches = caches_of(topology);
  facts.gpus = gpus_of(topology, domains);
  facts.memory_bytes = hwloc_get_root_obj(topology)->total_memory;
  return facts;
}

}  // namespace

std::vector<int> Topology::allowed_cpus() const {
  std::vector<int> all;
  for (const auto& cpu : cpus)
    if (cpu.allowed) all.push_back(cpu.cpu);
  return all;
}

std::string cpu_ranges(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t first = 0, last = 0; first < cpus.size(); first = ++last) {
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[first]);
    if (last > first) text += fmt::format("-{}", cpus[last]);
  }
  return text;
}

std::vector<CacheLevel> cache_levels(const Topology& topology) {
  std::vector<CacheLevel> levels;
  for (const auto& cache : topology.caches)
    levels.push_back({.name = fmt::format("L{}", cache.level),
                      .bytes = cache.bytes,
                      .ways = cache.ways,
                      .line_bytes = cache.line_bytes,
                      .shared = cache.level >= 3});
  return levels;
}

Topology this_topology() {
  const Handle handle = make_handle();
  if (hwloc_topology_load(handle.get()) != 0) throw io_error(fmt::format("hwloc cannot read this machine: {}", std::strerror(errno)));
  const Set allowed(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(handle.get(), allowed.get(), HWLOC_CPUBIND_THREAD) != 0) hwloc_bitmap_fill(allowed.get());
  hwloc_bitmap_and(allowed.get(), allowed.get(), hwloc_topology_get_allowed_cpuset(handle.get()));
  Topology facts = facts_of(handle.get(), allowed.get());
  facts.memory_bytes = std::max(facts.memory_bytes, memory_total_bytes());
  return facts;
}

Topology topology_from_xml(const std::string& path) {
  const Handle handle = make_handle();
  if (hwloc_topology_set_xml(handle.get(), path.c_str()) != 0 || hwloc_topology_load(handle.get()) != 0)
    throw user_error(fmt::format("'{}' is no topology that hwloc {} reads; make one with lstopo FILE.xml", path, HWLOC_VERSION));
  return facts_of(handle.get(), hwloc_topology_get_allowed_cpuset(handle.get()));
}

}  // namespace plumbline
