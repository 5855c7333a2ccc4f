#include "core/quantity.hpp"

#include <algorithm>
#include <initializer_list>

namespace plumbline {
namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view group_of(std::string_view quantity) { return quantity.substr(0, quantity.find('.')); }

}  // namespace

const char* const quantity_names =
    "flops.{fp64,fp32,fp16,bf16,int8}[.{add,mul,fma,div,sqrt}], flops.tensor.TYPE, "
    "bytes.{reg-L1,reg-shared,L1-L2,L2-L3,L3-mem,L2-mem,host-dev}"
    "[.{load,store,demand_read,rfo,prefetch,write_back,nt_store}], instructions, fp_instructions, int_instructions, cycles, seconds, "
    "hertz, occupancy";

bool is_quantity(const std::string& name) {
  if (one_of(name, {"instructions", "fp_instructions", "int_instructions", "cycles", "seconds", "hertz", "occupancy"})) return true;
  const auto first = name.find('.'), second = name.find('.', first == name.npos ? first : first + 1);
  if (first == name.npos) return false;
  const std::string_view group = group_of(name), rest = std::string_view(name).substr(first + 1);
  const auto what = second == name.npos ? rest : rest.substr(0, second - first - 1);
  const auto detail = second == name.npos ? std::string_view() : std::string_view(name).substr(second + 1);
  if (second != name.npos && detail.empty()) return false;
  if (group == "flops" && what == "tensor") return !detail.empty();
  if (group == "flops")
    return one_of(what, {"fp64", "fp32", "fp16", "bf16", "int8"}) &&
           (detail.empty() || one_of(detail, {"add", "mul", "fma", "div", "sqrt"}));
  return group == "bytes" && one_of(what, {"reg-L1", "reg-shared", "L1-L2", "L2-L3", "L3-mem", "L2-mem", "host-dev"}) &&
         (detail.empty() || one_of(detail, {"load", "store", "demand_read", "rfo", "prefetch", "write_back", "nt_store"}));
}

std::string_view unit_of(std::string_view quantity) {
  if (group_of(quantity) == "bytes") return "bytes";
  if (quantity == "occupancy") return "fraction";
  return one_of(quantity, {"cycles", "seconds", "hertz"}) ? quantity : "operations";
}

bool share_a_part(std::string_view one, std::string_view other) {
  const auto shorter = std::min(one.size(), other.size());
  if (one.substr(0, shorter) != other.substr(0, shorter)) return false;
  return one.size() == other.size() || (one.size() > shorter ? one : other)[shorter] == '.';
}

std::optional<std::string> wrong_claim(std::span<const std::string> quantities) {
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const std::string& one = quantities[i];
    if (!is_quantity(one)) return "holds '" + one + "'; allowed are quantities: " + quantity_names;
    if (group_of(one) != group_of(quantities.front()))
      return "adds '" + one + "' to '" + quantities.front() + "', which is counted in another unit; a counter is of one kind";
    for (std::size_t j = 0; j < i; ++j)
      if (share_a_part(one, quantities[j])) return "holds '" + quantities[j] + "' and '" + one + "': the same would be claimed twice";
  }
  return std::nullopt;
}

}  // namespace plumbline
