// The keys of the files that people write, as data: their readers allow these and no others, and the files' JSON Schemas are made of them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct WrittenKey {
  std::string_view name;
  std::string_view schema;   // of its value, as JSON; "$ref":"#/$defs/NAME" means the table of that name
  std::string_view meaning;  // with its unit
  bool required = false;
};

struct WrittenKeys {
  std::string_view table;  // what schemas call it; of the file's own table the file's name
  std::vector<WrittenKey> keys;
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& key : keys) all.emplace_back(key.name);
    return all;
  }
};

/// A kind of file: its own table first, then those inside it.
struct WrittenFile {
  std::string_view meaning;
  std::vector<WrittenKeys> tables;
};

/// The schemas of values that several files have.
namespace key_schema {
inline constexpr std::string_view word = R"({"type":"string"})";
inline constexpr std::string_view flag = R"({"type":"boolean"})";
inline constexpr std::string_view number = R"({"type":"number"})";
inline constexpr std::string_view positive = R"({"type":"number","exclusiveMinimum":0})";
inline constexpr std::string_view from_0 = R"({"type":"integer","minimum":0})";
inline constexpr std::string_view from_1 = R"({"type":"integer","minimum":1})";
/// One word or a list of words, which is not empty.
inline constexpr std::string_view words = R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"},"minItems":1}]})";
inline constexpr std::string_view any_words = R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})";
}  // namespace key_schema

}  // namespace plumbline
