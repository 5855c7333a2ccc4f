// The file that `plumbline profile --gpu -o FILE.json` wrote, plumbline-profile/1, is read for its rows of kernels.
#pragma once
#include <string>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// One launch for each kernel of which any was counted: the mean of those. Throws Error (user) with the file where it is no such document.
std::vector<ProfiledLaunch> read_kernel_profile(const std::string& text, const std::string& path, const WantedMetrics& wanted);

}  // namespace plumbline
