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

void add_cells(Table& table, std::vector<std::string> cells, std::size_t longest) {
  if (longest > 0 && !cells.empty() && cells.front().size() > longest) {
    table.add_line(cells.front());
    cells.front().clear();
  }
  table.add(std::move(cells));
}

}  // namespace plumbline::app
