// The rows of a table are packed on their way to and from a file: their columns lie in memory one after the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "store/schema.hpp"

namespace plumbline {

/// The place of one column inside a packed row.
template <class Row>
struct Place {
  const Column<Row>* column;
  std::size_t offset, width;  // bytes
};

/// The bytes of a packed row.
template <class Place>
std::size_t row_bytes(const std::vector<Place>& places) {
  return places.empty() ? 0 : places.back().offset + places.back().width;
}

/// A number's type as numpy calls it.
inline std::string_view packed_type(std::int32_t) { return "i4"; }
inline std::string_view packed_type(std::int64_t) { return "i8"; }
inline std::string_view packed_type(std::uint64_t) { return "u8"; }
inline std::string_view packed_type(double) { return "f8"; }

}  // namespace plumbline
