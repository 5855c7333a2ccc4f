// How much memory there is to use.
#pragma once
#include <cstdint>

namespace plumbline {

/// Bytes that can be used without swapping: MemAvailable of /proc/meminfo, or what this process's control group has left if that is
/// less. 0 when nothing says.
std::uint64_t memory_available_bytes();
/// Of one NUMA node's memory (the system's number): what is free, and half of what files hold. Never more than the above; 0 when nothing
/// says.
std::uint64_t memory_available_bytes(int numa_memory);
/// MemTotal of /proc/meminfo; hwloc's sum over NUMA nodes may be far less in virtual machines.
std::uint64_t memory_total_bytes();

}  // namespace plumbline
