// The memory of this machine, and how much of it is there to use.
#pragma once
#include <cstdint>

namespace plumbline {

/// The bytes that can be used without swapping: MemAvailable of /proc/meminfo, or what this process's control group has left if that is
/// less. 0 when nothing says.
std::uint64_t memory_available_bytes();
/// The bytes that can be used of one NUMA node's memory (the system's number): the free ones, and half of those that files hold. Never more
/// than the above; 0 when nothing says.
std::uint64_t memory_available_bytes(int numa_memory);
/// MemTotal of /proc/meminfo; hwloc's sum over NUMA nodes may be far less in virtual machines.
std::uint64_t memory_total_bytes();

}  // namespace plumbline
