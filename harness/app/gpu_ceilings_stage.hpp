// The ceilings of a node's GPU, in the rounds of the other ceilings: measured by the node's first rank, from a CPU beside the GPU.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/case_runner.hpp"
#include "campaign/campaign.hpp"
#include "ert/ceiling_plan.hpp"

namespace plumbline {
class PreparedOnGpu;
}

namespace plumbline::app {

/// Where rounds of GPUs' ceilings are measured, for their ids.
inline constexpr const char* gpu_rounds = "gpu";

/// Whether a campaign measures any: one with ceilings and with GPUs.
bool wants_gpu_ceilings(const Campaign& campaign);

/// The points of one GPU that the campaign asks for.
std::vector<CeilingCase> gpu_ceilings_of(const CeilingsWish& wish, const GpuProperties& gpu);

/// What of it this GPU cannot be asked: "GPU tensor FP8 cuBLAS, GPU FP32 cuBLAS: cuBLAS cannot be opened: ...", a line a reason.
std::vector<std::string> lacking_gpu_ceilings(const CeilingsWish& wish, const GpuProperties& gpu);

/// The points of a GPU of that flavor with a peer and 32 GiB, whatever is here.
std::vector<CeilingCase> ceilings_of_flavor(CeilingMode mode, const std::string& flavor);
/// All ceilings that some GPU has, each with the points of the first flavor that has it; none without the module.
std::vector<CeilingCase> ceilings_of_any_gpu(CeilingMode mode);
/// And the names of those that the module could not even measure on a GPU that has all they need, as this machine lacks a library.
std::set<std::string> ceilings_of_no_gpu();

/// Keeps between the rounds how many sweeps a sample takes and which results were right; the data are made anew in each.
class GpuCeilingsStage {
 public:
  /// `plan` outlives the stage. Where it is not empty `place` names its GPU.
  GpuCeilingsStage(const std::vector<CeilingCase>& plan, TeamCpus place, std::string session, const std::string& host, GpuInUse& gpus);

  /// Name of a round as a unit of work.
  std::string round_id(int round) const;
  /// One round over the plan, by this rank alone. A point that fails says so in its row; after a fault that the GPU does not survive the
  /// rest is skipped.
  Finished measure(int round);

 private:
  CeilingRow described_here(const CeilingCase& ceiling, int round) const;
  void measure_all(std::vector<CeilingRow>& rows);
  std::unique_ptr<PreparedOnGpu> prepared(const CeilingCase& ceiling, CeilingRow& row);
  void sample(std::size_t point, PreparedOnGpu& data, double warm_up, CeilingRow& row);
  static void refuse(CeilingRow& row, Status status, const std::string& reason);
  void fail(CeilingRow& row, const std::string& reason);

  const std::vector<CeilingCase>& plan_;
  TeamCpus place_;
  std::string session_, host_;
  GpuInUse& gpus_;
  std::vector<std::uint64_t> sweeps_;  // of each point's sample; 0: not calibrated yet
  std::set<std::string> checked_;      // case ids
};

}  // namespace plumbline::app
