// What really was counted: the cases of a run of jobs/campaigns/quick.toml with their models and the emulator's counts, kept as data.
#pragma once
#include <string>
#include <vector>

#include "campaign.hpp"

namespace plumbline::test {

/// The cases of tests/golden/adversary_base.json (made by adversary_base.py): their truth is what the emulator counted. Throws
/// std::runtime_error where the file cannot be read.
std::vector<TrueCase> counted_cases(const std::string& file);

}  // namespace plumbline::test
