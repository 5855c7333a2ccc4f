// A counter backend says what it can count, and gives raw totals of a region that each thread of a team enters and leaves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "counters/backend/events.hpp"

namespace plumbline {

class MultiPass;
class Simulator;

/// A source of counts, by groups of events.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  /// Whether it can count in this process, and if not, why.
  virtual Availability availability() const = 0;
  virtual const std::vector<EventGroup>& groups() const = 0;
  /// The events that it was made for and that are in no group.
  virtual std::vector<Refusal> refused() const { return {}; }

  // A repetition of the counted region: prepare(); each thread open()s; each entry enter() and leave() by each thread; each thread
  // close()s; readings(). What goes wrong on the way is a status of the readings.

  /// Readies a group for a team of `threads`; sums start at zero.
  virtual void prepare(std::size_t group, int threads) = 0;
  /// Begins counters of thread `thread` (0-based) of the team, which calls it; close() ends them.
  virtual void open(int /*thread*/) noexcept {}
  virtual void close(int /*thread*/) noexcept {}
  /// Called by the thread immediately around its share of the work. Neither may allocate.
  virtual void enter(int thread) noexcept = 0;
  virtual void leave(int thread) noexcept = 0;
  /// The sums of a thread's entries, in the order of the group's events; of a group of the whole team only thread 0 is asked.
  virtual std::vector<Reading> readings(int thread) const = 0;

  // What only some backends are besides.

  /// The simulator that has the counts of the prepared group: this one, or the one whose counts it passes on. Null: the machine counts.
  virtual Simulator* simulator() noexcept { return nullptr; }
  /// The backend as one that may take several passes for a count. Null: one is enough.
  virtual MultiPass* multi_pass() noexcept { return nullptr; }
};

/// A backend that counts a simulated machine. It counts whatever thread calls enter() and leave(), so that a thread may have several sums,
/// each by a number below that of prepare(). Where another one passes its counts on, the simulator itself is entered and left, so that
/// the other's own work moves no simulated line.
class Simulator : public Backend {
 public:
  Simulator* simulator() noexcept final { return this; }
  /// Forgets what the simulated caches hold.
  virtual void empty_caches() noexcept = 0;
  /// The whole L3 has so many bytes (0: as many as before), and this process, one of so many ranks on it, a part of its sets. False: no
  /// such size, or too few sets.
  virtual bool set_l3(std::uint64_t bytes, int ranks) noexcept = 0;
  /// Switches counting; false leaves out set-up work, which is then neither counted nor slow.
  virtual void set_counting(bool on) noexcept = 0;
};

/// A backend that may take one count in several passes of the very same work, as counters of GPUs do: begin_pass(), entries of any of the
/// sums, each by a number below that of prepare(), end_pass(). One thread makes all calls.
class MultiPass : public Backend {
 public:
  MultiPass* multi_pass() noexcept final { return this; }
  /// Makes room for so many entries in a pass; between prepare() and open(). Without it there is room for one.
  virtual void expect(std::size_t entries) = 0;
  virtual void begin_pass() noexcept = 0;
  virtual void end_pass() noexcept = 0;
  /// Whether the count takes another pass; asked after end_pass().
  virtual bool wants_another_pass() const noexcept = 0;
  /// Gives back what is held from one count to the next, so that nothing stands beside later timings.
  virtual void release() noexcept = 0;
};

}  // namespace plumbline
