// The things that are counted: events by name, the groups that are counted at one time, and what a reading of one of them says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace plumbline {

using EventNames = std::vector<std::string>;

/// An event for listings.
struct EventDescription {
  std::string name, unit, description;
  Availability availability = {};
};

/// Events that are counted at one time: a counting pass takes one group (no multiplexing).
struct EventGroup {
  EventNames events;
  bool emulated = false;         // they exist only in a process under the emulator: the rank's worker counts them
  bool whole_team = false;       // one total for all threads of the team: readings(0) has it
  bool repeats_exactly = false;  // a second repetition would say nothing more
  int passes = 1;                // of the same work each, that one count was planned to take: MultiPass decides
};

/// An event that was asked for by name and cannot be counted.
struct Refusal {
  std::string event;
  Availability why;
  bool unknown = false;  // there is no such event; else it exists and something stands in the way
};

/// One event over all entries of the region since prepare(), as the backend gives it.
struct Reading {
  std::string_view event;
  std::uint64_t raw = 0;                         // 0 unless status is ok; of a rate the nearest whole number
  std::uint64_t enabled_ns = 0, running_ns = 0;  // 0 where a backend has no such notion
  Status status = Status::ok;
  std::string reason = {};  // in words, where status is not ok; else a note on the number
  bool no_number = false;   // it counted, and came to no number (a NaN): status is failed
  std::optional<double> rate =
      {};  // of what does not add up (cycles a second, percent of a peak): the region's own, nothing is subtracted from it
};

}  // namespace plumbline
