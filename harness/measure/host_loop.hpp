// The steps that a kernel for GPUs leaves to the host are done by a loop of the kernel for CPUs that it names, by all threads of the rank
// that drives the GPU.
#pragma once
#include <optional>
#include <string_view>

#include "core/flavor.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

struct Case;
struct Step;

/// The flavor, in the case's precision, of the kernel that does its host's steps: the one that this CPU runs with the widest vectors, at
/// the highest level of optimization; of several the first. None where the kernel leaves nothing to the host. Throws UnavailableHere where
/// nothing here can do it.
std::optional<Flavor> host_loop(const Case& measured);

/// The host's side of a case on a GPU: its loop, and the threads that divide each step of it.
class HostSide {
 public:
  /// Throws what host_loop() does. The threads outlive this object.
  HostSide(const Case& measured, const ThreadTeam& threads) : loop_(host_loop(measured)), threads_(threads) {}

  /// The flavor that does the host's steps; empty where there are none.
  std::string_view flavor() const { return loop_ ? loop_->name : std::string_view(); }
  /// Does a step whose loop is the host's: each thread its part, as of a CPU's case. The calling thread is the first, and returns when all
  /// have done theirs.
  void run(const Step& step) const;

 private:
  std::optional<Flavor> loop_;
  const ThreadTeam& threads_;
};

}  // namespace plumbline
