// One case is timed on a GPU by the same warm-up, check, calibration and stopping rule as on CPUs (measure/timing.hpp), with the device's
// own events for a watch.
#pragma once
#include <memory>
#include <vector>

#include "core/application.hpp"
#include "core/case.hpp"
#include "gpu/device_peers.hpp"
#include "gpu/gpu_module.hpp"
#include "gpu/kept_failure.hpp"
#include "measure/host_loop.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"
#include "measure/timing.hpp"

namespace plumbline {

/// A case's data in a GPU's memory, and its sweeps. All calls come from the thread that opened the GPU; they throw Error (io) where the
/// device failed, std::bad_alloc where the data do not fit. Ranks that work on a case together have a GPU each, and sweep at the same time:
/// what sweeps, and what times, is collective over them.
class PreparedOnGpu {
 public:
  /// Allocates and initialises the data of this rank. `gpu`, `team` and `threads`, which do what is left to the host, outlive this object;
  /// the first of them drives the GPU.
  PreparedOnGpu(const Case& measured, Gpu& gpu, Synchronization& team = alone(), const ThreadTeam& threads = one_thread());

  /// Makes each sweep from now on cover only this share of the whole, from its beginning: a smaller working set within the same data.
  void sweep_only(double share);
  /// Empties the GPU's L2 before each sweep from now on that measure() times, and at begin_cold() for those that are counted.
  void sweep_cold() { is_cold_ = true; }
  /// Queues what empties L2, where sweeps are to be cold. It is kept for wait() where it fails.
  void begin_cold();
  /// Queues one sweep, of an application all its steps, and does not wait for it. What goes wrong is kept for wait(): whatever happens on
  /// one rank, it exchanges all that the others wait for.
  void sweep();
  /// Queues one sweep of an application, and calls before(step) and after(step) around each.
  template <class Before, class After>
  void sweep_by_steps(Before before, After after) {
    for (const Step& step : application_->steps()) {
      failure_.attempt([&] { before(step); });
      run(step);
      failure_.attempt([&] { after(step); });
    }
  }
  bool is_application() const { return application_ != nullptr; }
  /// The phases of an application; 0 of a kernel of one loop.
  std::size_t phases() const;
  /// The flavor that does the steps which stay on the host; empty where none do.
  std::string_view host_flavor() const { return host_.flavor(); }
  /// Whether the GPU's counters see a step's work.
  static bool is_counted(const Step& step) { return step.is_loop() && !step.on_host; }
  /// The loops on the device that a sweep enters: of a phase, or of all; 1 of a kernel of one loop.
  std::size_t entries_of(std::size_t phase) const;
  std::size_t entries() const;
  /// Waits for what is queued. Throws what failed first since the last call.
  void wait();
  /// Undoes what the sweeps changed, where the workload restores; waits.
  void restore();
  /// Waits for what is queued and holds the result of the whole range's sweep against the reference: Status::wrong_result and its reason.
  void check(Timed& timed);
  /// Checks the result again once the repetitions are made; outside all times.
  void look_after_timing(Timed& timed);
  /// Times so many sweeps, restored in between where the workload restores, outside the timed spans: the seconds of one, and the clock
  /// over all of them and what restores (right behind them, where the span is too short or the GPU tells none); of a team the seconds of
  /// the rank that took longest, and the mean clock. Where one rank fails, all throw. The phases of an application are timed by marks
  /// between steps in a few sweeps more, which therefore take longer than the timed ones where steps are short.
  Repetition measure(std::uint64_t sweeps);
  /// The number of sweeps that last `min_seconds`, on a GPU that has been busy for `warm_up_seconds`, so that its clock has risen.
  std::uint64_t calibrate(double min_seconds, double warm_up_seconds);

  Gpu& gpu() { return gpu_; }
  Synchronization& team() { return team_; }
  const Workload& workload() const { return *workload_; }

 private:
  double seconds_of(std::uint64_t sweeps);
  std::vector<PhaseTime> time_phases(std::uint64_t sweeps);
  void run(const Step& step);

  Gpu& gpu_;
  Synchronization& team_;
  DevicePeers peers_;
  std::string_view flavor_;
  std::unique_ptr<Workload> workload_;
  ApplicationData* application_;  // the same; null of a kernel of one loop
  Sweep sweep_;
  HostSide host_;
  const void* arguments_;
  std::size_t end_;
  bool is_cold_ = false;
  KeptFailure failure_;
};

/// Prepares the data, sweeps once, checks the result if `check`, and puts the data back. Gives null where this failed on a rank of the
/// team: `timed` says why. Never throws; collective. Too little memory is told with what the case needs and what is free. The launches of
/// that sweep are written down in `launches`, where that is not null.
std::unique_ptr<PreparedOnGpu> prepare_on_gpu(const Case& measured, bool check, Gpu& gpu, Timed& timed, Synchronization& team = alone(),
                                              const ThreadTeam& threads = one_thread(), std::vector<KernelLaunch>* launches = nullptr);

/// Times `measured`, whose kernel is for GPUs. A Repetition then has only the seconds and the clock (of the multiprocessors); what disturbs
/// a CPU's threads (sentinel, CPU shares, stolen time, involuntary_switches) does not apply: absent, and 0. Collective over the team, of
/// which each rank has a GPU of its own, and `threads` for what is left to the host.
Timed time_on_gpu(const Case& measured, const TimingProtocol& protocol, Gpu& gpu, Synchronization& team = alone(),
                  const ThreadTeam& threads = one_thread());

}  // namespace plumbline
