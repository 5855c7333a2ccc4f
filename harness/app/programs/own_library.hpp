// Libraries that come along are loaded into programs that are profiled.
#pragma once
#include <filesystem>

namespace plumbline::app {

/// A library beside plumbline or in ../lib; empty where it is not there.
std::filesystem::path own_library(const char* name);

/// Makes the NVTX ranges of programs that this process starts regions of theirs, unless the user has another tool hear of them.
void mark_nvtx_ranges();

}  // namespace plumbline::app
