// The working set of a case is the data that one sweep touches.
#pragma once
#include "core/work.hpp"

namespace plumbline {

/// The bytes that one sweep of a rank with so many threads touches: at least those that each sweep surely touches anew, at most all.
Amount working_set(const Work& work, int threads);

}  // namespace plumbline
