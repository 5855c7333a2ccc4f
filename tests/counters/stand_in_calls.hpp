// The driver and CUPTI that stand in for a GPU's, as tests of what counts and times by them reach them.
#pragma once
#include <dlfcn.h>

namespace plumbline {

/// A function of the library that stands in for CUPTI and the driver.
template <class Function>
Function* stand_in(const char* name) {
  static void* const opened = dlopen(STAND_IN_CUPTI_FOLDER "/libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(opened, name));
}

/// Launches a kernel of that name, which does so much work, as a program would.
inline void launch_stand_in(const char* name, unsigned work) {
  using Launch = int(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  stand_in<Launch>("cuLaunchKernel")(name, work, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
}

}  // namespace plumbline
