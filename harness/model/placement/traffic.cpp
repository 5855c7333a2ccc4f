#include "model/placement/traffic.hpp"

#include <array>
#include <set>

#include "core/enumerators.hpp"

namespace plumbline {
namespace {

constexpr std::array<LevelBoundary, 5> level_table{
    {{"L1", "reg-L1"}, {"L2", "L1-L2"}, {"L3", "L2-L3"}, {"mem", "L3-mem"}, {"mem", "L2-mem"}}};
constexpr std::array<LevelBoundary, 5> gpu_level_table{
    {{"L1", "reg-L1"}, {"shared", "reg-shared"}, {"L2", "L1-L2"}, {"mem", "L2-mem"}, {"system", "host-dev"}}};

}  // namespace

std::string_view to_string(Join join) { return enumerator_name(join); }

std::span<const LevelBoundary> level_boundaries() { return level_table; }
std::span<const LevelBoundary> gpu_level_boundaries() { return gpu_level_table; }

std::span<const LevelBoundary> levels_of(const Measured& measured) {
  if (measured.of->gpus == 0) return level_boundaries();
  const auto all = gpu_level_boundaries();
  const bool reaches_host = measured.expected(std::string("bytes.") + all.back().boundary).lo > 0;
  return reaches_host ? all : all.first(all.size() - 1);
}

std::string common_source(std::span<const LevelTraffic> levels, std::string otherwise) {
  std::set<std::string> sources;
  for (const auto& at : levels)
    if (at.status == Status::ok) sources.insert(at.source);
  if (sources.empty()) return otherwise;
  return sources.size() == 1 ? *sources.begin() : "mixed";
}

}  // namespace plumbline
