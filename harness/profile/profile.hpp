// The counts of a whole run are the reports of all its processes, summed in total, by rank, region and function.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "profile/tool_report.hpp"

namespace plumbline {

// --------------------------------------------------------------------------------------------- what the sums say

/// The FLOPs of one precision ("fp64", "fp32", "x87"), an fma weighing 2. nullopt: unknown.
std::optional<double> flops(const EventSums& sums, const std::string& precision);
/// The precisions that the events tell apart, in the order of their names.
std::vector<std::string> precisions(const EventSums& sums);
/// The FLOPs of all precisions. nullopt: unknown.
std::optional<double> flops(const EventSums& sums);

/// A memory level and the boundary towards the core, whose traffic its arithmetic intensity uses.
struct Level {
  const char *name, *boundary;  // "L2", "L1-L2"
};
inline constexpr Level levels[] = {{"L1", "reg-L1"}, {"L2", "L1-L2"}, {"L3", "L2-L3"}, {"mem", "L3-mem"}};

/// The bytes of all flows across a boundary. nullopt: not simulated.
std::optional<double> bytes(const EventSums& sums, const std::string& boundary);
/// The FLOPs per byte that crossed a boundary; nullopt where either is unknown or no byte crossed.
std::optional<double> arithmetic_intensity(const EventSums& sums, const std::string& boundary);
/// The sum of one event; nullopt: unknown.
std::optional<double> event(const EventSums& sums, std::string_view name);

// ---------------------------------------------------------------------------------------------------- the sums themselves

/// A process of a rank, or what it was before it executed another program.
struct ProcessCounts {
  int rank = 0;
  ToolReport report;
};

struct RankCounts {
  int rank = 0;
  int processes = 0, threads = 0;
  EventSums counts;
};

struct RegionCountsByName {
  std::string name;
  int ranks = 0, processes = 0, threads = 0;  // that entered it
  std::uint64_t entries = 0;
  bool open = false;
  EventSums counts;
  std::optional<ReuseDistances> reuse = {};  // where they were counted
};

struct FunctionCounts {
  std::string name, object;
  std::uint64_t begin = 0;  // as in FunctionReport
  EventSums counts;
  std::vector<CodePiece> pieces = {};  // by begin
  std::optional<ReuseDistances> reuse = {};
};

struct Profile {
  int processes = 0, threads = 0;
  EventSums total;
  std::optional<ReuseDistances> reuse = {};  // of all threads
  std::vector<RankCounts> ranks;             // by rank
  std::vector<RegionCountsByName> regions;   // in the order first seen
  std::vector<FunctionCounts> functions;     // by name, object and begin
};

Profile merge(const std::vector<ProcessCounts>& processes);

/// Multiplies all counts by a factor: those of a smaller input stand for those of a larger one.
void scale(std::vector<ProcessCounts>& processes, double factor);

/// Adds distances where there are any.
void add(std::optional<ReuseDistances>& to, const std::optional<ReuseDistances>& more);

/// Adds the pieces of a function's code to those of the same that are there, by begin.
void add(std::vector<CodePiece>& to, const std::vector<CodePiece>& more);

/// The indices of the `most` functions with the largest value of `measure`, largest first; those without any are left out.
template <class Measure>
std::vector<std::size_t> largest(const std::vector<FunctionCounts>& functions, std::size_t most, Measure measure);

}  // namespace plumbline

#include <algorithm>

template <class Measure>
std::vector<std::size_t> plumbline::largest(const std::vector<FunctionCounts>& functions, std::size_t most, Measure measure) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (measure(functions[i].counts).value_or(0) > 0) all.push_back(i);
  std::stable_sort(all.begin(), all.end(),
                   [&](std::size_t a, std::size_t b) { return *measure(functions[a].counts) > *measure(functions[b].counts); });
  all.resize(std::min(all.size(), most));
  return all;
}
