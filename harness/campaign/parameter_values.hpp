// A campaign writes the values of one kernel parameter as a value, a list, or a range.
#pragma once
#include <string>
#include <vector>

#include "campaign/written.hpp"
#include "core/parameters.hpp"

namespace plumbline {

/// Reads the values of a parameter: 7 | "loop" | [64, 256] | {from=1, to=29, step=1} | {from=64, to=65536, factor=2} (factor > 1, results
/// rounded), and lists of these; a value that occurs twice is kept once. Throws on an empty list or range.
std::vector<Written<Value>> parameter_values(const WrittenTable& params, const std::string& name);

}  // namespace plumbline
