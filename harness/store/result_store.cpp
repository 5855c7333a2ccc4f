#include "store/result_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/error.hpp"
#include "store/file_bytes.hpp"
#include "store/hdf5_handle.hpp"
#include "store/journal.hpp"
#include "store/schema.hpp"

namespace plumbline {
namespace {

using namespace hdf5;

constexpr hsize_t rows_per_chunk = 4096;     // also the block that is converted at a time
constexpr hsize_t rows_worth_a_filter = 64;  // smaller tables stay plain
constexpr std::size_t file_growth = 1U << 22;
constexpr unsigned deflate_level = 4;

hid_t number_type(std::int32_t) { return H5T_NATIVE_INT32; }
hid_t number_type(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t number_type(std::uint64_t) { return H5T_NATIVE_UINT64; }
hid_t number_type(double) { return H5T_NATIVE_DOUBLE; }

// Text lies in `width` bytes, padded with NULs.
std::string_view as_text(const std::string& text) { return text; }
std::string_view as_text(Status status) { return to_string(status); }

template <class Value>
void pack(const Value& value, char* cell) {
  if constexpr (std::is_arithmetic_v<Value>)
    std::memcpy(cell, &value, sizeof value);
  else
    std::ranges::copy(as_text(value), cell);
}

void unpack(const char* cell, std::size_t width, std::string& text) { text.assign(cell, strnlen(cell, width)); }
void unpack(const char* cell, std::size_t width, Status& status) {
  const std::string_view word(cell, strnlen(cell, width));
  const auto known = status_from(word);
  if (!known) throw Failure(fmt::format("unknown status '{}'", word));
  status = *known;
}
template <class Number>
void unpack(const char* cell, std::size_t, Number& number) {
  std::memcpy(&number, cell, sizeof number);
}

/// One column inside a packed row.
template <class Row>
struct Field {
  const Column<Row>* column;
  std::size_t offset, width;
  Type type;
};

Type text_type(std::size_t width) {
  Type type(H5Tcopy(H5T_C_S1), "H5Tcopy");
  check(H5Tset_size(type, width), "H5Tset_size");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

/// Where each column lies in a packed row; text as wide as the longest of `rows`.
template <class Row>
std::vector<Field<Row>> lay_out(const std::vector<Row>& rows) {
  std::vector<Field<Row>> fields;
  std::size_t offset = 0;
  for (const auto& column : table_of<Row>().columns) {
    std::visit(
        [&]<class T>(T Row::*member) {
          if constexpr (std::is_arithmetic_v<T>) {
            fields.push_back({&column, offset, sizeof(T), Type(H5Tcopy(number_type(T{})), "H5Tcopy")});
          } else {
            std::size_t width = 1;
            for (const Row& row : rows) width = std::max(width, as_text(row.*member).size());
            fields.push_back({&column, offset, width, text_type(width)});
          }
        },
        column.member);
    offset += fields.back().width;
  }
  return fields;
}

template <class Row>
std::size_t row_bytes(const std::vector<Field<Row>>& fields) {
  return fields.empty() ? 0 : fields.back().offset + fields.back().width;
}

template <class Row>
Type compound_type(const std::vector<Field<Row>>& fields) {
  Type type(H5Tcreate(H5T_COMPOUND, row_bytes(fields)), "H5Tcreate");
  for (const auto& field : fields) check(H5Tinsert(type, std::string(field.column->name).c_str(), field.offset, field.type), "H5Tinsert");
  return type;
}

/// Calls transfer(memory space, file space, first row, rows) block by block, so that packed rows never fill the memory.
template <class Transfer>
void for_each_block(hid_t dataset, hsize_t rows, Transfer transfer) {
  Space file(H5Dget_space(dataset), "H5Dget_space");
  for (hsize_t first = 0; first < rows; first += rows_per_chunk) {
    const hsize_t count = std::min(rows_per_chunk, rows - first);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "H5Sselect_hyperslab");
    const Space memory(H5Screate_simple(1, &count, nullptr), "H5Screate_simple");
    transfer(memory, file, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
}

// Attributes are variable-length text: h5py gives them as str, and a campaign may exceed the 64 KiB of a plain attribute.
void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const Type type = text_type(H5T_VARIABLE);
  const Space scalar(H5Screate(H5S_SCALAR), "H5Screate");
  const Attribute attribute(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
  const std::string owned(text);
  const char* pointer = owned.c_str();
  check(H5Awrite(attribute, type, &pointer), "H5Awrite");
}

template <class Row>
void write_column_attributes(hid_t dataset) {
  for (const auto& column : table_of<Row>().columns) {
    const std::string name(column.name);
    write_attribute(dataset, name + ".long_name", column.long_name);
    if (column.is_text()) continue;
    write_attribute(dataset, name + ".units", column.units);
    write_attribute(dataset, name + ".better", column.better);
  }
}

Properties dataset_layout(hsize_t rows) {
  Properties layout(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
  if (rows == 0) return layout;
  const hsize_t chunk = std::min(rows, rows_per_chunk);
  check(H5Pset_chunk(layout, 1, &chunk), "H5Pset_chunk");
  if (rows >= rows_worth_a_filter && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
    check(H5Pset_deflate(layout, deflate_level), "H5Pset_deflate");
  check(H5Pset_fletcher32(layout), "H5Pset_fletcher32");
  return layout;
}

template <class Row>
void write_table(hid_t file, const std::vector<Row>& rows) {
  const auto fields = lay_out(rows);
  const std::size_t stride = row_bytes(fields);
  const Type type = compound_type(fields);
  const hsize_t count = rows.size();
  const Space space(H5Screate_simple(1, &count, nullptr), "H5Screate_simple");
  const Properties layout = dataset_layout(count);
  const std::string name(table_of<Row>().name);
  const Dataset dataset(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT), "H5Dcreate2");
  write_column_attributes<Row>(dataset);
  std::vector<char> block;
  for_each_block(dataset, count, [&](hid_t memory, hid_t selected, std::size_t first, std::size_t taken) {
    block.assign(taken * stride, '\0');
    for (std::size_t i = 0; i < taken; ++i)
      for (const auto& field : fields) {
        char* cell = block.data() + i * stride + field.offset;
        std::visit([&](auto member) { pack(rows[first + i].*member, cell); }, field.column->member);
      }
    check(H5Dwrite(dataset, type, memory, selected, H5P_DEFAULT, block.data()), "H5Dwrite");
  });
}

void write_contents(hid_t file, const Results& results) {
  write_attribute(file, "schema", fmt::format("{}{}", schema_family, schema_version));
  write_attribute(file, "provenance", results.provenance);
  write_attribute(file, "campaign", results.campaign);
  for_each_table(results, [&](const auto&, const auto& rows) { write_table(file, rows); });
}

// The file is built in memory and written by us: then a full disk is an errno of ours and never a half-closed HDF5 library.
void write_image(const std::filesystem::path& path, const Results& results) {
  FileImage image;
  {
    const Properties access(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    check(H5Pset_fapl_core(access, file_growth, false), "H5Pset_fapl_core");
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    image.take_from(access);
    const File file(H5Fcreate("plumbline", H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate");
    write_contents(file, results);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
  }
  replace_durably(path, image.bytes(), "result file");
}

std::string read_attribute(hid_t file, const char* name) {
  const Attribute attribute(H5Aopen(file, name, H5P_DEFAULT), "H5Aopen");
  const Type stored(H5Aget_type(attribute), "H5Aget_type");
  if (H5Tget_class(stored) != H5T_STRING) throw Failure(fmt::format("attribute '{}' is no text", name));
  const Space space(H5Aget_space(attribute), "H5Aget_space");
  if (H5Sget_simple_extent_npoints(space) != 1) throw Failure(fmt::format("attribute '{}' is not one text", name));
  if (check(H5Tis_variable_str(stored), "H5Tis_variable_str") == 0) {
    std::string text(H5Tget_size(stored), '\0');
    check(H5Aread(attribute, stored, text.data()), "H5Aread");
    return text.substr(0, text.find('\0'));
  }
  char* pointer = nullptr;
  check(H5Aread(attribute, stored, &pointer), "H5Aread");
  std::string text = pointer == nullptr ? "" : pointer;
  check(H5Dvlen_reclaim(stored, space, H5P_DEFAULT, &pointer), "H5Dvlen_reclaim");
  return text;
}

/// Where each column of ours lies in a row as we read it; columns that the file has besides are left out.
template <class Row>
std::vector<Field<Row>> lay_out_stored(hid_t dataset) {
  const auto& table = table_of<Row>();
  const Type stored(H5Dget_type(dataset), "H5Dget_type");
  if (H5Tget_class(stored) != H5T_COMPOUND) throw Failure(fmt::format("dataset '/{}' is no table", table.name));
  std::vector<Field<Row>> fields;
  std::size_t offset = 0;
  for (const auto& column : table.columns) {
    const int index = H5Tget_member_index(stored, std::string(column.name).c_str());
    if (index < 0 && column.since == Since::extension) continue;
    if (index < 0) throw Failure(fmt::format("table '/{}' has no column '{}'", table.name, column.name));
    Type member(H5Tget_member_type(stored, static_cast<unsigned>(index)), "H5Tget_member_type");
    const H5T_class_t kind = H5Tget_class(member);
    const bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT;
    const bool is_fixed_text = kind == H5T_STRING && H5Tis_variable_str(member) == 0;
    if (column.is_text() ? !is_fixed_text : !is_number)
      throw Failure(
          fmt::format("column '{}' of '/{}' is not {}", column.name, table.name, column.is_text() ? "fixed-length text" : "a number"));
    std::visit(
        [&]<class T>(T Row::*) {
          if constexpr (std::is_arithmetic_v<T>) member = Type(H5Tcopy(number_type(T{})), "H5Tcopy");
        },
        column.member);
    const std::size_t width = H5Tget_size(member);
    fields.push_back({&column, offset, width, std::move(member)});
    offset += width;
  }
  return fields;
}

template <class Row>
void read_table(hid_t file, std::vector<Row>& rows) {
  const std::string name = fmt::format("/{}", table_of<Row>().name);
  const Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "H5Dopen2");
  const auto fields = lay_out_stored<Row>(dataset);
  const std::size_t stride = row_bytes(fields);
  const Type type = compound_type(fields);
  const Space space(H5Dget_space(dataset), "H5Dget_space");
  if (H5Sget_simple_extent_ndims(space) != 1) throw Failure(fmt::format("dataset '{}' is no table", name));
  hsize_t count = 0;
  check(H5Sget_simple_extent_dims(space, &count, nullptr), "H5Sget_simple_extent_dims");
  rows.resize(count);
  std::vector<char> block;
  for_each_block(dataset, count, [&](hid_t memory, hid_t selected, std::size_t first, std::size_t taken) {
    block.assign(taken * stride, '\0');
    check(H5Dread(dataset, type, memory, selected, H5P_DEFAULT, block.data()), "H5Dread");
    for (std::size_t i = 0; i < taken; ++i)
      for (const auto& field : fields) {
        const char* cell = block.data() + i * stride + field.offset;
        std::visit([&](auto member) { unpack(cell, field.width, rows[first + i].*member); }, field.column->member);
      }
  });
}

/// Throws user_error unless `schema` is one that this program reads.
void require_schema(const std::string& schema, const std::filesystem::path& path) {
  const std::string_view text = schema;
  int version = 0;
  const bool ours =
      text.starts_with(schema_family) &&
      std::from_chars(text.data() + schema_family.size(), text.data() + text.size(), version).ptr == text.data() + text.size();
  if (!ours)
    throw user_error(
        fmt::format("'{}' is no plumbline result file (its schema is '{}'); give one that plumbline run wrote", path.string(), schema));
  if (version != schema_version)
    throw user_error(fmt::format("result file '{}' has schema {} and this plumbline reads {}{}; use a newer plumbline", path.string(),
                                 schema, schema_family, schema_version));
}

Results read_image(std::string& bytes, const std::filesystem::path& path) {
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  check(H5Pset_fapl_core(access, file_growth, false), "H5Pset_fapl_core");
  check(H5Pset_file_image(access, bytes.data(), bytes.size()), "H5Pset_file_image");
  const File file(H5Fopen("plumbline", H5F_ACC_RDONLY, access), "H5Fopen");
  if (check(H5Aexists(file, "schema"), "H5Aexists") == 0)
    throw user_error(
        fmt::format("'{}' is no plumbline result file (it is HDF5 without our schema); give one that plumbline run wrote", path.string()));
  require_schema(read_attribute(file, "schema"), path);
  Results results;
  results.provenance = read_attribute(file, "provenance");
  results.campaign = read_attribute(file, "campaign");
  for_each_table(results, [&](const auto&, auto& rows) { read_table(file, rows); });
  return results;
}

}  // namespace

void write_store(const std::filesystem::path& path, const Results& results) {
  const Silence silence;
  try {
    write_image(path, results);
  } catch (const Failure& failure) {
    throw io_error(fmt::format("result file '{}' cannot be built: {}; please report it", path.string(), failure.what()));
  }
}

Results load_store(const std::filesystem::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  const Silence silence;
  std::string bytes = read_bytes(path, "result file");
  if (!std::string_view(bytes).starts_with(signature.substr(0, std::max<std::size_t>(1, std::min(bytes.size(), signature.size())))))
    throw user_error(fmt::format("'{}' is no plumbline result file (it is not HDF5); give one that plumbline run wrote", path.string()));
  try {
    return read_image(bytes, path);
  } catch (const Failure& failure) {
    throw user_error(
        fmt::format("result file '{}' is cut short or damaged ({}); copy it again, or measure again with plumbline run --overwrite; a "
                    "journal, if {} is there, gives it back by plumbline recover",
                    path.string(), failure.what(), journal_directory(path).string()));
  }
}

}  // namespace plumbline
