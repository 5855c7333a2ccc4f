#include "app/results/case_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <utility>

#include "core/fnv.hpp"

namespace plumbline::app {
namespace {

/// Gives words to what the search for arguments would stumble over: "operator<<" has brackets that enclose nothing.
std::string in_words(std::string name) {
  constexpr std::pair<const char*, const char*> words[] = {
      {"(anonymous namespace)", "anonymous"}, {"operator<<", "operator_shift_left"}, {"operator>>", "operator_shift_right"},
      {"operator->", "operator_arrow"},       {"operator<=", "operator_at_most"},    {"operator>=", "operator_at_least"},
      {"operator<", "operator_less"},         {"operator>", "operator_more"},        {"operator()", "operator_call"}};
  for (const auto& [text, word] : words)
    for (auto at = name.find(text); at != name.npos; at = name.find(text)) name.replace(at, std::string_view(text).size(), word);
  return name;
}

std::string short_name(const std::string& told) {
  const std::string full = in_words(told.substr(0, told.find('\n')));
  // The arguments begin at the last parenthesis that is open outside of the template's own.
  std::size_t end = full.size();
  int depth = 0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    depth += full[i] == '<' ? 1 : full[i] == '>' ? -1 : 0;
    if (full[i] == '(' && depth == 0 && i > 0) {
      end = i;
      break;
    }
  }
  std::string name;
  for (const char c : full.substr(full.starts_with("void ") ? 5 : 0, end - (full.starts_with("void ") ? 5 : 0))) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? "kernel" : name;
}

}  // namespace

CaseNames::CaseNames(const std::vector<std::string>& full_names) {
  for (const auto& full : full_names) full_names_[short_name(full)].insert(full);
}

std::string CaseNames::of(const std::string& full_name) const {
  const std::string name = short_name(full_name);
  return full_names_.at(name).size() == 1 ? name : fmt::format("{}-{:08x}", name, fnv1a(full_name) & 0xffffffffU);
}

}  // namespace plumbline::app
