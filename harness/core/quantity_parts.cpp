#include "core/quantity_parts.hpp"

#include <algorithm>
#include <string_view>

namespace plumbline {
namespace {

/// The FLOPs of tensor cores belong to areas of their own, one a type: no counter sees them together with vector arithmetic.
constexpr const char* tensor_flops = "flops.tensor.";
/// The areas of integer operations are their own too: no counter sees them together with floating-point ones.
constexpr const char* integer_operations = "flops.int8";

const std::vector<std::string>& needed_flows(const std::string& boundary) {
  static const std::vector<std::string> of_registers{"load", "store"}, of_caches{"demand_read", "rfo", "write_back"};
  return boundary.starts_with("bytes.reg-") ? of_registers : of_caches;
}

std::vector<std::string> all_parts(const std::string& area) {
  if (area == "flops") return {"flops.fp64", "flops.fp32", "flops.fp16", "flops.bf16"};
  if (area.starts_with(tensor_flops) || area == integer_operations) return {area};
  std::vector<std::string> parts = needed_parts(area);
  for (const char* flow : {".nt_store", ".prefetch"}) parts.push_back(area + flow);
  return parts;
}

}  // namespace

std::string area_of(const std::string& quantity) {
  if (quantity.starts_with(tensor_flops)) return quantity;
  if (quantity.starts_with(integer_operations)) return integer_operations;
  if (quantity.starts_with("flops.")) return "flops";
  return quantity.substr(0, quantity.find('.', quantity.find('.') + 1));
}

std::vector<std::string> needed_parts(const std::string& quantity) {
  if (!quantity.starts_with("bytes.") || quantity != area_of(quantity)) return {quantity};
  std::vector<std::string> parts;
  for (const auto& flow : needed_flows(quantity)) parts.push_back(quantity + "." + flow);
  return parts;
}

std::set<std::string> parts_seen(std::span<const std::string> claims, const std::string& area) {
  const auto all = all_parts(area);
  std::set<std::string> seen;
  for (const auto& claim : claims) {
    if (claim == area) {
      seen.insert(all.begin(), all.end());
    } else if (std::find(all.begin(), all.end(), claim) != all.end()) {
      seen.insert(claim);
    } else {
      return {};
    }
  }
  return seen;
}

bool is_flops_total(const std::string& quantity) {
  constexpr std::string_view flops = "flops.", tensor = "flops.tensor.";
  if (!quantity.starts_with(flops)) return false;
  return quantity.find('.', quantity.starts_with(tensor) ? tensor.size() : flops.size()) == std::string::npos;
}

std::string flops_precision(const std::string& quantity) {
  const std::string precision = quantity.substr(quantity.find('.') + 1);
  return precision.starts_with("tensor.") ? precision : precision.substr(0, precision.find('.'));
}

}  // namespace plumbline
