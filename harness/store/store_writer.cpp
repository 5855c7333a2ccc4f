#include "store/store_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "store/file_bytes.hpp"
#include "store/hdf5_rows.hpp"
#include "store/schema.hpp"

namespace plumbline {
namespace {

using namespace hdf5;

constexpr hsize_t rows_worth_a_filter = 64;  // smaller tables stay plain
constexpr unsigned deflate_level = 4;

// Text lies in `width` bytes, padded with NULs.
std::string_view as_text(const std::string& text) { return text; }
std::string_view as_text(Status status) { return to_string(status); }
std::string_view as_text(const CeilingLevel& level) { return level.word(); }

template <class Value>
void pack(const Value& value, char* cell) {
  if constexpr (std::is_arithmetic_v<Value>)
    std::memcpy(cell, &value, sizeof value);
  else
    std::ranges::copy(as_text(value), cell);
}

template <class Row>
void widen(StoreShape::OfTable& shape, const std::vector<Row>& rows) {
  const auto& columns = table_of<Row>().columns;
  shape.rows += rows.size();
  shape.widths.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::visit(
        [&]<class T>(T Row::*member) {
          if constexpr (!std::is_arithmetic_v<T>)
            for (const Row& row : rows) shape.widths[i] = std::max(shape.widths[i], as_text(row.*member).size());
        },
        columns[i].member);
}

/// The places of the columns in a packed row; a text is as wide as the longest.
template <class Row>
std::vector<Field<Row>> lay_out(const StoreShape::OfTable& shape) {
  std::vector<Field<Row>> fields;
  std::size_t offset = 0;
  for (const auto& column : table_of<Row>().columns) {
    std::visit(
        [&]<class T>(T Row::*) {
          if constexpr (std::is_arithmetic_v<T>) {
            fields.push_back({{&column, offset, sizeof(T)}, Type(H5Tcopy(number_type(T{})), "H5Tcopy")});
          } else {
            const std::size_t width = std::max<std::size_t>(1, fields.size() < shape.widths.size() ? shape.widths[fields.size()] : 0);
            fields.push_back({{&column, offset, width}, text_type(width)});
          }
        },
        column.member);
    offset += fields.back().width;
  }
  return fields;
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

/// Writes one table of an open file. A chunk is written once, when it is full.
template <class Row>
class TableWriter {
 public:
  TableWriter(hid_t file, const StoreShape::OfTable& shape)
      : fields_(lay_out<Row>(shape)), stride_(row_bytes(fields_)), type_(compound_type(fields_)), rows_(shape.rows) {
    const Space space(H5Screate_simple(1, &rows_, nullptr), "H5Screate_simple");
    const Properties layout = dataset_layout(rows_);
    const std::string name(table_of<Row>().name);
    dataset_.emplace(H5Dcreate2(file, name.c_str(), type_, space, H5P_DEFAULT, layout, H5P_DEFAULT), "H5Dcreate2");
    write_column_attributes<Row>(*dataset_);
  }

  void append(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const std::size_t at = block_.size();
      block_.resize(at + stride_, '\0');
      for (const auto& field : fields_)
        std::visit(
            [&]<class T>(T Row::*member) {
              if constexpr (!std::is_arithmetic_v<T>)
                if (as_text(row.*member).size() > field.width) throw Failure("a text is longer than it was");
              pack(row.*member, block_.data() + at + field.offset);
            },
            field.column->member);
      if (block_.size() == stride_ * rows_per_chunk) flush();
    }
  }

  void mark(const std::string& name, std::string_view text) { write_attribute(*dataset_, name, text); }

  void finish() {
    if (!block_.empty()) flush();
    if (written_ != rows_) throw Failure("there are fewer rows than there were");
  }

 private:
  void flush() {
    const hsize_t count = block_.size() / stride_;
    if (written_ + count > rows_) throw Failure("there are more rows than there were");
    const Space file(H5Dget_space(*dataset_), "H5Dget_space"), memory(H5Screate_simple(1, &count, nullptr), "H5Screate_simple");
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &written_, nullptr, &count, nullptr), "H5Sselect_hyperslab");
    check(H5Dwrite(*dataset_, type_, memory, file, H5P_DEFAULT, block_.data()), "H5Dwrite");
    written_ += count;
    block_.clear();
  }

