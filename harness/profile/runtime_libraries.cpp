#include "profile/runtime_libraries.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace plumbline {
namespace {

template <class Names>
bool begins_with_one_of(const std::string& object, const Names& names) {
  const std::string file = std::filesystem::path(object).filename().string();
  return std::ranges::any_of(names, [&](std::string_view name) { return file.starts_with(name); });
}

}  // namespace

bool runs_threads(const std::string& object) {
  constexpr std::array names{"libgomp", "libiomp", "libomp"};
  return begins_with_one_of(object, names);
}

bool carries_messages(const std::string& object) {
  // MPICH, Open MPI with its components, Intel MPI's and Cray's under the same names; what they send by.
  constexpr std::array names{"libmpi.", "libmpi_",  "libmpich",   "libmpicxx", "libmpifort", "libopen-", "mca_",
                             "libpmi",  "libprrte", "libfabric",  "libucp",    "libuct",     "libucs",   "libucm",
                             "libpsm",  "libefa",   "libibverbs", "libmlx",    "libnccl"};
  return begins_with_one_of(object, names);
}

}  // namespace plumbline
