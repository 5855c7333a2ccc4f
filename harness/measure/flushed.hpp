// Data are put out of every cache, so that what loads them next meets memory.
#pragma once
#include <cstddef>
#include <span>

namespace plumbline {

/// Writes back and drops every line of 64 bytes of `data` from all caches of all cores. Gives false where this CPU has no instruction for
/// it that a program may use: x86's CLFLUSH, 64-bit Arm's DC CIVAC (which Linux allows).
bool flush_from_caches(std::span<const std::byte> data);

}  // namespace plumbline
