// The map of links between nodes is measured in the rounds of the other ceilings: every node in turn with its partners.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "app/stages/node_links_plan.hpp"
#include "campaign/campaign.hpp"
#include "comm/exchange.hpp"
#include "schedule/node_pairing.hpp"

namespace plumbline::app {

class NodeLinksStage {
 public:
  struct Node {
    std::string host, refusal;  // why its leader has no CPU of its own
  };

  /// Prepares the stage, collectively over the world. `place` gives a team its CPUs.
  NodeLinksStage(const Campaign& campaign, std::string session, Communicator& ranks, const std::function<TeamCpus(const Team&)>& place);

  /// The number of turns, 0 where nothing is measured.
  int turns() const { return pairing_ ? pairing_->turns() : 0; }
  /// The name of a round as this rank would keep it.
  std::string round_id(int round) const;
  /// Measures one round of all turns, in which the leaders of the nodes talk and all other ranks wait patiently; collective over the world.
  /// It does nothing where `finished` is true on every node. The leader of a node gets its unit of work, with the links that it timed.
  std::optional<Finished> measure(int round, bool finished);

 private:
  void meet_nodes(const std::function<TeamCpus(const Team&)>& place);
  void measure_link(int peer, int round, Finished& unit);
  CeilingRow described(int peer, const Exchange& what) const;
  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }

  std::string session_;
  Communicator& ranks_;
  std::optional<NodePairing> pairing_;
  std::vector<Node> nodes_;  // on leaders
  int cpu_ = -1;             // of this leader
  bool keeps_samples_ = false;
};

}  // namespace plumbline::app
