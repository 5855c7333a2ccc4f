// The system calls of perf_event, behind an interface: a machine without a PMU can still prove what happens when one is stolen.
#pragma once
#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>

namespace plumbline {

class PerfKernel {
 public:
  PerfKernel() = default;
  PerfKernel(const PerfKernel&) = delete;
  PerfKernel& operator=(const PerfKernel&) = delete;
  virtual ~PerfKernel() = default;

  /// A file descriptor, or -errno.
  virtual int open(perf_event_attr& wanted, pid_t thread, int cpu, int group) noexcept = 0;
  /// Bytes read; 0: a pinned group that lost its place on the PMU; or -errno.
  virtual long read(int file, void* to, std::size_t bytes) noexcept = 0;
  /// Starts a group by its leader; 0 or -errno.
  virtual int enable(int leader) noexcept = 0;
  virtual void close(int file) noexcept = 0;
  /// Which thread this is.
  virtual pid_t thread() noexcept = 0;
};

/// The machine's own.
PerfKernel& linux_perf();

}  // namespace plumbline
