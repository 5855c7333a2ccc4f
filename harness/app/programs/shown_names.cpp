#include "app/programs/shown_names.hpp"

#include <algorithm>
#include <map>

namespace plumbline::app {
namespace {

constexpr std::size_t widest = 40;

/// A procedure of a Fortran module, as gfortran names it: "__solver_MOD_step" -> "solver::step", or "...::step" where that is too long.
std::string of_module(const std::string& name) {
  const auto module_end = name.find("_MOD_");
  if (!name.starts_with("__") || module_end == name.npos || module_end < 3) return "";
  const std::string procedure = "::" + name.substr(module_end + 5), whole = name.substr(2, module_end - 2) + procedure;
  return whole.size() <= widest ? whole : "..." + procedure;
}

/// A demangled C++ name without its arguments and what it gives: "void f<int>(int) const" -> "f<int>". Others stay: names of C and Fortran
/// have no parentheses, and an operator's are its name.
std::string without_arguments(const std::string& name) {
  if (const std::string procedure = of_module(name); !procedure.empty()) return procedure;
  if (name.find("operator") != name.npos) return name;
  constexpr std::string_view unnamed = "(anonymous namespace)";
  int depth = 0;
  std::size_t begin = 0, end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.compare(i, unnamed.size(), unnamed) == 0) {
      i += unnamed.size() - 1;
      continue;
    }
    const char c = name[i];
    if (c == '(' && depth == 0 && i > 0) {
      end = i;
      break;
    }
    depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return end == name.size() || begin >= end ? name : name.substr(begin, end - begin);
}

/// The number of characters that two names share at their begin.
std::size_t common(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

/// An offset in a file's name, which tells functions of a stripped file apart ("+0x1a0"); empty where there is none.
std::string offset_of(const std::string& name) {
  constexpr std::size_t longest = 18;
  const auto plus = name.rfind("+0x");
  return plus != name.npos && name.size() - plus <= longest ? name.substr(plus) : "";
}

/// Cuts a name in its middle, so that what begins at `from` is seen.
std::string cut(const std::string& name, std::size_t from) {
  if (name.size() <= widest) return name;
  const std::string offset = offset_of(name);
  if (from < widest - 8) return name.substr(0, widest - 3 - offset.size()) + "..." + offset;
  constexpr std::size_t head = 14, rest = widest - head - 6, before = 4;
  const std::size_t begin = std::min(from - before, name.size() - rest - 3);
  const std::string seen = name.substr(begin, rest);
  return name.substr(0, head) + "..." + (begin + rest + 3 >= name.size() ? name.substr(begin) : seen + "...");
}

}  // namespace

std::vector<std::string> shown_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  std::map<std::string, int> alike;
  for (const auto& name : names) ++alike[shown.emplace_back(without_arguments(name))];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (alike[shown[i]] > 1) shown[i] = names[i];  // overloads: their arguments tell them apart
  std::vector<std::string> all;
  for (const auto& name : shown) {
    std::size_t from = 0;
    for (const auto& other : shown)
      if (other != name) from = std::max(from, common(name, other));
    all.push_back(cut(name, from));
  }
  return all;
}

}  // namespace plumbline::app
