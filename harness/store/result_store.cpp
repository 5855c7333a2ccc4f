#include "store/result_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "store/file_bytes.hpp"
#include "store/hdf5_rows.hpp"
#include "store/journal.hpp"
#include "store/schema.hpp"
#include "store/session_hold.hpp"
#include "store/sound_heaps.hpp"
#include "store/store_writer.hpp"

namespace plumbline {
namespace {

using namespace hdf5;

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

/// Calls transfer(memory space, file space, rows) block by block, so that packed rows never fill the memory.
template <class Transfer>
void for_each_block(hid_t dataset, hsize_t rows, Transfer transfer) {
  Space file(H5Dget_space(dataset), "H5Dget_space");
  for (hsize_t first = 0; first < rows; first += rows_per_chunk) {
    const hsize_t count = std::min(rows_per_chunk, rows - first);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "H5Sselect_hyperslab");
    const Space memory(H5Screate_simple(1, &count, nullptr), "H5Screate_simple");
    transfer(memory, file, static_cast<std::size_t>(count));
  }
}

/// The most bytes that inflating one deflated byte can give.
constexpr hsize_t most_inflated = 1032;

std::string read_attribute(hid_t file, const char* name) {
  const Attribute attribute(H5Aopen(file, name, H5P_DEFAULT), "H5Aopen");
  const Type stored(H5Aget_type(attribute), "H5Aget_type");
  if (H5Tget_class(stored) != H5T_STRING) throw Failure(fmt::format("attribute '{}' is no text", name));
  const Space space(H5Aget_space(attribute), "H5Aget_space");
  if (H5Sget_simple_extent_npoints(space) != 1) throw Failure(fmt::format("attribute '{}' is not one text", name));
  if (check(H5Tis_variable_str(stored), "H5Tis_variable_str") == 0) {
    hsize_t whole = 0;
    const File holder(H5Iget_file_id(attribute), "H5Iget_file_id");
    check(H5Fget_filesize(holder, &whole), "H5Fget_filesize");
    if (H5Tget_size(stored) > whole) throw Failure(fmt::format("attribute '{}' is said to be longer than its file", name));
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

/// A dataset of a file that anybody may have made: a link may lead to another file, and so may a dataset's layout. Only what lies in this
/// file itself is opened, and only if it has bytes for the rows that it says it has.
Dataset open_own_dataset(hid_t file, const std::string& name) {
  if (check(H5Lexists(file, name.c_str(), H5P_DEFAULT), "H5Lexists") == 0) throw Failure(fmt::format("it has no table '{}'", name));
  H5L_info_t link{};
  check(H5Lget_info(file, name.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
  if (link.type != H5L_TYPE_HARD) throw Failure(fmt::format("'{}' is a link to somewhere else", name));
  Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "H5Dopen2");
  const Properties made(H5Dget_create_plist(dataset), "H5Dget_create_plist");
  if (H5Pget_layout(made) == H5D_VIRTUAL || check(H5Pget_external_count(made), "H5Pget_external_count") > 0)
    throw Failure(fmt::format("the rows of '{}' lie in other files", name));
  const Space space(H5Dget_space(dataset), "H5Dget_space");
  const Type stored(H5Dget_type(dataset), "H5Dget_type");
  const auto rows = static_cast<hsize_t>(check(H5Sget_simple_extent_npoints(space), "H5Sget_simple_extent_npoints"));
  hsize_t whole = 0;
  check(H5Fget_filesize(file, &whole), "H5Fget_filesize");
  const hsize_t has = std::min(H5Dget_storage_size(dataset), whole), row = H5Tget_size(stored);
  if (row != 0 && rows / most_inflated > has / row) throw Failure(fmt::format("'{}' says it has {} rows, in {} bytes", name, rows, has));
  for (int i = 0; i < check(H5Pget_nfilters(made), "H5Pget_nfilters"); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(made, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      throw Failure(
          fmt::format("the rows of '{}' went through a filter that is not read here (number {})", name, static_cast<int>(filter)));
  }
  return dataset;
}

/// The places of our columns in a row as we read it; columns that the file has besides are left out.
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
    fields.push_back({{&column, offset, width}, std::move(member)});
    offset += width;
  }
  return fields;
}

template <class Row>
std::vector<PackedColumn> packed(const std::vector<Field<Row>>& fields) {
  std::vector<PackedColumn> columns;
  for (const auto& field : fields) {
    const Column<Row>& column = *field.column;
    std::string type = fmt::format("S{}", field.width);
    std::visit(
        [&]<class T>(T Row::*) {
          if constexpr (std::is_arithmetic_v<T>) type = packed_type(T{});
        },
        column.member);
    columns.push_back({std::string(column.name), std::move(type), column.units, column.long_name, column.better});
  }
  return columns;
}

template <class Row>
void read_table(hid_t file, PackedTables& taker) {
  const std::string name = fmt::format("/{}", table_of<Row>().name);
  if (table_of<Row>().since == Since::extension && check(H5Lexists(file, name.c_str(), H5P_DEFAULT), "H5Lexists") == 0) return;
  const Dataset dataset = open_own_dataset(file, name);
  const auto fields = lay_out_stored<Row>(dataset);
  const std::size_t stride = row_bytes(fields);
  const Type type = compound_type(fields);
  const Space space(H5Dget_space(dataset), "H5Dget_space");
  if (H5Sget_simple_extent_ndims(space) != 1) throw Failure(fmt::format("dataset '{}' is no table", name));
  hsize_t count = 0;
  check(H5Sget_simple_extent_dims(space, &count, nullptr), "H5Sget_simple_extent_dims");
  taker.table(table_of<Row>().name, packed(fields));
  std::string block;
  for_each_block(dataset, count, [&](hid_t memory, hid_t selected, std::size_t rows) {
    block.assign(rows * stride, '\0');
    check(H5Dread(dataset, type, memory, selected, H5P_DEFAULT, block.data()), "H5Dread");
    taker.rows(block);
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
    throw user_error(fmt::format("'{}' is no plumbline result file (its schema is '{}'); give one that plumbline run or profile wrote",
                                 path.string(), schema));
  if (version != schema_version)
    throw user_error(fmt::format("result file '{}' has schema {} and this plumbline reads {}{}; use a newer plumbline", path.string(),
                                 schema, schema_family, schema_version));
}

/// Calls back with the open file, whose schema is one that this program reads.
template <class Read>
void read_image(std::string& bytes, const std::filesystem::path& path, Read read) {
  require_sound_heaps(bytes);
  check(H5PLset_loading_state(0), "H5PLset_loading_state");  // no filter that a file asks for comes from a library that lies somewhere
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  check(H5Pset_fapl_core(access, file_growth, false), "H5Pset_fapl_core");
  check(H5Pset_file_image(access, bytes.data(), bytes.size()), "H5Pset_file_image");
  const File file(H5Fopen("/plumbline", H5F_ACC_RDONLY, access), "H5Fopen");
  if (check(H5Aexists(file, "schema"), "H5Aexists") == 0)
    throw user_error(fmt::format(
        "'{}' is no plumbline result file (it is HDF5 without our schema); give one that plumbline run or profile wrote", path.string()));
  require_schema(read_attribute(file, "schema"), path);
  read(file);
}

void read_measured(hid_t file, PackedTables& taker) {
  for (const char* name : {"provenance", "campaign"}) taker.text(name, read_attribute(file, name));
  const Results all;
  for_each_table(all, [&]<class Row>(const Table<Row>&, const std::vector<Row>&) { read_table<Row>(file, taker); });
}

void read_derived(hid_t file, PackedTables& taker) {
  const std::string name(table_of<IntensityRow>().name);
  if (check(H5Lexists(file, name.c_str(), H5P_DEFAULT), "H5Lexists") == 0) return;
  const Dataset dataset = open_own_dataset(file, name);
  for (const char* attribute : {"derived_by", "reason"}) taker.text(attribute, read_attribute(dataset, attribute));
  read_table<IntensityRow>(file, taker);
}

}  // namespace

bool begins_as_store(const std::filesystem::path& path) {
  std::array<char, signature.size()> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return std::string_view(start.data(), static_cast<std::size_t>(file.gcount())) == signature;
}

void write_store(const std::filesystem::path& path, const Results& results, const Intensities* derived) {
  StoreShape shape;
  shape.add(results);
  StoreWriter writer(path, shape);
  writer.append(results);
  if (derived != nullptr) writer.add(*derived);
  writer.finish(results.provenance, results.campaign);
}

Error damaged_store(const std::filesystem::path& path, const std::string& why) {
  const std::filesystem::path journal = journal_directory(path);
  return user_error(fmt::format(
      "result file '{}' is cut short or damaged ({}); copy it again, or measure again with plumbline run --overwrite{}", path.string(), why,
      tells_of_unfinished_run(journal)
          ? fmt::format("; 'plumbline recover {} -o NEW.h5' gives back what its journal holds", journal.string())
          : ""));
}

void read_store(const std::filesystem::path& path, StorePart part, PackedTables& taker, const std::function<void(std::size_t)>& before) {
  const Silence silence;
  const std::filesystem::path journal = journal_directory(path);
  std::error_code none;
  if (tells_of_unfinished_run(journal) && !std::filesystem::exists(path, none))
    throw user_error(
        fmt::format("{} is not there yet, but the journal of an unfinished run is: 'plumbline recover {}' makes a result file of "
                    "what it has, 'plumbline run CAMPAIGN -o {} --resume' finishes it",
                    path.string(), journal.string(), path.string()));
  std::string bytes = read_bytes(path, "result file");
  if (!std::string_view(bytes).starts_with(signature.substr(0, std::max<std::size_t>(1, std::min(bytes.size(), signature.size())))))
    throw user_error(fmt::format("'{}' is no plumbline result file (it is {}); give one that plumbline run or profile wrote", path.string(),
                                 bytes.starts_with('{') ? "JSON, which is printed for other programs, and not HDF5" : "not HDF5"));
  before(bytes.size());
  try {
    read_image(bytes, path, [&](hid_t file) { part == StorePart::measured ? read_measured(file, taker) : read_derived(file, taker); });
  } catch (const Failure& failure) {
    throw Damage(failure.what());
  }
}

namespace {

void unpack(const std::filesystem::path& path, StorePart part, Unpacker& rows) try {
  read_store(path, part, rows);
} catch (const Damage& damage) {
  throw damaged_store(path, damage.what());
}

}  // namespace

Results load_store(const std::filesystem::path& path) {
  Unpacker rows;
  unpack(path, StorePart::measured, rows);
  return std::move(rows.results);
}

std::optional<Intensities> load_intensities(const std::filesystem::path& path) {
  Unpacker rows;
  unpack(path, StorePart::derived, rows);
  return std::move(rows.derived);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "of unknown version";
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace plumbline
