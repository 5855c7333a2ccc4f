// A process is confined that is about to do what a stranger's file may make it do.
#pragma once
#include <cstdint>

namespace plumbline::app {

struct Confinement {
  std::uint64_t memory_bytes = 0;  // beside what the process has
  std::uint64_t cpu_seconds = 0;   // of those to come; then SIGXCPU ends it
  unsigned seconds = 0;            // by the clock on the wall: it may wait for ever; then SIGALRM ends it
};

/// Confines this process from here on: it computes, takes memory, writes to standard output and ends; whatever else it asks of the system
/// is refused (EPERM), and it leaves no core file. There is no way back. Gives false where the kernel has no such filter, or none is known
/// for this architecture (Linux's seccomp; x86-64, 64-bit Arm and POWER): then the limits alone hold.
bool confine(const Confinement& to);

}  // namespace plumbline::app
