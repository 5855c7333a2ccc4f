#include "core/flavor.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

void expect_parts(std::string_view flavor, const FlavorName& parts) {
  const FlavorName split = split_flavor(flavor);
  EXPECT_EQ(split.compiler, parts.compiler) << flavor;
  EXPECT_EQ(split.level, parts.level) << flavor;
  EXPECT_EQ(split.isa, parts.isa) << flavor;
}

TEST(flavor, has_a_compiler_a_level_and_an_isa) {
  expect_parts("gcc12-O3-v3", {"gcc12", "O3", "v3"});
  expect_parts("asm-avx512", {"asm", "avx512", ""});
}

TEST(flavor, of_a_library_has_neither_compiler_nor_level_nor_isa) { expect_parts("lib-openblas", {}); }

}  // namespace
}  // namespace plumbline
