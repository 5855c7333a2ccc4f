#include "machine/memory_binding.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

namespace plumbline {

std::string bind_new_pages(int numa_memory) {
  constexpr auto bits = sizeof(unsigned long) * CHAR_BIT;
  const auto node = static_cast<std::size_t>(numa_memory);
  std::vector<unsigned long> mask(node / bits + 1);
  mask[node / bits] = 1UL << (node % bits);
  if (syscall(SYS_set_mempolicy, MPOL_BIND, mask.data(), mask.size() * bits + 1) == 0) return {};
  return fmt::format("set_mempolicy(MPOL_BIND, node {}): {}; the control group or the container may not allow it", numa_memory,
                     std::strerror(errno));
}

void unbind_new_pages() { syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL); }

int memory_of_page(const void* address) {
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, address, MPOL_F_NODE | MPOL_F_ADDR) != 0) return -1;
  return node;
}

}  // namespace plumbline
