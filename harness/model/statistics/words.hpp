// Numbers are put into the sentences of a judgement.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/counter.hpp"

namespace plumbline {

/// Prints a number as "3.14", without exponent below a million.
std::string significant(double value, int digits);
/// Prints a part as "12 %".
std::string percent_of(double part, int digits = 2);
/// Prints a number with its noun: "1 case", "2 cases".
std::string counted(std::size_t n, const std::string& noun);
/// Lists words: "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& words, std::size_t most = 4);
/// Prints " (about 2)" for a factor that has a cause: twice counted, lanes, half a line, and of bytes write-allocate; empty for another
/// one.
std::string simple_ratio(double factor, Kind kind);

}  // namespace plumbline
