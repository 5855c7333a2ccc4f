// JSON is written as text whatever bytes a name or a reason from elsewhere has, and a stranger's is read only where it is not nested too
// deeply. This header is for those who link nlohmann-json: core itself does not.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// Prints a nlohmann::json or an ordered_json, which keeps its order. Bytes that are no UTF-8 are replaced: a reason in Latin-1 must not
/// cost a document or a record.
template <class Json>
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether JSON and HDF5 take the text as it is.
inline bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

/// A stranger's document may be nested so deeply and no deeper: the library that reads it copies and prints by recursion, and its stack is
/// finite. Ours have ten levels.
inline constexpr std::size_t deepest_json = 100;

/// Whether arrays and objects of the text, JSON or not, lie deeper in one another than `deepest_json`. Brackets within strings do not
/// count.
inline bool nests_deeply(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (c == '\\' && in_string) ++i;
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > deepest_json) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

}  // namespace plumbline
