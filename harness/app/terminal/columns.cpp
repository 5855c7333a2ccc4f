#include "app/terminal/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace plumbline::app {
namespace {

/// The spelling of units in keys (DESIGN: keys carry units), and what they are called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> units{{{"seconds", "s"},
                                                                              {"bytes", "byte"},
                                                                              {"hz", "Hz"},
                                                                              {"percent", "%"},
                                                                              {"gflops", "GFLOP/s"},
                                                                              {"gbs", "GB/s"},
                                                                              {"ratio", "1"},
                                                                              {"ns", "ns"}}};

void add_unit(Json& schema, std::string_view key) {
  for (const auto& [word, unit] : units)
    if (key == word || key.ends_with("_" + std::string(word))) schema["unit"] = unit;
}

void add_if_missing(Json& list, const Json& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

Json nullable(Json schema) {
  if (!schema["type"].is_array()) schema["type"] = Json::array({schema["type"]});
  add_if_missing(schema["type"], "null");
  if (schema.contains("enum")) add_if_missing(schema["enum"], nullptr);
  return schema;
}

Json word_schema(const std::vector<std::string>& words) {
  Json all = Json::array();
  for (const auto& word : words) add_if_missing(all, word);  // two values may share a word
  return {{"type", "string"}, {"enum", std::move(all)}};
}

void refuse_column(std::string_view key, const char* what) { throw std::logic_error(fmt::format("the column '{}' {}", key, what)); }

Json by_name(Json schema) { return {{"type", "object"}, {"additionalProperties", std::move(schema)}}; }

void ObjectSchema::add(const std::string& key, const std::string& meaning, Json schema, bool always) {
  schema.erase("$schema");  // a document inside another one
  if (!meaning.empty()) schema["description"] = meaning;
  const auto place = key.find("{}");
  if (place != std::string::npos) {
    schema_["patternProperties"]["^" + key.substr(0, place) + "(seconds|bytes|gflops|gbs|ratio)" + key.substr(place + 2) + "$"] =
        std::move(schema);
    return;
  }
  add_unit(schema, key);
  schema_["properties"][key] = std::move(schema);
  if (always) schema_["required"].push_back(key);
}

AnyColumn::AnyColumn() = default;
AnyColumn::AnyColumn(std::string_view key_, std::string_view meaning_) : key(key_), meaning(meaning_) {}
AnyColumn::AnyColumn(std::string_view key_, std::string_view meaning_, Json schema_, OfRow<Json> value_)
    : key(key_), meaning(meaning_), schema(std::move(schema_)), value(std::move(value_)) {}
AnyColumn::AnyColumn(const AnyColumn&) = default;
AnyColumn::AnyColumn(AnyColumn&&) noexcept = default;
AnyColumn& AnyColumn::operator=(const AnyColumn&) = default;
AnyColumn& AnyColumn::operator=(AnyColumn&&) noexcept = default;
AnyColumn::~AnyColumn() = default;

void AnyColumn::in_row(std::string_view words, Align align, OfRow<std::string> other) {
  heading = {std::string(words), align};
  shown = Shown::in_row;
  if (other) cell = std::move(other);
  if (!cell) refuse_column(key, "has no cell for people");
}

void AnyColumn::above(std::string_view words, OfRow<std::string> line_) {
  heading = {std::string(words), Align::left};
  shown = Shown::above;
  line = std::move(line_);
  if (!cell) refuse_column(key, "has no cell for people");
}

void AnyColumn::one_of(const std::vector<std::string>& words) {
  const bool may_be_null = schema.at("type").is_array();
  schema = may_be_null ? nullable(word_schema(words)) : word_schema(words);
}

std::string AnyColumn::key_of(const void* row) const {
  if (!unit) return key;
  const auto place = key.find("{}");
  return key.substr(0, place) + unit(row) + key.substr(place + 2);
}

std::vector<AnyColumn> chosen_columns(const std::vector<AnyColumn>& columns, const std::vector<Chosen>& keys) {
  std::vector<AnyColumn> all;
  for (const auto& [key, words] : keys) {
    const auto found = std::find_if(columns.begin(), columns.end(), [wanted = key](const auto& column) { return column.key == wanted; });
    if (found == columns.end()) refuse_column(key, "does not exist");
    all.push_back(*found);
    if (!words.empty()) all.back().heading.words = words;
  }
  return all;
}

Json any_row_json(const std::vector<AnyColumn>& columns, const void* row) {
  Json json = Json::object();
  for (const auto& column : columns)
    if (column.value && (!column.is_there || column.is_there(row))) json[column.key_of(row)] = column.value(row);
  return json;
}

Json row_schema(const std::vector<AnyColumn>& columns) {
  ObjectSchema schema;
  for (const auto& column : columns)
    if (column.value) schema.add(column.key, column.meaning, column.schema, !column.is_there);
  return schema.json();
}

Json document_schema(const std::string& command, const std::string& about, const Json& row, const Json& more) {
  ObjectSchema document;
  const std::string schema = "plumbline-" + command + "/1";
  document.add("schema", "", {{"const", schema}}, true);
  document.add("file", "what it is of", {{"type", "string"}}, true);
  document.add("rows", "", {{"type", "array"}, {"items", row}}, true);
  document.add("notes", "what should be known besides, in sentences", {{"type", "array"}, {"items", {{"type", "string"}}}}, true);
  Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", schema}, {"description", about}};
  whole.update(document.json());
  if (more.is_null()) return whole;
  whole["properties"].update(more["properties"]);
  for (const auto& key : more["required"]) whole["required"].push_back(key);
  return whole;
}

std::vector<Heading> headings(const std::vector<AnyColumn>& columns, bool with_above) {
  std::vector<Heading> all;
  for (const auto& column : columns)
    if (column.shown == Shown::in_row || (with_above && column.shown == Shown::above)) all.push_back(column.heading);
  return all;
}

std::vector<std::string> any_cells(const std::vector<AnyColumn>& columns, const void* row, bool with_above) {
  std::vector<std::string> all;
  for (const auto& column : columns)
    if (column.shown == Shown::in_row || (with_above && column.shown == Shown::above)) all.push_back(column.cell(row));
  return all;
}

AlignedRows::AlignedRows(const std::vector<AnyColumn>& columns) : columns_(columns), table_(headings(columns)) {
  for (const auto& column : columns) longest_ = std::max(longest_, column.longest);
}

void AlignedRows::add(const void* row, std::vector<std::string> remarks) {
  std::string line;
  for (const auto& column : columns_)
    if (column.shown == Shown::above) line = column.line(row);
  if (line != line_) table_.add_line(line);
  line_ = std::move(line);
  auto cells = any_cells(columns_, row);
  if (longest_ > 0 && !cells.empty() && cells.front().size() > longest_) {
    table_.add_line(cells.front());
    cells.front().clear();
  }
  table_.add(std::move(cells));
  for (auto& remark : remarks) table_.add_line(std::move(remark));
}

}  // namespace plumbline::app
