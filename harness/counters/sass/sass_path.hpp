// A thread for which every guard of work lets it through goes one way through a kernel's code: which instructions it executes.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "counters/sass/sass.hpp"

namespace plumbline {

struct SassPath {
  std::vector<bool> executed = {};  // by instruction
  std::string refusal = {};         // why there is none
};

/// The path, of all ways that leave out the loops without a trip and take the others, with the most instructions that `matters`. Refused
/// with the reason where two ways have as many but not the same ones, an unconditional branch leaves a loop, or a loop with trips is on
/// none.
SassPath fullest_path(const SassFunction& function, std::span<const std::uint64_t> trips, const std::function<bool(std::size_t)>& matters);

}  // namespace plumbline
