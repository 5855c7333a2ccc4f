// A kernel says in one line why it does not take parameters.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/kernel.hpp"

namespace plumbline {

/// The reason why a kernel does not take these parameters in that precision and flavor; empty where it does: one may tie its parameters to
/// each other, or to a library.
inline std::string refusal(const Kernel& kernel, const Parameters& p, std::string_view precision = "fp64", std::string_view flavor = "") {
  try {
    kernel.model(p, precision, flavor);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// Whether the kernel takes them in that precision and flavor.
inline bool takes(const Kernel& kernel, const Parameters& p, std::string_view precision, std::string_view flavor = "") {
  return refusal(kernel, p, precision, flavor).empty();
}

}  // namespace plumbline
