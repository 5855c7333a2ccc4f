// The times that a part of a program takes at least, one for everything that can bound it on a side: each level of memory, arithmetic by
// precision, kind and width, launches and messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/projecting/node_side.hpp"
#include "model/projecting/work_part.hpp"

namespace plumbline {

inline constexpr std::string_view issue_term = "issue";  // of instructions, whatever they do
inline constexpr std::string_view core_term = "core";    // of instructions that wait for each other, for pipes and for code, their data in L1

/// Whether a term is of the instructions of a core.
inline bool is_of_instructions(std::string_view term) { return term == issue_term || term == core_term; }

struct RoofTerm {
  std::string name = {};  // a level, "compute", `issue_term` or `core_term`, "launch", "MPI"
  double seconds = 0;
  double spread = 0;  // of the ceiling, relative
};

/// The terms of a part on a side. Levels that the side has not are left out, as are terms for which a count is absent. Throws Error (user)
/// where it has FLOPs of a precision without any ceiling, or launches without knowing what one takes.
std::vector<RoofTerm> roof_terms(const WorkPart& part, const NodeSide& side);

/// The term that takes longest; throws Error (user) where there is none.
const RoofTerm& binding(const std::vector<RoofTerm>& terms, const WorkPart& part, const NodeSide& side);

/// The part of the FLOPs that is done on one number at a time, by the part of the instructions.
double scalar_flops_part(const WorkPart& part, const NodeSide& home);

}  // namespace plumbline
