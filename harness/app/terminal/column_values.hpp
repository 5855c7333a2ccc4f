// Values of columns, by their type in C++: as JSON, as the JSON Schema of that, and as the plain text of a cell.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/terminal/table.hpp"
#include "core/enumerators.hpp"

namespace plumbline::app {

/// A text that is null for programs where it is empty.
struct OrNull {
  std::string text;
};

/// The schema, with null allowed besides.
Json nullable(Json schema);
/// The schema of one of these words.
Json word_schema(const std::vector<std::string>& words);
/// The schema of an object whose keys are names, with a value of that schema each.
Json by_name(Json schema);

/// The words (to_string) of all enumerators of an enum: programs get the word, the schema lists them.
template <class Enum>
std::vector<std::string> words_of() {
  static_assert(enumerator_count<Enum>() > 0, "its values do not begin at 0, or this compiler does not name enumerators");
  std::vector<std::string> words;
  for (std::size_t i = 0; i < enumerator_count<Enum>(); ++i) words.emplace_back(to_string(static_cast<Enum>(i)));
  return words;
}

/// The JSON Schema of values of a type of C++: a double may be null (absent), as may what stands in an optional.
template <class Value>
Json type_schema() {
  if constexpr (std::is_enum_v<Value>)
    return word_schema(words_of<Value>());
  else if constexpr (std::is_same_v<Value, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_integral_v<Value>)
    return {{"type", "integer"}};
  else if constexpr (std::is_floating_point_v<Value>)
    return {{"type", {"number", "null"}}};
  else if constexpr (std::is_same_v<Value, OrNull>)
    return {{"type", {"string", "null"}}};
  else if constexpr (std::is_convertible_v<Value, std::string_view>)
    return {{"type", "string"}};
  else if constexpr (requires { typename Value::mapped_type; })
    return by_name(type_schema<typename Value::mapped_type>());
  else if constexpr (requires(const Value& value) { value.begin(); })
    return {{"type", "array"}, {"items", type_schema<typename Value::value_type>()}};
  else
    return nullable(type_schema<typename Value::value_type>());
}

template <class Value>
Json json_value(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>)
    return number(value);
  else if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<Value, OrNull>)
    return text_or_null(value.text);
  else if constexpr (std::is_convertible_v<Value, std::string_view>)
    return std::string(value);
  else if constexpr (requires { value.has_value(); })
    return value ? json_value(*value) : Json();
  else if constexpr (requires { typename Value::mapped_type; }) {
    Json all = Json::object();
    for (const auto& [name, one] : value) all[name] = json_value(one);
    return all;
  } else if constexpr (requires { value.begin(); }) {
    Json all = Json::array();
    for (const auto& one : value) all.push_back(json_value(one));
    return all;
  } else
    return value;
}

/// A cell of text for values whose text is plain: words as they are, integers in full.
template <class Value>
requires(!std::is_floating_point_v<Value> && (std::is_integral_v<Value> || std::is_enum_v<Value> || std::is_same_v<Value, OrNull> ||
                                              std::is_convertible_v<Value, std::string_view>)) std::string cell_text(const Value& value) {
  if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<Value, OrNull>)
    return value.text;
  else
    return std::string(value);
}

}  // namespace plumbline::app
