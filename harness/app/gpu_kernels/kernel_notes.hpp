// Notes say what is to be known of a program's GPU kernels besides their rows; what they say judges its processes.
#pragma once
#include <string>
#include <vector>

#include "app/gpu_kernels/kernel_columns.hpp"
#include "app/programs/profile_ways.hpp"

namespace plumbline::app {

/// The reasons why a process was not timed or counted, or no longer; each once.
std::vector<std::string> refusals_of(const KernelReport& report);
/// Whether some launch was counted or timed.
bool has_any(const KernelReport& report);
/// Says that CUPTI delivered nothing of what was launched; empty where it did.
std::string why_nothing_came(const KernelReport& report);
/// Whether records of a timed run are missing.
bool lacks_records(const KernelReport& report);

/// Adds the notes on processes, and on what the two runs have in common.
void add_kernel_notes(KernelResult& result, const ProfileOptions& options);

}  // namespace plumbline::app
