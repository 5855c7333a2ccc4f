// Projections are explained in notes: what a side leaves out, which amounts are doubted, where bytes and intervals come from.
#pragma once
#include <string>
#include <vector>

#include "app/results/projection_table.hpp"

namespace plumbline::app {

/// Says what a side leaves out that the program needs, to methods that reckon with all amounts.
void note_unsaid(const TargetProjections& told, const Application& application, const NodeSpec& source, const NodeSpec& target,
                 std::vector<std::string>& notes);

/// Says which groups have amounts that their time or bound at home does not go with.
void note_doubts(const TargetProjections& told, const Application& application, const NodeSpec& source, std::vector<std::string>& notes);

/// Says of each target what methods differ in their ceilings, which bounds flip, what costs nothing there, and where bytes and intervals
/// come from; and of all what becomes of the rest.
void add_projection_notes(const std::vector<TargetProjections>& targets, std::vector<std::string>& notes);

}  // namespace plumbline::app
