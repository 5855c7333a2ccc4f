// The system calls of perf_event are behind an interface: a machine without a PMU can still prove what happens when one is stolen.
#pragma once
#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>

namespace plumbline {

/// The kernel's calls that perf_event needs; a test puts another kernel in its place.
class PerfKernel {
 public:
  PerfKernel() = default;
  PerfKernel(const PerfKernel&) = delete;
  PerfKernel& operator=(const PerfKernel&) = delete;
  virtual ~PerfKernel() = default;

  /// Opens an event; gives a file descriptor, or -errno.
  virtual int open(perf_event_attr& wanted, pid_t thread, int cpu, int group) noexcept = 0;
  /// Reads; gives the bytes read; 0: a pinned group that lost its place on the PMU; or -errno.
  virtual long read(int file, void* to, std::size_t bytes) noexcept = 0;
  /// Starts a group by its leader; gives 0 or -errno.
  virtual int enable(int leader) noexcept = 0;
  virtual void close(int file) noexcept = 0;
  /// The number of the calling thread.
  virtual pid_t thread() noexcept = 0;
};

/// The kernel of this machine.
PerfKernel& linux_perf();

}  // namespace plumbline
