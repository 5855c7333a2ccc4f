#include "model/statistics/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace plumbline {

std::string significant(double value, int digits) {
  std::array<char, 64> text{};
  const bool plain = value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e6);
  const int before = value == 0 ? 1 : 1 + static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (plain && before >= digits)
    std::snprintf(text.data(), text.size(), "%.0f", value);
  else
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string percent_of(double part, int digits) { return significant(100 * part, digits) + " %"; }

std::string counted(std::size_t n, const std::string& noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string listed(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : ", ") + words[i];
  return words.size() <= most ? text : text + " and " + std::to_string(words.size() - most) + " more";
}

std::string simple_ratio(double factor, Kind kind) {
  struct Known {
    double value;
    const char *name, *cause_of_bytes;
  };
  constexpr std::array<Known, 13> known{{{2, "2", ""},
                                         {3, "3", ""},
                                         {4, "4", ""},
                                         {8, "8", ""},
                                         {16, "16", ""},
                                         {1.5, "3/2", ""},
                                         {4.0 / 3, "4/3", ", as write-allocate in a triad"},
                                         {2.0 / 3, "2/3", ", as write-allocate in a copy"},
                                         {0.75, "3/4", ", as write-allocate in a triad"},
                                         {0.5, "1/2", ""},
                                         {1.0 / 3, "1/3", ""},
                                         {0.25, "1/4", ""},
                                         {0.125, "1/8", ""}}};
  for (const auto& [value, name, cause] : known)
    if (std::abs(factor / value - 1) < 0.02) return std::string(" (about ") + name + (kind == Kind::bytes ? cause : "") + ")";
  return {};
}

}  // namespace plumbline
