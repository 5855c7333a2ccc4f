// The messages between ranks among a result's ceilings are shown as tables for people.
#pragma once
#include <span>
#include <string>

#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {

/// A heading and a table for each node that has ceilings of level "mpi"; the others are left alone. Empty when there is none.
std::string mpi_ceilings_text(std::span<const Ceiling> ceilings);

}  // namespace plumbline::app
