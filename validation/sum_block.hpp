// The number of elements that a partial sum of validation's reductions adds up. Flavored loops include it: no more than a constant.
#pragma once
#include <cstddef>

constexpr std::size_t sum_block = 1024;
