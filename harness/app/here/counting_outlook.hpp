// The doctor's part on counting says what could count which quantity on this machine, and what stands in the way.
#pragma once
#include <string>

#include "app/terminal/columns.hpp"
#include "counters/outlook.hpp"

namespace plumbline::app {

/// The facts of this machine; its event tables included. Throws Error (user) on a bad table.
CountingFacts counting_facts_here();

/// The ways as a member of a document.
Column<CountingOutlook> counting_column();
/// A table by quantity, and below it each obstacle once, with what to do about it.
std::string outlook_text(const CountingOutlook& outlook);

}  // namespace plumbline::app
