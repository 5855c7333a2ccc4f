// The understanding of words in a row that was read, where the program has values for them.
#pragma once
#include "core/records.hpp"

namespace plumbline {

/// Gives a failed pass, or a level of a case that has failed, whose reason tells of a wrong result that status.
void understand(OutcomeRow& row);
void understand(IntensityRow& row);

/// Gives it that status too, and takes from words what files of before there were columns for it lack: the reason of a wrong result from
/// the end of `method`, which of a node's GPUs from the name, the node at the other end of messages from the name or `method`.
void understand(CeilingRow& row);

/// All others say what they mean.
template <class Row>
void understand(Row&) {}

}  // namespace plumbline
