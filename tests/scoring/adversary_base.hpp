// The cases that really were counted, with their models and the emulator's counts, are kept as data.
#pragma once
#include <string>
#include <vector>

#include "adversary_use.hpp"

namespace plumbline::test {

/// The cases of a file that adversary_base.py made: their truth is what the emulator counted. Throws std::runtime_error where it cannot be
/// read.
std::vector<TrueCase> counted_cases(const std::string& file);

/// jobs/campaigns/quick.toml is scored (adversary_base.json of that folder), adversary_held_out.toml is held out.
Bases kept_bases(const std::string& folder);

}  // namespace plumbline::test
