// HDF5 is told here how the rows of a table lie in memory. Included by result_store.cpp and store_writer.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "store/hdf5_handle.hpp"
#include "store/packed_rows.hpp"

namespace plumbline::hdf5 {

inline constexpr hsize_t rows_per_chunk = 4096;  // also the block that is converted at a time
inline constexpr std::size_t file_growth = 1U << 22;

inline hid_t number_type(std::int32_t) { return H5T_NATIVE_INT32; }
inline hid_t number_type(std::int64_t) { return H5T_NATIVE_INT64; }
inline hid_t number_type(std::uint64_t) { return H5T_NATIVE_UINT64; }
inline hid_t number_type(double) { return H5T_NATIVE_DOUBLE; }

template <class Row>
struct Field : Place<Row> {
  Type type;
};

inline Type text_type(std::size_t width) {
  Type type(H5Tcopy(H5T_C_S1), "H5Tcopy");
  check(H5Tset_size(type, width), "H5Tset_size");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

template <class Row>
Type compound_type(const std::vector<Field<Row>>& fields) {
  Type type(H5Tcreate(H5T_COMPOUND, row_bytes(fields)), "H5Tcreate");
  for (const auto& field : fields) check(H5Tinsert(type, std::string(field.column->name).c_str(), field.offset, field.type), "H5Tinsert");
  return type;
}

}  // namespace plumbline::hdf5
