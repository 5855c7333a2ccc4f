// The times of a native run and the counts of an emulated one come together by function.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "profile/samples.hpp"
#include "profile/symbols.hpp"

namespace plumbline {

/// A part of all samples, and the interval at 95 % that their number leaves open (Wilson 1927).
struct Share {
  double part = 0, lo = 0, hi = 0;
};
Share share_of(std::uint64_t samples, std::uint64_t all);

/// Code that was timed and counted.
struct TimedCode {
  SampleSum sum = {};
  std::uint64_t subtracted = 0;          // samples of an earlier run that were taken away from the sum's
  double cpu_seconds = 0;                // of all CPUs
  double seconds = 0;                    // that it took, where CPUs that did it at once count once
  std::optional<EventSums> counts = {};  // nullopt: the counted run did not execute it
  std::optional<ReuseDistances> reuse = {};
  int cores() const;  // that did it at once, at least 1

  /// The number of samples of one run that would leave as much open as the difference of two runs does; of one run its own.
  std::uint64_t samples_worth() const;
};

/// The part that some code has of the whole's samples. Of a difference of two runs the interval is Wilson's for as many samples of one run
/// as would leave the part as open as both runs' numbers of samples leave the ratio of two differences.
Share share_of(const TimedCode& code, const TimedCode& whole);

/// A loop of the source: all loops of a function's code that one line closes, as of its vectors and of what they leave over, each without
/// the loops within it.
struct TimedLoop : TimedCode {
  std::string line = {};  // "heat3d.c:42"
};

struct TimedFunction : TimedCode {
  std::string name = {}, object = {};
  std::uint64_t begin = 0;            // as in FunctionReport
  std::vector<TimedLoop> loops = {};  // by CPU time, longest first
  int loops_without_line = 0;
  bool is_named() const;  // false: its file is stripped, and the name is its place
};

struct TimedProfile {
  std::vector<TimedFunction> functions;  // by CPU time, longest first
  TimedFunction whole = {};              // all of them, without counts
  double uncounted_part = 0;             // of all samples, in functions that the counted run did not execute
};

/// Two functions are the same where they begin at the same place of the same file. Samples are in the loop that has the code at their
/// place.
TimedProfile join(const Samples& samples, const Profile& counted, Symbols& symbols);

}  // namespace plumbline
