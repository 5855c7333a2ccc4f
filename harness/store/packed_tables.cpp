#include "store/packed_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/json_text.hpp"
#include "store/packed_rows.hpp"
#include "store/read_row.hpp"

namespace plumbline {
namespace {

/// Texts that are JSON are copied and printed by whoever reads them.
void require_shallow(std::string_view text) {
  if ((text.starts_with('{') || text.starts_with('[')) && nests_deeply(text)) throw Damage("a document in it is nested too deeply");
}

void unpack(const char* cell, std::size_t width, std::string& text) {
  text.assign(cell, strnlen(cell, width));
  require_shallow(text);
}
void unpack(const char* cell, std::size_t width, Status& status) {
  const std::string_view word(cell, strnlen(cell, width));
  const auto known = status_from(word);
  if (!known) throw Damage(fmt::format("unknown status '{}'", word));
  status = *known;
}
void unpack(const char* cell, std::size_t width, CeilingLevel& level) { level = std::string(cell, strnlen(cell, width)); }
template <class Number>
void unpack(const char* cell, std::size_t, Number& number) {
  std::memcpy(&number, cell, sizeof number);
}

/// The bytes of a cell of that type; 0 where the column's values are of another.
template <class Row>
std::size_t width_of(const Column<Row>& column, const std::string& type) {
  if (column.is_text()) {
    std::size_t width = 0;
    constexpr std::size_t most = 1U << 30;
    const char* const end = type.data() + type.size();
    const bool is_text = type.starts_with('S') && std::from_chars(type.data() + 1, end, width).ptr == end;
    return is_text && width <= most ? width : 0;
  }
  return std::visit(
      [&]<class T>(T Row::*) -> std::size_t {
        if constexpr (std::is_arithmetic_v<T>) return type == packed_type(T{}) ? sizeof(T) : 0;
        return 0;
      },
      column.member);
}

template <class Row>
std::vector<Place<Row>> places_of(const std::vector<PackedColumn>& columns) {
  const auto& table = table_of<Row>();
  std::vector<Place<Row>> places;
  std::size_t offset = 0;
  for (const auto& packed : columns) {
    const auto column = std::ranges::find(table.columns, std::string_view(packed.name), &Column<Row>::name);
    const std::size_t width = column == table.columns.end() ? 0 : width_of(*column, packed.type);
    if (width == 0) throw Damage(fmt::format("'/{}' has no column '{}' of type {}", table.name, packed.name, packed.type));
    places.push_back({&*column, offset, width});
    offset += width;
  }
  for (const auto& column : table.columns)
    if (column.since == Since::contract && std::ranges::find(columns, column.name, &PackedColumn::name) == columns.end())
      throw Damage(fmt::format("table '/{}' has no column '{}'", table.name, column.name));
  return places;
}

std::size_t text_bytes(const std::string& text) { return text.size(); }
std::size_t text_bytes(const CeilingLevel& level) { return level.word().size(); }
template <class Value>
std::size_t text_bytes(const Value&) {
  return 0;
}

void take_room(std::uint64_t bytes, std::uint64_t& left) {
  if (bytes > left) throw Damage("it has more rows than a file of its size can have");
  left -= bytes;
}

template <class Row>
void unpack_rows(std::string_view packed, const std::vector<Place<Row>>& places, std::vector<Row>& rows, std::uint64_t& left) {
  const std::size_t stride = row_bytes(places), first = rows.size();
  if (packed.size() % stride != 0) throw Damage(fmt::format("'/{}' ends within a row", table_of<Row>().name));
  take_room(packed.size() / stride * sizeof(Row), left);
  rows.resize(first + packed.size() / stride);
  for (std::size_t i = first; i < rows.size(); ++i, packed.remove_prefix(stride)) {
    for (const auto& place : places)
      std::visit(
          [&](auto member) {
            unpack(packed.data() + place.offset, place.width, rows[i].*member);
            take_room(text_bytes(rows[i].*member), left);
          },
          place.column->member);
    understand(rows[i]);
  }
}

}  // namespace

void Unpacker::text(std::string_view name, std::string_view value) {
  require_shallow(value);
  if (name == "provenance") results.provenance = value;
  if (name == "campaign") results.campaign = value;
  if (name != "derived_by" && name != "reason") return;
  if (!derived) derived.emplace();
  (name == "reason" ? derived->reason : derived->derived_by) = value;
}

void Unpacker::table(std::string_view name, const std::vector<PackedColumn>& columns) {
  take_ = nullptr;
  const auto take_if_it_is = [&]<class Row>(const Table<Row>& table, std::vector<Row>& rows) {
    if (table.name == name)
      take_ = [places = places_of<Row>(columns), &rows, this](std::string_view packed) { unpack_rows(packed, places, rows, left_); };
  };
  for_each_table(results, take_if_it_is);
  if (derived) take_if_it_is(table_of<IntensityRow>(), derived->rows);
  if (!take_) throw Damage(fmt::format("there is no table '/{}' to be read", name));
}

void Unpacker::rows(std::string_view packed) {
  if (!take_) throw Damage("it has rows of no table");
  take_(packed);
}

}  // namespace plumbline