  std::vector<Field<Row>> fields_;
  std::size_t stride_;
  Type type_;
  hsize_t rows_, written_ = 0;
  std::optional<Dataset> dataset_;
  std::vector<char> block_;  // packed rows
};

using TableWriters =
    std::tuple<TableWriter<CaseRow>, TableWriter<OutcomeRow>, TableWriter<TimeRow>, TableWriter<CountRow>, TableWriter<ModelRow>,
               TableWriter<CeilingRow>, TableWriter<MachineRow>, TableWriter<RemeasuredRow>, TableWriter<ProfileRow>>;

/// HDF5's failures as an error of ours.
template <class Work>
void building(const std::filesystem::path& path, Work work) {
  const Silence silence;
  try {
    work();
  } catch (const Failure& failure) {
    throw io_error(fmt::format("result file '{}' cannot be built: {}; please report it", path.string(), failure.what()));
  }
}

}  // namespace

void StoreShape::add(const Results& part) {
  std::size_t number = 0;
  for_each_table(part, [&](const auto&, const auto& rows) { widen(tables_[number++], rows); });
}

// The file is built in memory and written by us: then a full disk is an errno of ours and never a half-closed HDF5 library.
struct StoreWriter::Image {
  explicit Image(const StoreShape& shape) {
    const Properties access(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    check(H5Pset_fapl_core(access, file_growth, false), "H5Pset_fapl_core");
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    memory.take_from(access);
    file.emplace(H5Fcreate("plumbline", H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate");
    write_attribute(*file, "schema", fmt::format("{}{}", schema_family, schema_version));
    open_tables(shape, std::make_index_sequence<std::tuple_size_v<TableWriters>>());
  }

  template <std::size_t... Number>
  void open_tables(const StoreShape& shape, std::index_sequence<Number...>) {
    tables.emplace(std::tuple_element_t<Number, TableWriters>(*file, shape.table(Number))...);
  }

  FileImage memory;
  std::optional<File> file;
  std::optional<TableWriters> tables;  // closed before the file
};

StoreWriter::StoreWriter(std::filesystem::path path, const StoreShape& shape) : path_(std::move(path)) {
  building(path_, [&] { image_ = std::make_unique<Image>(shape); });
}

StoreWriter::~StoreWriter() = default;

void StoreWriter::append(const Results& part) {
  building(path_, [&] {
    for_each_table(part, [&]<class Row>(const Table<Row>&, const std::vector<Row>& rows) {
      std::get<TableWriter<Row>>(*image_->tables).append(rows);
    });
  });
}

void StoreWriter::add(const Intensities& derived) {
  building(path_, [&] {
    StoreShape::OfTable shape;
    widen(shape, derived.rows);
    TableWriter<IntensityRow> table(*image_->file, shape);
    table.mark("derived", "computed from the other tables when the file was written; nothing is judged by it");
    table.mark("derived_by", derived.derived_by);
    table.mark("reason", derived.reason);
    table.append(derived.rows);
    table.finish();
  });
}

void StoreWriter::finish(const std::string& provenance, const std::string& campaign) {
  building(path_, [&] {
    std::apply([](auto&... table) { (table.finish(), ...); }, *image_->tables);
    write_attribute(*image_->file, "provenance", provenance);
    write_attribute(*image_->file, "campaign", campaign);
    image_->tables.reset();
    check(H5Fflush(*image_->file, H5F_SCOPE_GLOBAL), "H5Fflush");
    image_->file.reset();
    replace_durably(path_, image_->memory.bytes(), "result file");
  });
}

}  // namespace plumbline
