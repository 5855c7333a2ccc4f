// How much data a sweep touches.
#pragma once
#include "core/work.hpp"

namespace plumbline {

/// Bytes that one sweep of a rank of so many threads touches: at least what each sweep surely touches anew, at most all of it.
Amount working_set(const Work& work, int threads);

}  // namespace plumbline
