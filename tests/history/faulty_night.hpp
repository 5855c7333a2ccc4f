// A simulated night as a result file has it, with a fault written into its rows: what `check` and `nodes` read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "simulated_nights.hpp"

namespace plumbline::test {

/// A case, or a ceiling of arithmetic, such as `quick` measures.
struct RowName {
  std::string what = {};  // as `check` names it
  std::string name = {};  // of a ceiling; empty of a case
  std::string precision = {};
  std::int64_t ranks = 1, threads = 1;

  bool is_ceiling() const { return !name.empty(); }
  bool has(const std::string& word) const;  // one of those between slashes, or between slashes and dashes
};

/// 16 works with 8 flavors and teams each, and 28 ceilings.
const std::vector<RowName>& quick_rows();

/// The fault that befell a row in a night.
struct Befallen {
  double slowdown = 1;     // the node's own: times as long
  double cpu_share = 1;    // what others left of the CPU; it takes the inverse times as long
  double steal = 0;        // the part that a hypervisor took, likewise
  double clock = 1;        // beside the usual one; what that does to the time is in `slowdown`
  double scatter = 0.005;  // of repetitions
  bool is_missing = false;
  std::string flavor = {};  // that it has instead of its own
};

/// The costs of `night` on `node`, what befell them beside it. Day 0 is 2026-01-01.
Results measured(const std::vector<simulated::Machine::Row>& night, const simulated::Host& host, const std::vector<Befallen>& befallen,
                 const std::string& node, int day, std::uint64_t seed);

}  // namespace plumbline::test
