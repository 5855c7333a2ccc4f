// The size of a node's last cache is settled after the ceilings, before the first case, and kept with the results.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "app/stages/case_runner.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "model/ceilings/last_cache.hpp"

namespace plumbline {

/// JSON with the keys name, bytes, lo_bytes, hi_bytes, topology_bytes, found_bytes, found_lo_bytes, found_hi_bytes, confidence, measured
/// and reason; null: not found.
void to_json(nlohmann::json& told, const LastCache& last);
void from_json(const nlohmann::json& told, LastCache& last);

}  // namespace plumbline

namespace plumbline::app {

/// The rule that the campaign gives; nullopt where it names the caches of another machine.
std::optional<LastCacheRule> last_cache_rule(const Campaign& campaign);

/// One line for the output.
std::string line_of(const LastCache& last);

/// The legacy of earlier sessions to a node.
struct EarlierLastCache {
  std::optional<std::string> choice;  // JSON of a LastCache
  bool was_counted = false;           // by models and caches as the choice has them, or as the topology tells
};

class LastCacheStage {
 public:
  /// `caches`: of one thread of this node, as the topology tells them; they outlive it. `place` gives a team its CPUs.
  LastCacheStage(std::span<const CacheLevel> caches, std::string session, Communicator& ranks, std::function<TeamCpus(const Team&)> place)
      : caches_(caches), session_(std::move(session)), ranks_(ranks), place_(std::move(place)) {}

  /// Settles it, collectively over all ranks; the same on a node's ranks, and on like nodes, whose models are one. An earlier session's
  /// choice stays. Else it comes from the sweeps of one core in the node's `ceilings` (its leader's, of all sessions); without them, under
  /// "measured", from a finder of about a second, else from the topology.
  LastCache settle(LastCacheRule rule, const EarlierLastCache& earlier, std::span<const CeilingRow> ceilings);
  /// The journal's unit, of a leader; nullopt where an earlier session's choice stays, and where nobody looked: then it is the topology's.
  std::optional<Finished> unit() const { return unit_; }

 private:
  LastCache choose(LastCacheRule rule, bool was_counted, std::span<const CeilingRow> ceilings, std::span<const CeilingRow> sought) const;
  std::vector<CeilingRow> seek();
  LastCache agreed(LastCache own, bool is_kept);

  std::span<const CacheLevel> caches_;
  std::string session_;
  Communicator& ranks_;
  std::function<TeamCpus(const Team&)> place_;
  std::optional<Finished> unit_;
};

}  // namespace plumbline::app
