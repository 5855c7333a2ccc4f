// Numbers in the sentences of a judgement.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/counter.hpp"

namespace plumbline {

/// "3.14", without exponent below a million.
std::string significant(double value, int digits);
/// "12 %"
std::string percent_of(double part, int digits = 2);
/// "1 case", "2 cases"
std::string counted(std::size_t n, const std::string& noun);
/// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& words, std::size_t most = 4);
/// " (about 2)" for a factor that has a cause: twice counted, lanes, half a line, and of bytes write-allocate; empty for another one.
std::string simple_ratio(double factor, Kind kind);

}  // namespace plumbline
