// Latency and bandwidth of messages between ranks, inside the nodes and between them, are measured in the rounds of the other ceilings.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "app/stages/mpi_ceilings_plan.hpp"
#include "campaign/campaign.hpp"
#include "comm/exchange.hpp"
#include "schedule/rank_pairs.hpp"

namespace plumbline::app {

class MpiCeilingsStage {
 public:
  struct Rank {  // of the world
    int node = 0, local = 0;
    std::string host;
    int cpu = -1;         // what it is bound to while it measures; -1: not bound
    std::string refusal;  // why not
  };

  /// Prepares the stage, collectively over the world. `place` gives a team its CPUs.
  MpiCeilingsStage(const Campaign& campaign, std::string session, Communicator& ranks, const std::function<TeamCpus(const Team&)>& place);

  /// The name of a round as this rank would keep it.
  std::string round_id(int round) const;
  /// Measures one round of all pairs in turns; collective over the world. Ranks outside a turn's pairs wait patiently. It does nothing
  /// where `finished` (this node has the round) is true on every node that keeps samples. The leader of such a node gets its unit of work.
  std::optional<Finished> measure(int round, bool finished);

 private:
  void meet_ranks(const std::function<TeamCpus(const Team&)>& place);
  /// Says why two ranks of a node cannot be measured; empty when they can.
  static std::string problem_between(const Rank& one, const Rank& other);
  void measure_pair(const RankPair& pair, int round, Finished& unit);
  CeilingRow described(const RankPair& pair, const Exchange& what) const;
  const Rank& rank(int number) const { return all_[static_cast<std::size_t>(number)]; }

  const Campaign& campaign_;
  std::string session_;
  Communicator& ranks_;
  std::vector<Exchange> exchanges_;
  std::vector<Rank> all_;  // by world rank
  std::vector<RankPair> pairs_;
  bool keeps_samples_ = false;
};

}  // namespace plumbline::app
