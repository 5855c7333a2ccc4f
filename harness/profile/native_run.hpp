// A program's native run is timed and sampled; what the ranks of a launch met becomes one.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profile/program_run.hpp"
#include "profile/region_times.hpp"
#include "profile/samples.hpp"

namespace plumbline {

struct NativeRun {
  ProgramEnding ending = {};
  Samples samples = {};
  double clock_hz = 0;    // of the core, right after it; 0: not measured
  std::string note = {};  // where the samples are not perf_event's
  TimedRegions regions = {};
  double window_seconds = 0;  // of the window, where only a part of the run is profiled
};

/// The native run of one rank, as it leaves it for the first one.
struct NativeRank {
  int rank = 0, size = 1;  // as the launcher counts
  std::string host, cpu;   // the CPU by its model's name
  std::vector<int> cpus;   // of the host, on which it may run; empty: not known
  NativeRun run = {};
};

/// Leaves it in a file, which is there as a whole or not at all. Throws Error (I/O).
void write_native_rank(const std::filesystem::path& file, const NativeRank& rank);
/// Reads what write_native_rank() left. Throws Error (I/O) of one line when the file cannot be read or is not whole.
NativeRank read_native_rank(const std::filesystem::path& file);

/// Makes the run of the whole launch. Ranks work at once: a function's time is that of the rank which it took longest, of which its places
/// have their parts; its cores are those of all ranks that it took a twentieth of that or more. Where ranks of a host share CPUs, cores are
/// no more than these, and the time is at least what all of them need for the ranks' samples. So it is with marked regions. Times from
/// start to end are the longest rank's, CPU times are summed, the clock is the mean. `ranks` is not empty.
NativeRun merge_ranks(const std::vector<NativeRank>& ranks);

/// CPU seconds in user mode that were met in libraries which carry messages.
double message_seconds(const Samples& samples);

}  // namespace plumbline
