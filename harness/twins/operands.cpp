#include "twins/operands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace plumbline::twins {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

unsigned vector_register_bytes(std::string_view operand) {
  if (operand.starts_with("%xmm")) return 16;
  if (operand.starts_with("%ymm")) return 32;
  return operand.starts_with("%zmm") ? 64 : 0;
}

unsigned general_register_bytes(std::string_view operand) {
  if (!operand.starts_with('%') || operand.find_first_of(":({") != std::string_view::npos) return 0;
  const std::string_view name = operand.substr(1);
  constexpr std::array<std::string_view, 4> old{"a", "b", "c", "d"};
  constexpr std::array<std::string_view, 4> pointers{"si", "di", "bp", "sp"};
  const auto one_of = [](const auto& names, std::string_view word) { return std::find(names.begin(), names.end(), word) != names.end(); };
  if (name.size() >= 2 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9') {
    const char last = name.back();
    return last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' ? 1 : 8;
  }
  if (one_of(pointers, name)) return 2;
  if (name.size() == 2 && name[1] == 'x' && one_of(old, name.substr(0, 1))) return 2;
  if (name.size() == 2 && (name[1] == 'l' || name[1] == 'h') && one_of(old, name.substr(0, 1))) return 1;
  if (name.size() == 3 && name.back() == 'l' && one_of(pointers, name.substr(0, 2))) return 1;
  if (name.size() != 3 || !(one_of(pointers, name.substr(1)) || (name[2] == 'x' && one_of(old, name.substr(1, 1))))) return 0;
  return name[0] == 'e' ? 4 : name[0] == 'r' ? 8 : 0;
}

std::string whole_register(std::string_view operand) {
  if (general_register_bytes(operand) == 0 || operand.back() == 'h') return "";
  std::string name(operand.substr(1));
  if (name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])) != 0)
    return name.substr(0, name.find_last_of("0123456789") + 1);                                   // r10d
  if (name.back() == 'l') return name.size() == 2 ? name.replace(1, 1, "x") : name.substr(0, 2);  // al, sil
  return name.size() == 3 ? name.substr(1) : name;                                                // eax, rsi
}

std::vector<std::string> operands_of(std::string_view text) {
  std::vector<std::string> all;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == '{')) ++depth;
    if (i < text.size() && (text[i] == ')' || text[i] == '}')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (const auto operand = trimmed(text.substr(from, i - from)); !operand.empty()) all.emplace_back(operand);
    from = i + 1;
  }
  return all;
}

bool is_memory(std::string_view operand) {
  if (operand.starts_with("%fs:") || operand.starts_with("%gs:")) return true;
  return !operand.empty() && !operand.starts_with('$') && !operand.starts_with('%') && !operand.starts_with('{');
}

std::string mask_of(std::string_view operand) {
  const auto found = operand.find("{%k");
  return found == std::string_view::npos ? "" : std::string(operand.substr(found + 2, 2));
}

unsigned broadcast_to(std::string_view operand) {
  const auto found = operand.find("{1to");
  unsigned lanes = 0;
  if (found != std::string_view::npos) std::from_chars(operand.data() + found + 4, operand.data() + operand.size(), lanes);
  return lanes;
}

}  // namespace plumbline::twins
