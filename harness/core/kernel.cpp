#include "core/kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace plumbline {
namespace {

std::vector<Kernel>& all_kernels() {
  static std::vector<Kernel> all;
  return all;
}

bool by_name(const Kernel& a, const Kernel& b) { return std::tie(a.name, a.space) < std::tie(b.name, b.space); }

}  // namespace

void register_kernel(Kernel kernel) {
  auto& all = all_kernels();
  all.insert(std::upper_bound(all.begin(), all.end(), kernel, by_name), std::move(kernel));
}

const std::vector<Kernel>& kernels() { return all_kernels(); }

const Kernel* find_kernel(std::string_view name, Space space) {
  const auto& all = all_kernels();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Kernel& k) { return k.name == name && k.space == space; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Parameters> sizes(std::string_view name, std::initializer_list<std::int64_t> values) {
  std::vector<Parameters> all;
  for (const std::int64_t value : values) all.push_back({{std::string(name), value}});
  return all;
}

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
