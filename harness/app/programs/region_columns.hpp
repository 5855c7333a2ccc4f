// The rows of marked regions that were timed, with their place under the roofs, have their columns here.
#pragma once
#include "app/programs/profile_columns.hpp"

namespace plumbline::app {

/// The columns of functions, as far as regions have them, and those of their entries.
Columns<PlacedRow> placed_region_columns();

}  // namespace plumbline::app
