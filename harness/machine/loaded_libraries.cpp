#include "machine/loaded_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <filesystem>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace plumbline {
namespace {

int add_library(dl_phdr_info* info, std::size_t, void* list) {
  const std::filesystem::path path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (path.has_root_path()) {  // the program itself has no name here, the kernel's own pages no folder
    std::error_code failed;
    const auto real = std::filesystem::canonical(path, failed);
    static_cast<std::vector<std::string>*>(list)->push_back((failed ? path : real).filename().string());
  }
  return 0;
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(add_library, &names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string libc_version() {
#ifdef __GLIBC__
  return gnu_get_libc_version();
#else
  return "";
#endif
}

}  // namespace plumbline
