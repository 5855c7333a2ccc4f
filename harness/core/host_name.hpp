// Results, journals and messages name the host that they come from by one function. It stands in a header because the MPI modules, which
// are opened at run time and do not link core, need it too.
#pragma once
#include <unistd.h>

#include <array>
#include <string>

namespace plumbline {

/// The name of this host as gethostname(2) gives it, at most 255 letters; empty where it gives none.
inline std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

}  // namespace plumbline
