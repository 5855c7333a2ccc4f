// The ceilings of a node are measured in rounds that go through all of them in turn: drift hits all alike.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "app/stages/ceilings_estimate.hpp"
#include "campaign/campaign.hpp"
#include "ert/ceiling_plan.hpp"
#include "ert/form_contests.hpp"
#include "machine/topology.hpp"

namespace plumbline::app {

/// The point of a sample, for the name of its round: what is measured by which team.
std::string ceiling_point(const CeilingRow& row);
/// The name of a GPU's point as a unit of work by itself, of one that hung: "ceilings/gpu/GPU FP64 FMA/fp64/compute/r1t1".
std::string gpu_point(const CeilingRow& row);
/// The name of one round as a unit of work: "ceilings/node/16 hexadecimal digits/round=0"; the digits stand for its points in any order, so
/// that a round of other ceilings is another. `where`: "node", "gpu", "mpi" or "link", "form".
std::string ceiling_round_id(std::string_view where, std::vector<std::string> points, int round);
/// The outcome of a round that begins now on this node.
OutcomeRow round_outcome(std::string round_id, const std::string& node, const std::string& session);

/// The row of a ceiling before anything is measured.
CeilingRow described(const CeilingCase& ceiling);
/// Takes rate, clock and disturbances of the repetition that stands for a sample.
void take_sample(CeilingRow& row, const CeilingCase& ceiling, const Repetition& best);
/// Whether the loop is right on a little data (small_case()); the row tells where it is not. Every rank of the team calls it.
bool check_small(const CeilingCase& ceiling, const ThreadTeam& threads, Synchronization& team, CeilingRow& row);
/// The time that a sample is the rate of.
double seconds_per_sweep(const CeilingRow& row, const CeilingCase& ceiling);

/// A node's last-level caches as its topology tells them.
LastCaches last_caches_of(const Topology& topology);

/// Keeps what is small between the rounds: its data, its checked result, and how many sweeps a sample takes.
class CeilingsStage {
 public:
  /// Makes the stage; `place` gives a team its CPUs.
  CeilingsStage(const std::vector<CeilingCase>& plan, std::string session, Communicator& ranks, std::function<TeamCpus(const Team&)> place);
  ~CeilingsStage();

  /// The name of a round as it would be measured on this node.
  std::string round_id(int round) const;
  /// Measures one round over the plan on this node: collective over its ranks. The leader gets the finished unit.
  std::optional<Finished> measure(int round);

 private:
  struct Point;

  void sample(Point& point, CeilingRow& row, const ThreadTeam& threads, Synchronization& team, bool in_one_domain);
  Arena* arena_for(const CeilingCase& ceiling, bool in_one_domain);
  static void hand_on(Point& from, Point& to);
  static void release(Point& point);
  void measure_team(std::size_t first, std::size_t last, int round, Finished& unit);

  std::string session_;
  Communicator& ranks_;
  std::function<TeamCpus(const Team&)> place_;
  std::unique_ptr<Arena> arena_;  // of large data, one after the other
  std::vector<Point> points_;
};

}  // namespace plumbline::app
