// Results, journals and messages name the host that they come from by one function.
#pragma once
#include <string>

namespace plumbline {

/// The name of this host as gethostname(2) gives it, at most 255 letters; empty where it gives none.
std::string host_name();

}  // namespace plumbline
