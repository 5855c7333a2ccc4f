#include "imports/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace plumbline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits before the decimal point without their separators; false where a group has not three digits.
bool without_separators(std::string_view whole, std::string& plain) {
  const std::size_t first = std::min(whole.find(','), whole.size());
  plain.append(whole.substr(0, first));
  if (first == whole.size()) return true;
  const auto lead = std::count_if(plain.begin(), plain.end(), is_digit);
  if (lead < 1 || lead > 3) return false;
  for (std::size_t at = first; at < whole.size(); at += 4) {
    const std::string_view group = whole.substr(at, 4);
    if (group.size() != 4 || group[0] != ',' || !std::all_of(group.begin() + 1, group.end(), is_digit)) return false;
    plain.append(group.substr(1));
  }
  return true;
}

struct Prefix {
  char letter;
  double factor;
};
constexpr std::array<Prefix, 6> large{{{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
constexpr std::array<Prefix, 4> small{{{'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}, {'p', 1e-12}}};

// Nsight Compute, Profiling Guide, "Metrics Structure"; short forms since 2023.
constexpr std::array counted{"byte",      "Byte", "Bytes", "B",    "inst", "sector", "request", "cycle",    "warp", "thread", "block",
                             "wavefront", "ops",  "op",    "FLOP", "flop", "hz",     "Hz",      "register", "tag",  "bit"};
constexpr std::array time_words{"second", "sec", "s"};
// perf's of memory controllers.
constexpr std::array<std::pair<std::string_view, double>, 3> binary{{{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}};

template <class Words>
bool is_one_of(const Words& words, std::string_view unit) {
  return std::find(words.begin(), words.end(), unit) != words.end();
}

template <class Words, class Prefixes>
std::optional<double> prefixed(std::string_view unit, const Words& words, const Prefixes& prefixes) {
  if (is_one_of(words, unit)) return 1;
  for (const auto& prefix : prefixes)
    if (unit.starts_with(prefix.letter) && is_one_of(words, unit.substr(1))) return prefix.factor;
  return std::nullopt;
}

std::optional<double> simple_unit(std::string_view unit) {
  if (unit == "%") return 0.01;
  for (const auto& [name, bytes] : binary)
    if (unit == name) return bytes;
  if (const auto time = prefixed(unit, time_words, small)) return time;
  return prefixed(unit, counted, large);
}

}  // namespace

std::optional<double> printed_number(std::string_view text) {
  const std::size_t point = std::min(text.find_first_of(".eE"), text.size());
  std::string plain;
  if (!without_separators(text.substr(0, point), plain)) return std::nullopt;
  plain.append(text.substr(point));
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size() || plain.empty()) return std::nullopt;
  if (plain.find_first_of("nN") != plain.npos) return std::nullopt;  // nan, inf
  return value;
}

std::optional<double> base_units(std::string_view unit) {
  if (unit.empty()) return 1;
  const auto slash = unit.find('/');
  const auto above = simple_unit(unit.substr(0, slash));
  if (slash == unit.npos || !above) return above;
  const auto below = unit.substr(0, slash).empty() ? std::nullopt : simple_unit(unit.substr(slash + 1));
  return below ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace plumbline
