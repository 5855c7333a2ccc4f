// The ranks and threads of a team meet while it measures: over MPI, with threads bound to their CPUs.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_addresses.hpp"
#include "machine/binding.hpp"
#include "measure/failed_at.hpp"
#include "measure/synchronization.hpp"
#include "measure/thread_team.hpp"

namespace plumbline::app {

/// The ranks of a team, as measuring sees them.
class TeamMeeting final : public Synchronization {
 public:
  explicit TeamMeeting(Group& team) : team_(team) {}
  void barrier() override { team_.barrier(); }
  double max(double value) override { return team_.max(value); }
  double min(double value) override { return team_.min(value); }
  double sum(double value) override { return team_.sum(value); }
  bool any(bool value) override { return team_.any(value); }
  int rank() const override { return team_.rank(); }
  int ranks() const override { return team_.size(); }
  void exchange(std::span<const Message> messages) override { team_.shift(messages); }
  bool take_device_addresses() const override { return device_addresses().are_taken; }
  void add_up(std::span<double> values) override { team_.add_up(values); }

 private:
  Group& team_;
};

/// The threads of this rank, one bound to each of `cpus`. Collective over the team.
class BoundTeam {
 public:
  BoundTeam(const std::vector<int>& cpus, Synchronization& team)
      : problems_(cpus.size()), threads_(static_cast<int>(cpus.size()), [&](int thread) {
          const auto t = static_cast<std::size_t>(thread);
          problems_[t] = bind_this_thread(cpus[t]);
        }) {
    const auto unbound = std::find_if(problems_.begin(), problems_.end(), [](const auto& problem) { return !problem.empty(); });
    if (!team.any(unbound != problems_.end())) return;
    failed_at_ = unbound == problems_.end() ? FailedAt::another_rank : FailedAt::this_rank;
    problem_ = failed_at_ == FailedAt::another_rank ? another_rank("could not be bound") : *unbound;
  }

  const ThreadTeam& threads() const { return threads_; }
  /// Says what went wrong with binding; empty when all threads of all ranks are bound.
  const std::string& problem() const { return problem_; }
  /// Tells whose threads that were.
  FailedAt failed_at() const { return failed_at_; }

 private:
  std::vector<std::string> problems_;
  ThreadTeam threads_;
  std::string problem_;
  FailedAt failed_at_ = FailedAt::this_rank;
};

}  // namespace plumbline::app
