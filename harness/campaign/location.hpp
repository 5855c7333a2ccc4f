// A place in a file that a user wrote, and how to say that what stands there is wrong.
#pragma once
#include <string>

#include "core/error.hpp"

namespace plumbline {

/// A place in the file, counted from 1.
struct Location {
  int line = 0, column = 0;
};

/// A value and where it was written.
template <class T>
struct Written {
  T value{};
  Location at;
};

/// The message as an Error (user): "quick.toml:3:9: message".
Error wrong_at(const std::string& path, Location at, const std::string& message);

}  // namespace plumbline
