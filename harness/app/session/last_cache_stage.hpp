// The size of a node's last cache is settled after the ceilings, before the first case, and kept with the results.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "app/session/run_record.hpp"
#include "app/session/run_session.hpp"
#include "app/stages/case_runner.hpp"
#include "comm/communicator.hpp"
#include "model/ceilings/last_cache.hpp"

namespace plumbline::app {

/// The rule that the campaign gives; nullopt where it names the caches of another machine.
std::optional<LastCacheRule> last_cache_rule(const Campaign& campaign);

/// The choice as JSON:
/// {"name","bytes","lo_bytes","hi_bytes","topology_bytes","found_bytes","found_lo_bytes","found_hi_bytes","confidence","measured","reason"};
/// null: not found.
nlohmann::json to_json(const LastCache& last);
LastCache last_cache_from(const nlohmann::json& told);

/// The choice in one line for the output.
std::string line_of(const LastCache& last);

class LastCacheStage {
 public:
  /// Makes the stage; `place` gives a team its CPUs.
  LastCacheStage(const RunInput& input, std::string session, Communicator& ranks, std::function<TeamCpus(const Team&)> place)
      : input_(input), session_(std::move(session)), ranks_(ranks), place_(std::move(place)) {}

  /// Settles the choice; collective over all ranks. It is the same on those of a node, and on like nodes, whose models are one. What an
  /// earlier session chose stays. Else it comes from the sweeps of one core in the node's `ceilings` (its leader's, of all sessions);
  /// without them under "measured" from a finder of about a second, else from the topology.
  LastCache settle(LastCacheRule rule, const RunRecord& record, std::span<const CeilingRow> ceilings);
  /// The unit for the journal, by a leader; nullopt where an earlier session's choice stays, and where nobody looked: then it is the
  /// topology's.
  std::optional<Finished> unit() const { return unit_; }

 private:
  LastCache choose(LastCacheRule rule, const RunRecord& record, std::span<const CeilingRow> ceilings,
                   std::span<const CeilingRow> sought) const;
  std::vector<CeilingRow> seek();
  LastCache agreed(LastCache own, bool is_kept);

  const RunInput& input_;
  std::string session_;
  Communicator& ranks_;
  std::function<TeamCpus(const Team&)> place_;
  std::optional<Finished> unit_;
};

}  // namespace plumbline::app
