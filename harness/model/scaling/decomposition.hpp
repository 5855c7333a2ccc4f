// The way in which an application's ranks divide its data, by the applications' own exchanges (proxies/): along one direction.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.hpp"
#include "core/records.hpp"

namespace plumbline {

struct Decomposition {
  std::string layer = {};             // what lies behind each other, in the plural: "rows"
  double layers = absent;             // of them on a rank; absent: a rank's share is not cut (weak scaling alone)
  std::vector<std::string> cut = {};  // integer parameters that are smaller by as much as a rank's share is
};

/// The decomposition of an application with these parameters; nullopt where nobody wrote it down. A layer is the least that a rank can
/// have. Ranks stand in a ring along the layers; what they send is a layer's face, however few layers a rank has.
std::optional<Decomposition> decomposition_of(std::string_view kernel, const Parameters& p);

/// The kernels whose decomposition is known.
std::vector<std::string> known_decompositions();

}  // namespace plumbline
