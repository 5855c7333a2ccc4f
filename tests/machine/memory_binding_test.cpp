#include "machine/memory_binding.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "machine/topology.hpp"

namespace plumbline {
namespace {

TEST(MemoryBinding, new_pages_come_from_the_memory_that_is_asked_for) {
  for (const int memory : this_topology().numa_memories) {
    if (const std::string problem = bind_new_pages(memory); !problem.empty()) GTEST_SKIP() << "SKIP: " << problem;
    constexpr std::size_t bytes = 1 << 16;
    auto* page = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page, MAP_FAILED);
    page[0] = 1;
    EXPECT_EQ(memory_of_page(page), memory);
    munmap(page, bytes);
    unbind_new_pages();
  }
}

TEST(MemoryBinding, a_memory_that_is_not_there_is_refused_with_a_reason) {
  const std::string problem = bind_new_pages(1000);
  EXPECT_NE(problem.find("set_mempolicy"), std::string::npos) << problem;
  unbind_new_pages();
}

}  // namespace
}  // namespace plumbline
