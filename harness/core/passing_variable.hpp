// An environment variable for as long as a library reads it.
#pragma once
#include <cstdlib>

namespace plumbline {

/// Gives an environment variable a value while it lives, unless somebody gave it one before; programs started later never see it. It must
/// not be used beside other threads that read the environment.
class PassingVariable {
 public:
  PassingVariable(const char* name, const char* value) : name_(name), ours_(std::getenv(name) == nullptr) {
    if (ours_) setenv(name, value, 1);
  }
  ~PassingVariable() {
    if (ours_) unsetenv(name_);
  }
  PassingVariable(const PassingVariable&) = delete;
  PassingVariable& operator=(const PassingVariable&) = delete;

 private:
  const char* name_;
  bool ours_;
};

/// Keeps hwloc, ours or MPI's, from loading plugins when it is initialized. They find OpenCL and X devices, which nobody here asks for,
/// cost start-up time, leak, and bring the graphics stack into the process.
class WithoutHwlocPlugins : PassingVariable {
 public:
  WithoutHwlocPlugins() : PassingVariable("HWLOC_PLUGINS_PATH", "") {}
};

}  // namespace plumbline
