#include "machine/loaded_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace plumbline {
namespace {

/// The files in this process's memory, by where they begin there. The kernel names each behind all links, so that one file is read for all
/// libraries, and no folder is looked up, which may lie on a file system that thousands of ranks share.
using MappedFiles = std::map<std::uintptr_t, std::filesystem::path>;

MappedFiles mapped_files() {
  constexpr std::string_view removed = " (deleted)";  // by an update, while the program runs
  MappedFiles files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {  // "7f1c8a000000-7f1c8a028000 r--p 00000000 fe:00 1234   /usr/lib/libc.so.6"
    const auto path = line.find('/');
    std::uintptr_t begin = 0;
    if (path == line.npos || std::from_chars(line.data(), line.data() + path, begin, 16).ec != std::errc()) continue;
    if (line.ends_with(removed)) line.resize(line.size() - removed.size());
    files[begin] = line.substr(path);
  }
  return files;
}

std::uintptr_t begin_of(const dl_phdr_info& library) {
  const auto* segments_end = library.dlpi_phdr + library.dlpi_phnum;
  const auto* first = std::find_if(library.dlpi_phdr, segments_end, [](const auto& segment) { return segment.p_type == PT_LOAD; });
  return library.dlpi_addr + (first == segments_end ? 0 : first->p_vaddr);
}

struct Names {
  MappedFiles files;
  std::vector<std::string> all;
};

int add_library(dl_phdr_info* info, std::size_t, void* list) {
  const std::filesystem::path as_loaded = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (!as_loaded.has_root_path()) return 0;  // the program itself has no name here, the kernel's own pages no folder
  auto& names = *static_cast<Names*>(list);
  const auto after = names.files.upper_bound(begin_of(*info));
  names.all.push_back((after == names.files.begin() ? as_loaded : std::prev(after)->second).filename().string());
  return 0;
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  Names names{mapped_files(), {}};
  dl_iterate_phdr(add_library, &names);
  std::sort(names.all.begin(), names.all.end());
  names.all.erase(std::unique(names.all.begin(), names.all.end()), names.all.end());
  return names.all;
}

std::string libc_version() {
#ifdef __GLIBC__
  return gnu_get_libc_version();
#else
  return "";
#endif
}

}  // namespace plumbline
