// A stranger's JSON document may be nested only so deeply: the library that reads it copies and prints by recursion, and its stack is
// finite.
#pragma once
#include <cstddef>
#include <string_view>

namespace plumbline {

inline constexpr std::size_t deepest_json = 100;  // ours have ten levels

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
