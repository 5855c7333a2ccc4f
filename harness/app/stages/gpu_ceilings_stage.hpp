// The ceilings of a node's GPUs are measured in the rounds of the other ceilings: each by one rank that sees it, all at once as far as
// ranks and CPUs reach; only links, of which neighbours share parts, by one GPU after the other.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "app/stages/gpu_points.hpp"
#include "comm/communicator.hpp"

namespace plumbline::app {

/// Gathers on the node's leader the units of those ranks that have one; collective over the ranks of a node. Throws Error (io).
std::vector<Finished> gather_units(const std::optional<Finished>& mine, Group& local);

class GpuCeilingsStage {
 public:
  /// Makes the stage. `gpus`, with the points of those that this rank drives, `ranks` and `in_use` outlive it.
  GpuCeilingsStage(const DrivenGpus& gpus, std::string session, Communicator& ranks, GpuInUse& in_use, const GpuPointsWatch& watch = {});

  /// A GPU whose round is to be measured: by a rank of the node, under an id.
  struct ToDo {
    const DrivenGpu* gpu = nullptr;
    std::string round_id;
  };
  /// The parts of a round that are not finished, by device: collective over the ranks of the node, and the same on all of them.
  std::vector<ToDo> to_do(int round, const std::function<bool(const std::string& round_id)>& is_finished);
  /// Measures those parts of a round that are of one turn; collective over the ranks of the node. The leader gets the finished units.
  std::vector<Finished> measure(int round, const std::vector<ToDo>& of_turn);

 private:
  const DrivenGpus& gpus_;
  Communicator& ranks_;
  std::map<int, GpuPoints> mine_;  // by device
};

}  // namespace plumbline::app
