#include "counters/perf_event/perf_kernel.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace plumbline {
namespace {

class LinuxPerf final : public PerfKernel {
 public:
  int open(perf_event_attr& wanted, pid_t thread, int cpu, int group) noexcept override {
    const long file = syscall(SYS_perf_event_open, &wanted, thread, cpu, group, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? -errno : static_cast<int>(file);
  }
  long read(int file, void* to, std::size_t bytes) noexcept override {
    const long got = ::read(file, to, bytes);
    return got < 0 ? -errno : got;
  }
  int enable(int leader) noexcept override { return ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0 ? -errno : 0; }
  void close(int file) noexcept override { ::close(file); }
  pid_t thread() noexcept override { return static_cast<pid_t>(syscall(SYS_gettid)); }
};

}  // namespace

PerfKernel& linux_perf() {
  static LinuxPerf kernel;
  return kernel;
}

}  // namespace plumbline
