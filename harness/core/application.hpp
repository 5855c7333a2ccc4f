// An application is a schedule of phases over shared data: which there are, the exact work of each, and how often a sweep enters it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/peers.hpp"
#include "core/work.hpp"
#include "core/workload.hpp"

namespace plumbline {

/// A part of an application that is timed, counted and judged by itself, as a kernel is.
struct Phase {
  std::string name;           // "update"; at a level of a multigrid "red@2", 1 the finest
  Work work = {};             // of one entry, on one rank; nothing where ranks only exchange
  std::uint64_t entries = 1;  // in a sweep
  // What one rank sends to others, or to itself where it is alone, in one entry:
  std::uint64_t messages = 0, message_bytes = 0;
  // An application on a GPU has these, too:
  bool on_host = false;                                      // a CPU of the host does it, in the host's memory
  std::uint64_t to_device_bytes = 0, from_device_bytes = 0;  // that one entry copies between both memories; no loop moves them
};

/// The phases of an application for one choice of its parameters. Every rank of a team has the same work: parameters are a rank's share.
struct ApplicationWork {
  std::vector<Phase> phases;
  std::uint64_t data_bytes = 0;  // distinct bytes that a sweep touches on one rank
};

/// The work of a whole sweep: operations, loads and stores are sums over the phases, and the footprint is that of the data. Which bytes
/// cross a boundary does not follow from it: that hangs on what the phase before left in the caches (core/flows.hpp).
Work whole_work(const ApplicationWork& application);

/// One step of a schedule: a loop over an index range, which the threads of a rank divide, an exchange between ranks, or a copy.
struct Step {
  std::size_t phase = 0;                      // its place in ApplicationWork::phases
  const void* arguments = nullptr;            // of the flavored loop
  std::size_t extent = 0;                     // of the loop's range
  std::size_t grain = 1;                      // parts of the range begin at multiples of it
  std::function<void(Peers&)> exchange = {};  // in the loop's place, by one thread, when all threads have come
  // An application on a GPU has these, too:
  bool on_host = false;             // a loop of the kernel's CPU flavor, or an exchange of what lies in the host's memory
  std::function<void()> copy = {};  // in the loop's place: between the device and the host; it has ended when it returns

  bool is_loop() const { return !exchange && !copy; }
};

/// The data of an application on one rank. A sweep goes through its steps in order; whoever sweeps waits for all threads between two.
class ApplicationData : public Workload {
 public:
  /// Tells, before anything is initialised, which of the ranks these data belong to. Ranks hold different values.
  virtual void take_place(int rank, int ranks) { static_cast<void>(rank), static_cast<void>(ranks); }
  virtual const std::vector<Step>& steps() const = 0;
  /// The number of phases that its steps are of.
  std::size_t phases() const;

  /// There is no one loop that could take them: steps have arguments of their own.
  const void* arguments() const final { return nullptr; }
};

/// Does a step in this thread alone: calls loop(arguments, begin, end) for its whole range, or exchanges with `peers`, or copies.
template <class Loop>
void run_alone(const Step& step, Loop loop, Peers& peers) {
  if (step.exchange)
    step.exchange(peers);
  else if (step.copy)
    step.copy();
  else
    loop(step.arguments, std::size_t{0}, step.extent);
}

/// Sweeps once in this thread alone: calls loop(arguments, begin, end) for a kernel's whole range, or for each step of an application,
/// whose exchanges are made with `peers`.
template <class Loop>
void sweep_alone(const Workload& data, Loop loop, Peers& peers) {
  const auto* const application = dynamic_cast<const ApplicationData*>(&data);
  if (application == nullptr) return loop(data.arguments(), std::size_t{0}, data.extent());
  for (const Step& step : application->steps()) run_alone(step, loop, peers);
}

}  // namespace plumbline
