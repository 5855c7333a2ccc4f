// The result file is described here as data: one table a record type. The HDF5 columns, their attributes and the journal's keys all come
// from here.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/records.hpp"

namespace plumbline {

inline constexpr std::string_view schema_family = "plumbline/";
inline constexpr int schema_version = 1;

/// The member of a record that holds a column's value.
template <class Row>
using Member = std::variant<std::string Row::*, Status Row::*, CeilingLevel Row::*, std::int32_t Row::*, std::int64_t Row::*,
                            std::uint64_t Row::*, double Row::*>;

enum class Since { contract, extension };  // a column or table that schema 1 promises, or one that an older schema-1 file may lack

template <class Row>
struct Column {
  std::string_view name;
  Member<Row> member;
  std::string_view units;      // "1" for plain numbers; empty for text
  std::string_view long_name;  // what the number means
  std::string_view better;     // higher | lower | none; empty for text
  Since since = Since::contract;

  bool is_text() const { return member.index() <= 2; }
};

template <class Row>
struct Table {
  std::string_view name;  // of the dataset
  std::span<const Column<Row>> columns;
  Since since = Since::contract;
};

/// The table of a record type.
template <class Row>
const Table<Row>& table_of();
template <>
const Table<CaseRow>& table_of();
template <>
const Table<OutcomeRow>& table_of();
template <>
const Table<TimeRow>& table_of();
template <>
const Table<CountRow>& table_of();
template <>
const Table<ModelRow>& table_of();
template <>
const Table<CeilingRow>& table_of();
template <>
const Table<MachineRow>& table_of();
template <>
const Table<RemeasuredRow>& table_of();
template <>
const Table<ProfileRow>& table_of();
template <>
const Table<IntensityRow>& table_of();

/// Visits every measured table of the file, in the file's order, with the rows that belong to it; the derived one is not among them.
template <class AnyResults, class Visit>
void for_each_table(AnyResults& results, Visit visit) {
  visit(table_of<CaseRow>(), results.cases);
  visit(table_of<OutcomeRow>(), results.outcomes);
  visit(table_of<TimeRow>(), results.times);
  visit(table_of<CountRow>(), results.counts);
  visit(table_of<ModelRow>(), results.model);
  visit(table_of<CeilingRow>(), results.ceilings);
  visit(table_of<MachineRow>(), results.machines);
  visit(table_of<RemeasuredRow>(), results.remeasured);
  visit(table_of<ProfileRow>(), results.profile);
}

}  // namespace plumbline
