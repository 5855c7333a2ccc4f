// The counted twin of a flavored object is written as assembly: the same instructions in the same order, and at the head of each straight
// run of them (basic block) a count of how often it is entered, which leaves registers, flags and stack as they were.
#pragma once
#include <string>
#include <string_view>

namespace plumbline::twins {

/// Writes a twin. `assembly` is a compiler's (GCC or Clang, AT&T syntax) of one flavored source. Its global symbols get "_counted"
/// appended, and `table` is the global symbol of its blocks (core/twin.hpp: BlockTable). Where the text holds what this cannot follow
/// (macros, code as data) the blocks concerned say that their bytes are unknown, and why.
std::string counted_twin(std::string_view assembly, std::string_view table);

}  // namespace plumbline::twins
