// The core that runs this, as the tables of cores know it.
#pragma once
#include "model/ceilings/core_limits.hpp"

namespace plumbline::app {

/// The identity of the core that runs this (machine/cpu.hpp), or of the one that it is masked as.
CoreIdentity this_core();

}  // namespace plumbline::app
