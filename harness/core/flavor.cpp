#include "core/flavor.hpp"

#include <stdexcept>

namespace plumbline {

FlavorName split_flavor(std::string_view name) {
  FlavorName parts;
  if (is_library(name)) return parts;
  const auto first = name.find('-');
  parts.compiler = name.substr(0, first);
  if (first == std::string_view::npos) return parts;
  const auto second = name.find('-', first + 1);
  parts.level = name.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
  if (second != std::string_view::npos) parts.isa = name.substr(second + 1);
  return parts;
}

VectorRegisters vector_registers(std::string_view isa) {
  if (isa.starts_with("v4")) return {64, 32};
  if (isa.starts_with("v3")) return {32, 16};
  if (isa.starts_with("sve512")) return {64, 32};
  if (isa.starts_with("sve256")) return {32, 32};
  return {16, isa.starts_with("neon") || isa.starts_with("sve") ? 32U : 16U};
}

bool is_library(std::string_view flavor) { return flavor.starts_with("lib-"); }

std::size_t precision_bytes(std::string_view precision) {
  if (precision == "fp64") return 8;
  if (precision == "fp32") return 4;
  if (precision == "tf32") return 4;
  if (precision == "fp16" || precision == "bf16") return 2;
  if (precision == "int8") return 1;
  throw std::invalid_argument("precision '" + std::string(precision) + "' has no element size");
}

}  // namespace plumbline
