// A campaign is read as its author wrote it: TOML in, a plain struct out (jobs/campaigns/README.md describes every key).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/location.hpp"
#include "core/case.hpp"
#include "core/parameters.hpp"

namespace plumbline {

enum class Placement { every_node, distribute };
enum class CeilingsMode { none, quick, full };
std::string_view to_string(Placement placement);
std::string_view to_string(CeilingsMode mode);

/// The author's wishes for the map of links between nodes.
struct LinkMapWish {
  bool wanted = false;
  std::optional<int> partners = {};  // of each node; nullopt: all up to 64 nodes, 8 beyond (schedule/node_pairing.hpp)
};

/// The ceilings of a node that are to be measured, and how often.
struct CeilingsWish {
  CeilingsMode mode = CeilingsMode::none;
  std::vector<Written<std::string>> only = {};  // globs on their names ("FP64 *", "load"); empty: all of the mode
  std::optional<int> rounds = {};               // nullopt: what the mode has
  LinkMapWish node_pairs = {};                  // whatever the mode
  std::optional<bool> gpus = {};                // of the GPUs too; nullopt: where a team of the campaign is one
};

/// The caches that the emulated counters simulate.
struct EmulatedWish {
  Written<std::string> caches = {"auto",
                                 {}};  // "topology", "measured", "none", or another machine's: the name of a geometry of ours, or a file

  /// Whether the caches are this machine's, in one way or another, or none.
  bool is_of_this_machine() const {
    return caches.value == "auto" || caches.value == "topology" || caches.value == "measured" || caches.value == "none";
  }
};

/// The limits at which the timing of a case ends.
struct Timing {
  double min_seconds = 0.02;  // of one repetition
  double ci_relative = 0.02;  // half-width of the median's confidence interval, relative to it
  int max_repetitions = 50;
  bool cold_l2 = false;  // each sweep on a GPU, timed or counted, begins with an L2 that holds nothing of its data
};

inline constexpr int most_count_repetitions = 1000;

/// The way in which a case is counted.
struct Counting {
  std::optional<int> repetitions = {};  // of each group of events whose counts do not repeat exactly; nullopt: those of the space

  /// The repetitions of such a group. On a GPU each takes as many sweeps as the group has passes, and so it has fewer.
  int repetitions_on(Space space) const { return repetitions.value_or(space == Space::cuda ? 3 : 5); }
};

/// The time that a pass of a case may take before the job is ended, because something hangs.
struct Deadline {
  double factor = 5;          // of the estimate
  double floor_seconds = 60;  // at least
};

/// The author's wishes for the record of what is finished.
struct JournalWish {
  double sync_seconds = 0;  // a node's disk is told to keep what was written once in so many seconds at most; 0: after each unit of work
};

/// The way in which the nodes of a run go about it together.
struct NodesWish {
  bool turns = false;     // one node measures at a time: nodes that share power, cooling or a machine do not disturb each other
  bool remeasure = true;  // outliers among like nodes are measured again before one is named
};

/// A team as written; nullopt is "all": all ranks of a node, all cores a rank can have, all GPUs that ranks of a node can have one each.
struct TeamSpec {
  std::optional<int> ranks = 1, threads = 1;
  std::optional<int> gpus = 0;  // each with the rank that drives it, of so many threads; 0: the team is of CPUs
  bool on_gpus() const { return gpus != 0; }
};

/// A [[cases]] table: the product of its lists.
struct CaseSpec {
  Location at;
  Written<std::string> kernel;                   // name or glob
  std::vector<Written<std::string>> precisions;  // empty: every one the kernel has
  std::vector<Written<std::string>> flavors;     // names or globs
  std::vector<Written<TeamSpec>> teams;
  std::vector<std::pair<Written<std::string>, std::vector<Written<Value>>>> parameters;  // ranges expanded; in order of their names
  std::vector<Written<std::string>> exclude;                                             // globs on case ids
};

struct Campaign {
  std::string path, text;  // the file and its content
  std::string name;
  std::uint64_t seed = 1;
  bool in_written_order = false;   // of cases; else random by the seed
  bool time = true, count = true;  // passes
  std::string counters = "auto";
  Placement placement = Placement::every_node;
  bool oversubscribe = false;
  bool skips_beyond_memory = false;      // a case whose arrays do not fit; else it is refused
  std::optional<double> budget_seconds;  // nullopt: no limit
  Timing timing;
  Counting counting;
  Deadline deadline;
  JournalWish journal;
  NodesWish nodes;
  CeilingsWish ceilings;
  EmulatedWish emulated;
  std::vector<CaseSpec> cases;
};

/// Whether the campaign has a team on a GPU, or wants ceilings of GPUs.
bool wants_gpus(const Campaign& campaign);
/// Whether cases of the campaign may have this rank of a node drive a GPU.
bool drives_gpu(const Campaign& campaign, int rank);

/// Reads a campaign's text. Throws Error (user) naming file, line, column, key, why, and what is allowed.
Campaign parse_campaign(std::string text, const std::string& path);
/// Reads a campaign's file; a missing or unreadable one is an Error (user) too.
Campaign read_campaign(const std::string& path);

}  // namespace plumbline
