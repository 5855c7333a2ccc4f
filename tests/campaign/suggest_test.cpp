#include "campaign/suggest.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(suggest, distance_counts_a_swap_of_neighbours_as_one_edit) {
  EXPECT_EQ(edit_distance("kernel", "kernle"), 1);
  EXPECT_EQ(edit_distance("kernel", "kernal"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("same", "same"), 0);
}

TEST(suggest, the_nearest_word_is_offered_and_a_far_one_is_not) {
  const std::vector<std::string> allowed{"kernel", "precision", "flavor"};
  EXPECT_EQ(nearest("presicion", allowed), "precision");
  EXPECT_FALSE(nearest("zzz", allowed));
  EXPECT_EQ(suggestion("kernal", allowed), "; did you mean 'kernel'? allowed: kernel, precision, flavor");
}

}  // namespace
}  // namespace plumbline
