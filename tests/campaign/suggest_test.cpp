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

TEST(suggest, a_word_that_cannot_be_near_is_not_compared_letter_by_letter) {
  // Letter by letter these would be 2.5e13 comparisons: no machine ends them while a test waits.
  const std::vector<std::string> allowed{"kernel", std::string(5'000'000, 'b')};
  EXPECT_FALSE(nearest(std::string(2'000'000, 'a'), allowed));
  EXPECT_FALSE(nearest(std::string(12'000'000, 'a'), allowed));
}

TEST(suggest, a_quoted_word_is_cut_to_what_a_line_takes_and_at_a_whole_character) {
  EXPECT_EQ(in_quotes("kernel"), "'kernel'");
  const std::string line(80, 'x');
  EXPECT_EQ(in_quotes(line), "'" + line + "'");
  EXPECT_EQ(in_quotes(line + "y"), "'" + line + "...'");
  const std::string shorter(79, 'x');
  EXPECT_EQ(in_quotes(shorter + "\u00e9\u00e9"), "'" + shorter + "...'");
}

}  // namespace
}  // namespace plumbline
