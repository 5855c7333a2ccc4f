// What a case cannot have on this machine, told from within its data.
#pragma once
#include <string>

#include "core/error.hpp"

namespace plumbline {

/// What a kernel's data throw, made or swept: the case's status is then `unavailable`, not `failed`. A resumed run tries a case again, a ceiling not.
class UnavailableHere : public Error {
 public:
  explicit UnavailableHere(const std::string& reason) : Error(Exit::io_or_failed_case, reason) {}
};

}  // namespace plumbline
