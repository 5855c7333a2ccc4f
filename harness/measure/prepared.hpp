// A case is made ready on one rank: its data, and each thread's part of the sweep.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/case.hpp"
#include "measure/arena.hpp"
#include "measure/thread_team.hpp"

namespace plumbline {

/// A step of an application's sweep, and the part of its loop that each thread does.
struct PreparedStep {
  const Step* step;  // borrowed from the workload
  std::vector<std::pair<std::size_t, std::size_t>> parts;
};

/// A case's data on one rank, and the part of them that each thread sweeps.
class Prepared {
 public:
  /// Maps memory for the case (at `address` if not 0) without touching it. Throws std::bad_alloc.
  Prepared(const Case& measured, int threads, std::uintptr_t address = 0)
      : Prepared(measured, threads, std::make_unique<Arena>(arena_size(measured), address), nullptr) {}
  /// Takes all of `arena` for the data: pages that were touched before need not be cleared again.
  Prepared(const Case& measured, int threads, Arena& arena) : Prepared(measured, threads, nullptr, &arena) {}

  /// Hands the data of `before` to another case whose arrays are as long, which finds in them what was left there.
  static std::unique_ptr<Prepared> over(std::unique_ptr<Prepared> before, const Case& measured) {
    const int threads = static_cast<int>(before->parts_.size());
    Arena* const given = before->given_;
    std::unique_ptr<Arena> own = std::move(before->arena_);
    before.reset();  // what it allocated is gone before the arena is emptied
    return std::unique_ptr<Prepared>(new Prepared(measured, threads, std::move(own), given));
  }

  /// Makes each thread from now on sweep only this share of its part, from its beginning: a smaller working set within the same data.
  void sweep_only(double share) {
    const std::size_t grain = workload_->grain();
    for (std::size_t thread = 0; thread < parts_.size(); ++thread) {
      const auto [begin, end] = parts_[thread];
      const auto grains = static_cast<std::size_t>(share * static_cast<double>(end - begin) / static_cast<double>(grain) + 0.5);
      swept_[thread] = {begin, std::min(end, begin + grains * grain)};
    }
  }

  /// Touches a part's data first, in the thread that will sweep it.
  void initialise(int thread) {
    const auto [begin, end] = part(thread);
    workload_->initialise(begin, end);
  }
  void restore(int thread) {
    if (!workload_->restores()) return;
    const auto [begin, end] = part(thread);
    workload_->restore(begin, end);
  }
  void sweep(int thread) { sweep_range(sweep_, thread); }
  /// Calls another function in the sweep's place, for the empty region.
  void sweep_range(Sweep function, int thread) {
    const auto [begin, end] = swept_[static_cast<std::size_t>(thread)];
    function(arguments_, begin, end);
  }

  /// The steps of an application, between which all threads meet (measure/sweeping.hpp); a kernel has none: its threads sweep by
  /// themselves.
  const std::vector<PreparedStep>& steps() const { return steps_; }
  bool is_application() const { return !steps_.empty(); }
  /// The number of phases that its steps are of.
  std::size_t phases() const {
    const auto* const application = dynamic_cast<const ApplicationData*>(workload_.get());
    return application == nullptr ? 0 : application->phases();
  }
  /// Does a thread's part of a step's loop, by this function.
  static void run_step(const PreparedStep& prepared, Sweep function, int thread) {
    const auto [begin, end] = prepared.parts[static_cast<std::size_t>(thread)];
    function(prepared.step->arguments, begin, end);
  }
  Sweep flavor() const { return sweep_; }

  const Workload& workload() const { return *workload_; }

  /// Makes the data those of this rank's place among its peers; before they are initialised.
  void take_place(const Peers& peers) {
    if (auto* const application = dynamic_cast<ApplicationData*>(workload_.get())) application->take_place(peers.rank(), peers.ranks());
  }

  /// The bytes that an arena needs for the case.
  static std::size_t arena_size(const Case& measured) {
    std::size_t bytes = 0;
    const Work work = measured.work();
    for (const auto& stream : work.streams) bytes += stream.footprint_bytes;
    // Room for what a workload keeps beside its streams (a copy to restore from, a reference).
    return arena_bytes(4 * bytes, 16) + (std::size_t{1} << 20);
  }

 private:
  Prepared(const Case& measured, int threads, std::unique_ptr<Arena> own, Arena* given)
      : arena_(std::move(own)),
        given_(given),
        workload_(measured.prepare((given == nullptr ? *arena_ : *given).emptied())),
        sweep_(measured.flavor.sweep),
        arguments_(workload_->arguments()) {
    parts_ = parts_of(workload_->extent(), workload_->grain(), threads);
    swept_ = parts_;
    if (const auto* const application = dynamic_cast<const ApplicationData*>(workload_.get()))
      for (const Step& step : application->steps()) steps_.push_back({&step, parts_of(step.extent, step.grain, threads)});
  }

  static std::vector<std::pair<std::size_t, std::size_t>> parts_of(std::size_t extent, std::size_t grain, int threads) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (int thread = 0; thread < threads; ++thread) parts.push_back(part_of(extent, grain, thread, threads));
    return parts;
  }

  const std::pair<std::size_t, std::size_t>& part(int thread) const { return parts_[static_cast<std::size_t>(thread)]; }

  std::unique_ptr<Arena> arena_;  // null: another's
  Arena* given_;                  // that other; else null
  std::unique_ptr<Workload> workload_;
  Sweep sweep_;
  const void* arguments_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_, swept_;  // of each thread, so that a sweep begins without a division
  std::vector<PreparedStep> steps_;
};

}  // namespace plumbline
