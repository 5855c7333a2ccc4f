// A process works on one GPU at a time, and remembers what became of others: one context is current in a thread, and a broken one stays
// broken.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "counters/backend/backend.hpp"
#include "gpu/gpu_module.hpp"
#include "machine/nvml.hpp"

namespace plumbline::app {

class GpuInUse {
 public:
  GpuInUse();
  ~GpuInUse();

  /// Opens that GPU, which stays in use by this thread until another one is asked for; nothing counts beside its work any more. Throws
  /// Error (io), with the GPU's address, where the driver refuses it.
  Gpu& use(const GpuProperties& gpu);
  /// Does the same for work that is counted: what counted on this GPU before goes on holding what it holds.
  Gpu& use_to_count(const GpuProperties& gpu);
  /// Remembers who counts on the GPU in use. It must live as long as this is used.
  void is_counted_by(Backend& backend);
  /// Says which earlier work broke that GPU for this process, and how. Empty: it can be used.
  std::string why_lost(const GpuProperties& gpu) const;
  /// Finds out, after a failure of `work` ("case ID"), whether the GPU in use still does any work.
  void look_for_loss(const std::string& work, const std::string& reason);

  /// The facts that name it in a result: ordinal, PCI address, name, UUID, and for a MIG part the UUID of the GPU that it is `part_of`
  /// (null beside its reason where nobody tells).
  nlohmann::json facts(const GpuProperties& gpu);
  const Nvml& nvml();

 private:
  void end_counting();

  std::set<MultiPass*> counting_;
  std::unique_ptr<Gpu> gpu_;         // from its first use on
  std::map<int, std::string> lost_;  // by the GPU's ordinal: what broke it
  std::unique_ptr<Nvml> nvml_;       // likewise
};

}  // namespace plumbline::app
