// Points of ceilings are measured by themselves, each under its name: what a ceiling looks like again when nothing else is measured.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/gpu_in_use.hpp"
#include "app/stages/remeasuring_estimate.hpp"
#include "comm/communicator.hpp"
#include "core/records.hpp"
#include "ert/ceiling_plan.hpp"

namespace plumbline::app {

/// Measures points of a rank's node: of its CPUs, by the ranks of a point's team; of a GPU, by the rank that drives it, while no other GPU
/// of the node is measured.
class CeilingPoints {
 public:
  /// `of_cpus` and `of_gpus`, `place`, which gives a team its CPUs, `ranks` and `in_use` outlive it.
  CeilingPoints(const std::vector<CeilingCase>& of_cpus, const DrivenGpus& of_gpus, const std::function<TeamCpus(const Team&)>& place,
                Communicator& ranks, GpuInUse& in_use, std::string session);

  /// The estimated seconds of one turn; 0 where this rank does not know that point, as those of GPUs that others drive.
  double turn_seconds(const std::string& name) const;
  /// Measures a point; collective over the ranks of the node. The leader gets the point as the times of a case that has its name; nothing
  /// where none of them has it.
  std::optional<Finished> measure(const std::string& name);

 private:
  struct OfGpu {
    const DrivenGpu* gpu;
    std::size_t point;  // of its points
  };

  std::optional<Finished> measure_on_cpus(const std::string& name, const CeilingCase& point);
  std::optional<Finished> measure_on_gpu(const std::string& name);
  Finished measured_on(const DrivenGpu& gpu, std::size_t point);
  /// The point as one unit: the times that its samples are the rates of.
  Finished as_times(const std::string& name, const CeilingCase& point, const Finished& sampled) const;

  const std::function<TeamCpus(const Team&)>& place_;
  Communicator& ranks_;
  GpuInUse& in_use_;
  std::string session_;
  std::map<std::string, const CeilingCase*> of_cpus_;
  std::map<std::string, OfGpu> of_gpus_;  // of those that this rank drives
};

}  // namespace plumbline::app
