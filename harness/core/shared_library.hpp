// Shared libraries are opened at run time, only from where their owner put them.
#pragma once
#include <string>

namespace plumbline {

/// A library that was opened, or the reason why it was not.
struct SharedLibrary {
  void* handle = nullptr;  // of dlopen(3); the caller closes it, or keeps it
  std::string why_not;     // in words, where there is none
};

/// Names the element of the loader's path that leads to the current folder, in words that end with what to do; empty where none does.
std::string unsafe_loader_path();

/// Opens an absolute path, or a bare soname by the loader's path. It refuses any other name with a slash, and a soname where an element of
/// LD_LIBRARY_PATH is empty or relative, for then the loader would take a library of that name from the current folder, whoever put it
/// there. `flags` are those of dlopen(3).
SharedLibrary open_library(const std::string& name, int flags);

}  // namespace plumbline
