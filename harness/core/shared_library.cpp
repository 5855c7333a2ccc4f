#include "core/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace plumbline {
namespace {

/// The first element of the loader's path that leads to the current folder; empty where none does.
std::string unsafe_element(std::string_view path) {
  while (true) {
    const std::string_view element = path.substr(0, path.find_first_of(":;"));
    if (element.empty()) return "an empty element, which is the current folder";
    if (!element.starts_with('/')) return "the relative element '" + std::string(element) + "'";
    if (element.size() == path.size()) return "";
    path.remove_prefix(element.size() + 1);
  }
}

}  // namespace

std::string unsafe_loader_path() {
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  if (path == nullptr || *path == '\0') return "";
  const std::string unsafe = unsafe_element(path);
  return unsafe.empty() ? "" : "LD_LIBRARY_PATH has " + unsafe + ": remove it there";
}

SharedLibrary open_library(const std::string& name, int flags) {
  const bool is_soname = name.find('/') == std::string::npos;
  if (!is_soname && !name.starts_with('/')) return {nullptr, name + " is opened by its absolute path only"};
  if (const std::string unsafe = unsafe_loader_path(); is_soname && !unsafe.empty())
    return {nullptr, name + " is not opened, because " + unsafe};
  dlerror();
  void* const handle = dlopen(name.c_str(), flags);
  if (handle != nullptr) return {handle, ""};
  const char* const why = dlerror();
  return {nullptr, why == nullptr ? name + " cannot be opened" : why};
}

}  // namespace plumbline
