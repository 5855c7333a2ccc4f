#include "counters/papi/papi_derived.hpp"

#include <charconv>
#include <vector>

namespace plumbline {
namespace {

/// A number on the stack, and whether it depends on counts: a product or quotient of two that do is no weighted sum.
struct Operand {
  long long value = 0;
  bool counted = false;
};

std::optional<Operand> operand_of(std::string_view word, std::span<const long long> natives) {
  const bool counted = word.starts_with('N');
  const std::string_view digits = word.substr(counted ? 1 : 0);
  long long number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (!counted) return Operand{number, false};
  if (number < 0 || static_cast<std::size_t>(number) >= natives.size()) return std::nullopt;
  return Operand{natives[static_cast<std::size_t>(number)], true};
}

std::optional<Operand> applied(char operation, Operand a, Operand b) {
  const bool counted = a.counted || b.counted;
  if (operation == '+') return Operand{a.value + b.value, counted};
  if (operation == '-') return Operand{a.value - b.value, counted};
  if (operation == '*' && !(a.counted && b.counted)) return Operand{a.value * b.value, counted};
  if (operation == '/' && !b.counted && b.value != 0) return Operand{a.value / b.value, counted};
  return std::nullopt;
}

std::optional<long long> postfix_value(std::string_view postfix, std::span<const long long> natives) {
  std::vector<Operand> stack;
  while (!postfix.empty()) {
    const auto bar = postfix.find('|');
    const std::string_view word = postfix.substr(0, bar);
    postfix.remove_prefix(bar == std::string_view::npos ? postfix.size() : bar + 1);
    std::optional<Operand> next;
    if (word.size() == 1 && std::string_view("+-*/").find(word[0]) != std::string_view::npos) {
      if (stack.size() < 2) return std::nullopt;
      const Operand b = stack.back();
      stack.pop_back();
      next = applied(word[0], stack.back(), b);
      stack.pop_back();
    } else {
      next = operand_of(word, natives);
    }
    if (!next) return std::nullopt;
    stack.push_back(*next);
  }
  if (stack.size() != 1) return std::nullopt;
  return stack.front().value;
}

}  // namespace

std::optional<long long> derived_value(std::string_view type, std::string_view postfix, std::span<const long long> natives) {
  if (natives.empty()) return std::nullopt;
  long long value = natives[0];
  if (type == "DERIVED_POSTFIX") return postfix_value(postfix, natives);
  if (type == "NOT_DERIVED" || type.empty()) return natives.size() == 1 ? std::optional(value) : std::nullopt;
  if (type != "DERIVED_ADD" && type != "DERIVED_SUB") return std::nullopt;
  for (const long long native : natives.subspan(1)) value += type == "DERIVED_ADD" ? native : -native;
  return value;
}

}  // namespace plumbline
