// The firmware names the memory modules (SMBIOS, root only): how many, of which kind, at which speed. No serial numbers are read.
#pragma once
#include <filesystem>

#include "machine/fact.hpp"

namespace plumbline {

/// The fact "memory_modules": "16 x 32 GiB DDR5 at 4800 MT/s, 8 slots empty".
Fact memory_modules(const std::filesystem::path& root = "/");

}  // namespace plumbline
