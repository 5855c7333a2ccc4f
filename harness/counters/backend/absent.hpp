// Stands in for a backend that was not compiled in: it answers so, as a value.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "counters/backend/backend.hpp"

namespace plumbline {

/// Makes a backend that counts nothing. `name` outlives it. `reason` says what is missing and what to do.
std::unique_ptr<Backend> absent_backend(std::string_view name, std::string reason);

}  // namespace plumbline
