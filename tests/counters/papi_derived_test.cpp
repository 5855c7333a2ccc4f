#include "counters/papi/papi_derived.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

const std::vector<long long> of_three_events{100, 30, 7};

TEST(papi_derived, sums_and_differences) {
  EXPECT_EQ(derived_value("DERIVED_ADD", "", of_three_events), 137);
  EXPECT_EQ(derived_value("DERIVED_SUB", "", of_three_events), 63);
  EXPECT_EQ(derived_value("NOT_DERIVED", "", std::vector<long long>{5}), 5);
}

TEST(papi_derived, postfix_weighs_as_papi_writes_it) {
  // PAPI_DP_OPS of a Skylake: scalar + 2 x 128-bit + 4 x 256-bit
  EXPECT_EQ(derived_value("DERIVED_POSTFIX", "N0|N1|2|*|+|N2|4|*|+|", of_three_events), 100 + 2 * 30 + 4 * 7);
  EXPECT_EQ(derived_value("DERIVED_POSTFIX", "N0|N1|-|2|/|", of_three_events), 35);
}

TEST(papi_derived, what_is_no_weighted_sum_has_no_value) {
  EXPECT_EQ(derived_value("DERIVED_POSTFIX", "N0|N1|/|", of_three_events), std::nullopt);
  EXPECT_EQ(derived_value("DERIVED_POSTFIX", "N0|N1|*|", of_three_events), std::nullopt);
  EXPECT_EQ(derived_value("DERIVED_PS", "", of_three_events), std::nullopt);
  EXPECT_EQ(derived_value("NOT_DERIVED", "", of_three_events), std::nullopt);
}

TEST(papi_derived, broken_formulas_have_no_value) {
  for (const char* broken : {"", "N0|N1|", "N3|", "+|", "N0|x|+|", "N0|0|/|", "N|", "N-1|"})
    EXPECT_EQ(derived_value("DERIVED_POSTFIX", broken, of_three_events), std::nullopt) << broken;
}

}  // namespace
}  // namespace plumbline
