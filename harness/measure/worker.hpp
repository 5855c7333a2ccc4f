// A rank's second witness is this same program under the emulator, started before MPI and asked, case by case, for counts.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/core_pipes.hpp"
#include "core/flows.hpp"
#include "measure/counting.hpp"
#include "measure/emulator_installation.hpp"

namespace plumbline {

/// A request to a worker says what to count with: one group of events of a backend that works under the emulator.
struct WorkerWish {
  std::string_view backend;
  const std::vector<std::string>& events;  // outlives the answer, whose readings name them
  int repetitions = 1;
  int ranks_per_l3 = 1;        // with a part of the simulated L3 only where several ranks lie on it
  std::uint64_t l3_bytes = 0;  // of the whole simulated L3; 0: as the worker was started
};

/// Owns the worker process; ends it with the object. One entry of the region a repetition: simulated counts repeat exactly.
class EmulatedWorker {
 public:
  enum class Start { now, when_asked };

  /// Starts the worker with simulated caches of this geometry; without any it counts faster, and no bytes below L1. Without a core to
  /// simulate it counts no core_cycles. The launcher's variables and descriptors do not reach it. `when_asked` starts it only before its
  /// first case, where none is expected.
  EmulatedWorker(const EmulatorInstallation& installation, std::span<const CacheLevel> caches, Start start = Start::now,
                 const std::optional<CorePipes>& core = std::nullopt);
  EmulatedWorker(EmulatedWorker&&) = delete;
  ~EmulatedWorker();

  /// Blocks until the worker has answered; its death, a refusal or no answer in `patience_seconds` is a status with the reason,
  /// and the worker is started anew for the next case.
  CountedCase count(const Case& measured, const WorkerWish& wish, double patience_seconds);

 private:
  void start();
  void stop();

  EmulatorInstallation installation_;
  std::vector<std::string> geometry_;  // of caches and core, as the tool takes them
  bool simulates_caches_, simulates_core_;
  int channel_ = -1;
  int process_ = -1;
};

/// Serves requests on descriptor `channel` until it is closed: the worker's side (hidden `worker` command). Each case runs in a child of
/// its own, forked from the same pristine image: equal requests see equal addresses, and a case that crashes takes nothing with it.
int serve_counts(int channel);

}  // namespace plumbline
