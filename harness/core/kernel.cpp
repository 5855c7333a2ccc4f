#include "core/kernel.hpp"

#include <algorithm>
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

}  // namespace plumbline
