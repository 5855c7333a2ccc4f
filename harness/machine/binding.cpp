#include "machine/binding.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

namespace plumbline {

std::string bind_this_thread(int cpu) {
  cpu_set_t wanted, got;
  CPU_ZERO(&wanted);
  CPU_SET(static_cast<std::size_t>(cpu), &wanted);
  if (sched_setaffinity(0, sizeof wanted, &wanted) != 0)
    return fmt::format("cannot bind to CPU {}: {}; the launcher or a cgroup may not allow it", cpu, std::strerror(errno));
  CPU_ZERO(&got);
  sched_getaffinity(0, sizeof got, &got);
  if (!CPU_EQUAL(&wanted, &got)) return fmt::format("the binding to CPU {} did not hold: something else moves this thread", cpu);
  return {};
}

}  // namespace plumbline
