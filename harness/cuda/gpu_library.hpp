// A library of NVIDIA's that works on GPUs (cuBLASLt, cuDNN) is opened when it is first wanted; where there is none, that is said.
#pragma once
#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "core/error.hpp"
#include "core/shared_library.hpp"

namespace plumbline {

struct GpuLibrary {
  void* handle = nullptr;
  std::string file = {};    // the name that it was opened by
  std::string absent = {};  // why there is none; empty where there is one

  /// Finds a function by name. Throws Error (io) where the library has none of that name, or is not there.
  void* function(const char* name) const {
    if (handle == nullptr) throw io_error(absent);
    void* const address = dlsym(handle, name);
    if (address == nullptr) throw io_error(file + " has no " + name);
    return address;
  }
};

/// Opens the first of the files that is there. `what`: the library's name, `advice`: where it is to be had.
inline GpuLibrary open_gpu_library(std::initializer_list<const char*> files, const std::string& what, const std::string& advice) {
  GpuLibrary library;
  for (const char* file : files) {
    const auto [handle, why] = open_library(file, RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) return {handle, file, ""};
    if (library.absent.empty()) library.absent = what + " cannot be opened: " + why;
  }
  library.absent += "; install it (" + advice + ") and put its folder on LD_LIBRARY_PATH";
  return library;
}

}  // namespace plumbline
