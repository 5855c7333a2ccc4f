#include "app/session/form_agreement.hpp"

#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/session/forms_json.hpp"
#include "comm/told.hpp"

namespace plumbline::app {
namespace {

/// The contests of a node as its leader tells them to the leader of all.
struct NodeContests {
  std::string node, kind;
  std::vector<FormContest> contests;  // of this session
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeContests, node, kind, contests)

/// The choices of all kinds of nodes that are here, on rank 0.
std::vector<ChosenForm> choices_of(const std::vector<NodeContests>& nodes, const EarlierSessions& earlier) {
  std::map<std::string, std::string> kinds = earlier.kinds;
  std::set<std::string> present;
  std::vector<FormContest> contests = earlier.contests;
  for (const auto& node : nodes) {
    kinds[node.node] = node.kind;
    present.insert(node.kind);
    contests.insert(contests.end(), node.contests.begin(), node.contests.end());
  }
  auto chosen = agreed_forms(contests, kinds);
  std::erase_if(chosen, [&](const ChosenForm& one) { return !present.contains(one.node); });
  return chosen;
}

}  // namespace

std::vector<ChosenForm> agree_on_forms(std::span<const CeilingRow> measured, const std::string& kind, const EarlierSessions& earlier,
                                       Communicator& ranks) {
  Group& leaders = ranks.leaders();
  if (!leaders.member()) return {};
  const auto nodes = gather(leaders, NodeContests{ranks.host(), kind, contests_of(measured)});
  auto chosen = broadcast(leaders, leaders.rank() == 0 ? choices_of(nodes, earlier) : std::vector<ChosenForm>());
  std::erase_if(chosen, [&](const ChosenForm& one) { return one.node != kind; });
  return chosen;
}

}  // namespace plumbline::app
