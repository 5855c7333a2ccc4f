// Sizes in tests are written in units of bytes.
#pragma once
#include <cstdint>

namespace plumbline {

inline constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

}  // namespace plumbline
