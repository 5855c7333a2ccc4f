// A campaign's cases may be unable to tell two causes apart, whatever is counted in them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/case.hpp"

namespace plumbline {

/// One line for each level, compiler, ISA, precision and team of CPU cases that occurs with one of several kernels only, or always and only
/// together with one of another kind: a counter that is wrong there has two explanations. The line says what to add. Empty where there is
/// one kernel alone.
std::vector<std::string> confounded(std::span<const Case> cases);

}  // namespace plumbline
