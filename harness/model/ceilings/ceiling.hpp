// One attainable ceiling: a rate of arithmetic, of a level of memory or of a link, with the spread of its samples and its limit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ceiling_level.hpp"
#include "core/status.hpp"
#include "model/ceilings/cache_edge.hpp"
#include "model/ceilings/form_choice.hpp"

namespace plumbline {

/// The ground on which a limit is known: the vendor's documents, or what undisturbed samples show.
enum class LimitBasis { none, vendor, inferred };

/// The word in JSON: "vendor", "inferred"; empty where there is no limit.
std::string_view to_string(LimitBasis basis);

struct Ceiling {
  std::string name = {}, precision = {};
  CeilingLevel level = {};
  std::string pattern = {};
  std::int64_t ranks = 1, threads = 1;
  std::string node = {};
  double value = absent;  // the rate to draw: the best sample; for a level of memory that of the working set with the best median
  std::string unit = {};  // GFLOP/s, GB/s
  double min = absent, median = absent, max = absent, cv = absent;
  std::size_t n = 0;
  std::string method = {};
  double traffic_gbs = absent;  // memory levels: the rate in bytes that cross the boundary towards the core, fills for stores included
  double size_bytes = absent;   // memory levels: how far the plateau reaches, by measurement; for mem the working set it was measured with
  double size_lo_bytes = absent, size_hi_bytes = absent;  // 90 % of the resamples of the sweep: how sure this one run is
  double samples_bytes =
      absent;  // working set (for messages: size) of the samples that min, median, max and n are of; NaN where there is none
  double confidence = absent;      // that there is this level, 0..1 (model/ceilings/levels.hpp)
  double topology_bytes = absent;  // what the topology says of its size; absent where it says nothing
  double power_watts = absent;     // of a GPU during the best sample, where it was a sustained one
  double sample_seconds = absent;  // how long that sample was; only sustained ones tell
  double clock_hz = absent;        // beside the best sample (model/ceilings/ceiling_limits.hpp)
  double limit = absent;           // what the team's cores could do at that clock, in `unit`
  std::string limit_source = {};
  LimitBasis limit_basis = LimitBasis::none;
  std::string limit_reason = {};  // why there is none, where more is known than that
  std::string limit_remark = {};  // why a limit twice too high may be no fault of the measurement; mostly empty
  std::string scope = {};         // what the team fills: core, NUMA domain, socket, node
  Status status = Status::ok;
  std::string reason = {};
  std::string form = {};                  // which of several loops the samples are of: "bumped v4"; empty where none was chosen among
  double contest_rate = absent;           // what that loop reached in its contest, in `unit`
  std::int32_t device = 0;                // of a GPU's: which of the node's
  std::vector<FormRate> runners_up = {};  // the others of its contest, in `unit`, the fastest first
  std::string samples_form = {};          // `form` of the samples' rows: empty for the plan's own loop
  std::vector<EdgePoint> edge = {};       // of loads from a cache: where it ends
  std::string doubt = {};                 // mem: why it may be partly a cache's; empty where nothing says so

  /// Whether measurement and topology give the level the same size, within 25 %; nullopt where one of them gives none.
  std::optional<bool> agrees_with_topology() const;
  /// The part of its limit that it reaches; NaN where none is known.
  double fraction_of_limit() const { return value / limit; }
  bool is_compute() const { return level == CeilingKind::compute; }
};

/// Above this part of its limit a ceiling cannot be right: the clock or the count of work is wrong.
inline constexpr double most_of_limit = 1.02;

/// Spread above which a run was disturbed: coefficient of variation by level ("compute", "L1", "L2", "L3", "mem").
double quiet_cv(const std::string& level);

}  // namespace plumbline
