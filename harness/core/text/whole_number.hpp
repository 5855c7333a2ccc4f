// Whole numbers are read out of JSON that somebody else may have written. This header is for those who link nlohmann-json: core itself does
// not.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/json_text.hpp"

namespace plumbline {

/// The number as an integer within the type's range: get() makes one of any number, whatever becomes of it. Throws std::out_of_range.
template <class Integer, class Json>
Integer whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    if (const auto number = value.template get<std::uint64_t>(); std::in_range<Integer>(number)) return static_cast<Integer>(number);
  } else if (value.is_number_integer()) {
    if (const auto number = value.template get<std::int64_t>(); std::in_range<Integer>(number)) return static_cast<Integer>(number);
  }
  throw std::out_of_range("a whole number was expected in place of " + json_text(value));
}

}  // namespace plumbline
