// A case would lie elsewhere by another counter for its bytes: Kwack et al. 2018, appendix A, draws the rooflines again with the rejected
// one.
#pragma once
#include <string>

#include "core/counter.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline {

/// The intensity of a case by another counter, and how far that displaces it.
struct Displacement {
  std::string counter = {}, level = {};  // the level whose boundary it claims
  double bytes = absent, ai = absent;    // per sweep, whole team; flop/byte
  std::string rest = {};                 // flows that the counter does not claim, taken from the emulator's counts: "write_back, nt_store"
  Status status = Status::ok;
  std::string reason = {};
};

/// The intensity at the level of the counter's boundary with its bytes in place of those that the case was placed by. Flows of the boundary
/// that it does not claim are the emulator's.
Displacement displaced(const RooflinePlacement& placement, const Measured& measured, const Counter& counter);

}  // namespace plumbline
