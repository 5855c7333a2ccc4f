// A counter backend: what it can count, and raw totals of a region that each thread of a team enters and leaves.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace plumbline {

struct Availability {
  Status status = Status::ok;
  std::string reason;  // in words, with what to try; empty when ok
  bool ok() const { return status == Status::ok; }
};

/// One event over all entries of the region since prepare(), as the backend gives it.
struct Reading {
  std::string_view event;
  std::uint64_t raw = 0;                         // 0 unless status is ok
  std::uint64_t enabled_ns = 0, running_ns = 0;  // 0 where a backend has no such notion
  Status status = Status::ok;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  /// Whether it can count in this process, and if not, why.
  virtual Availability availability() const = 0;
  /// Event groups that can be counted at one time; a counting pass takes one group (no multiplexing).
  virtual std::vector<std::vector<std::string_view>> groups() const = 0;
  /// Readies a group for a team of `threads`; sums start at zero.
  virtual void prepare(std::size_t group, int threads) = 0;
  /// Called by thread `thread` (0-based) of the team, immediately around its share of the work. Neither may allocate.
  virtual void enter(int thread) noexcept = 0;
  virtual void leave(int thread) noexcept = 0;
  /// What a thread's entries summed up to.
  virtual std::vector<Reading> readings(int thread) const = 0;
  /// Simulated caches only: forgets their contents. Real caches are left alone.
  virtual void empty_caches() noexcept {}
  /// Simulated caches only: this process is one of so many ranks on one L3 and has a part of its sets. False: there are too few.
  virtual bool share_l3(int) noexcept { return true; }
  /// Simulators only: leaves out set-up work, which is then neither counted nor slow.
  virtual void set_counting(bool) noexcept {}
};

/// The emulator's counters, read in-process by client request; unavailable when this process does not run under the tool.
std::unique_ptr<Backend> emulated_backend();

/// Names, units and descriptions of the emulator's events, for listings; empty when it was not compiled in.
struct EventDescription {
  std::string_view name, unit, description;
};
std::vector<EventDescription> emulated_events();

/// Version of the interface between this program and the emulator; 0 when it was not compiled in.
unsigned emulator_abi();

}  // namespace plumbline
