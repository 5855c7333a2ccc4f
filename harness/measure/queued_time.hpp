// A process queues while it could run and has no CPU, because others of this system have them all.
#pragma once
#include <filesystem>
#include <vector>

namespace plumbline {

/// The CPU time of a process's first thread since it began, in seconds.
struct CpuTime {
  double run_seconds = 0;
  double queued_seconds = 0;  // in which it could have run, and stood in a queue
};

/// Reads /proc/PID/schedstat (the kernel's documentation, scheduler/sched-stats); zeros where the system does not tell. `root` stands for
/// "/".
CpuTime cpu_time(int process, const std::filesystem::path& root = "/");

/// The share, 0 to 1, of the time in which the process could have run that it did run; 1 where it asked for none.
double share_since(const CpuTime& before, const CpuTime& now);

/// The processes that this one's first thread has started and that still run; none where the system does not tell.
std::vector<int> own_children();

}  // namespace plumbline
