// The faults as they are made on the real path, whose campaign has fewer cases.
#pragma once
#include <vector>

#include "faults.hpp"

namespace plumbline::test {

/// The known kinds, with the limits and the points of the curves of the real path.
const std::vector<Fault>& known_faults_on_real_path();

/// The unseen kinds, as they are elsewhere: all but the one that takes two ranks, for a worker has one.
const std::vector<Fault>& unseen_faults_on_real_path();

}  // namespace plumbline::test
