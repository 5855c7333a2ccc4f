// Libraries choose their code by the CPU. Where it has AVX-512, the emulator has not, so that what is timed is not what is counted.
#pragma once
#include <string>
#include <vector>

namespace plumbline {

/// Sets the variables of this process by which well-known libraries choose code of AVX2 wherever they run, but for those that are set.
/// Gives what it set, as "NAME=VALUE".
std::vector<std::string> choose_avx2();

}  // namespace plumbline
