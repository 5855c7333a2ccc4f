#include "app/programs/own_library.hpp"

#include <cstdlib>

#include "app/here/paths.hpp"

namespace plumbline::app {

namespace fs = std::filesystem;

fs::path own_library(const char* name) {
  const fs::path here = program_path().parent_path();
  for (const auto& folder : {here, here / ".." / "lib"})
    if (fs::exists(folder / name)) return fs::canonical(folder / name);
  return {};
}

void mark_nvtx_ranges() {
  if (const fs::path library = own_library("libplumbline_nvtx.so"); !library.empty()) setenv("NVTX_INJECTION64_PATH", library.c_str(), 0);
}

}  // namespace plumbline::app
