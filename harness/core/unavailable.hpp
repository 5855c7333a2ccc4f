// A workload says here that the machine lacks what a case needs.
#pragma once
#include <string>

#include "core/error.hpp"

namespace plumbline {

/// An error that a kernel's data throw while they are made or swept: the case's status is then `unavailable`, not `failed`. A resumed run
/// tries a case again, a ceiling not.
class UnavailableHere : public Error {
 public:
  explicit UnavailableHere(const std::string& reason) : Error(Exit::io_or_failed_case, reason) {}
};

}  // namespace plumbline
