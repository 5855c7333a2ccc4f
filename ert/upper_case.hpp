// Headings write precisions and data types in capital letters: "FP64" for "fp64".
#pragma once
#include <string>
#include <string_view>

namespace plumbline {

/// The word with its letters a to z as capitals, whatever the locale; all other bytes stay as they are.
inline std::string upper_case(std::string_view word) {
  std::string capitals(word);
  for (char& c : capitals)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return capitals;
}

}  // namespace plumbline
