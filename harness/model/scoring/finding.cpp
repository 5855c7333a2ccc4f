#include "model/scoring/finding.hpp"

#include "core/enumerators.hpp"

namespace plumbline {

std::string_view to_string(FindingKind kind) { return enumerator_name(kind); }

}  // namespace plumbline
