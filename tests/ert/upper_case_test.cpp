// Headings have capital letters, and nothing else of a name changes.
#include "ert/upper_case.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(UpperCase, only_letters_from_a_to_z_change) {
  EXPECT_EQ(upper_case("fp64"), "FP64");
  EXPECT_EQ(upper_case("az.AZ_09"), "AZ.AZ_09");
  EXPECT_EQ(upper_case("\xc3\xa4"), "\xc3\xa4");
  EXPECT_EQ(upper_case(""), "");
}

}  // namespace
}  // namespace plumbline
