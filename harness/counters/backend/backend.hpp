// A counter backend says what it can count, and gives raw totals of a region that each thread of a team enters and leaves.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace plumbline {

/// Whether something can be had here, and if not, why and what to do.
struct Availability {
  Status status = Status::ok;
  std::string reason;  // in words, with what to try; empty when ok
  bool ok() const { return status == Status::ok; }
};

/// A reading of one event over all entries of the region since prepare(), as the backend gives it.
struct Reading {
  std::string_view event;
  std::uint64_t raw = 0;                         // 0 unless status is ok; of a rate the nearest whole number
  std::uint64_t enabled_ns = 0, running_ns = 0;  // 0 where a backend has no such notion
  Status status = Status::ok;
  std::string reason = {};  // in words, where status is not ok
  bool no_number = false;   // it counted, and came to no number (a NaN): status is failed
  std::optional<double> rate =
      {};  // of what does not add up (cycles a second, percent of a peak): the region's own, nothing is subtracted from it
};

/// A group is the events that are counted at one time: a counting pass takes one group (no multiplexing).
struct EventGroup {
  std::vector<std::string> events;
  bool emulated = false;         // they exist only in a process under the emulator: the rank's worker counts them
  bool whole_team = false;       // one total for all threads of the team: readings(0) has it
  bool repeats_exactly = false;  // a second repetition would say nothing more
  int passes = 1;                // entries, of the same work each, that one count was planned to take: wants_another_entry() decides
};

/// An event that was asked for by name and cannot be counted.
struct Refusal {
  std::string event;
  Availability why;
  bool unknown = false;  // there is no such event; else it exists and something stands in the way
};

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
  /// Gives back, after the last repetition of a group, what is held from one to the next, so that nothing stands beside later timings.
  virtual void release() noexcept {}
  /// Enters the region; the thread calls this and leave() immediately around its share of the work. Neither may allocate.
  virtual void enter(int thread) noexcept = 0;
  virtual void leave(int thread) noexcept = 0;
  /// Whether, after leave(), the count takes another entry of the very same work, as counters of GPUs do that are had in several passes.
  virtual bool wants_another_entry() const noexcept { return false; }
  /// The backend that is entered and left: itself, or the one whose counts it passes on, so that its own work moves no simulated line.
  virtual Backend& around_region() noexcept { return *this; }
  /// The sums of a thread's entries, in the order of the group's events; for a group of the whole team only thread 0 is asked.
  virtual std::vector<Reading> readings(int thread) const = 0;
  /// Forgets the contents of simulated caches. Real caches are left alone.
  virtual void empty_caches() noexcept {}
  /// Gives the whole simulated L3 so many bytes (0: as many as before), and this process, one of so many ranks on it, a part of its sets.
  /// False: no such size, or too few sets.
  virtual bool set_l3(std::uint64_t /*bytes*/, int /*ranks*/) noexcept { return true; }
  /// Leaves out set-up work in a simulator, where it is then neither counted nor slow.
  virtual void set_counting(bool) noexcept {}
};

}  // namespace plumbline
