// A campaign asks for ceilings of GPUs, and each rank of a node measures those of some of its GPUs.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "app/here/gpus.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "ert/ceiling_plan.hpp"
#include "gpu/gpu_module.hpp"
#include "machine/topology.hpp"
#include "schedule/gpu_drivers.hpp"

namespace plumbline::app {

/// Whether a campaign measures any ceilings of GPUs: it has ceilings and GPUs.
bool wants_gpu_ceilings(const Campaign& campaign);

/// The place of rounds of a GPU's ceilings, for their ids: "gpu", "gpu1", ...
std::string gpu_rounds(int device);

/// The points of a GPU of that flavor with a peer and 32 GiB, whatever is here.
std::vector<CeilingCase> ceilings_of_flavor(CeilingMode mode, const std::string& flavor);
/// All ceilings that some GPU has, each with the points of the first flavor that has it; none without the module.
std::vector<CeilingCase> ceilings_of_any_gpu(CeilingMode mode);
/// The names of the ceilings that the module could not even measure on a GPU that has all they need, as this machine lacks a library.
std::set<std::string> ceilings_of_no_gpu();
/// The estimated seconds of all rounds on one GPU, whichever takes longest; 0 where the campaign measures none or without the module.
double longest_gpu_ceilings_seconds(const Campaign& campaign, int rounds);
/// The points of one GPU that the campaign asks for; none where it measures none or without the module.
struct PlannedGpu {
  GpuProperties gpu;
  std::vector<CeilingCase> points;
};
PlannedGpu longest_gpu_ceilings(const Campaign& campaign);

/// A GPU of a node, and who measures its ceilings. It is the same on all ranks of the node but for what its driver alone knows.
struct DrivenGpu {
  int device = 0;     // 0: "GPU", 1: "GPU1", ... (core/gpu_device.hpp)
  GpuProperties gpu;  // as its driver sees it; without a driver its addresses alone
  GpuDriver driver;
  std::size_t count = 0;                         // of its points
  double alone_seconds = 0, shared_seconds = 0;  // estimated, of all rounds; the latter for its links, which neighbours wait for
  std::vector<CeilingCase> points = {};          // on its driver alone; links last
  std::size_t first_link = 0;                    // of them
};

struct DrivenGpus {
  std::vector<DrivenGpu> all;                    // by device
  int turns = 0;                                 // of a round
  std::vector<std::vector<TeamGpu>> teams = {};  // of cases: of one GPU, of two, to as many as ranks of this node can have one each
  /// The GPUs of a team's ranks; none where there are not so many.
  std::vector<TeamGpu> of_team(int ranks) const;
  std::vector<std::string> flavors() const;
  /// The estimated seconds of all rounds: in a turn GPUs are measured together, and their links one after the other.
  double seconds() const;
};

/// Notes on what keeps ceilings of a node's GPUs from being measured.
struct GpuNotes {
  struct Line {
    int device = -1;  // -1: of the whole node
    std::string text;
  };
  std::string node;
  std::size_t gpus = 0;  // that it has
  std::vector<Line> lines;
};

/// Finds out who drives which GPU; collective over the ranks of a node. `mine`: what this rank sees. The points are planned by plan_points.
DrivenGpus meet_gpus(const NodeGpus& mine, const std::vector<std::vector<int>>& allowed, const Topology& node, Group& local);

/// Lets each driver plan the points that the campaign asks for, for so many rounds; collective over the ranks of a node.
GpuNotes plan_points(const Campaign& campaign, int rounds, const NodeGpus& mine, const std::string& host, Group& local, DrivenGpus& gpus);

/// Gathers on rank 0 what all nodes note, each thing once, and by whom where not all do; collective over all ranks.
std::vector<std::string> gather_notes(const GpuNotes& of_node, Group& leaders);
std::vector<std::string> in_lines(const std::vector<GpuNotes>& nodes);

}  // namespace plumbline::app
