// An enum's enumerators are counted and named as they are written, wherever it is defined.
#include "core/enumerators.hpp"

#include <gtest/gtest.h>

#include "core/status.hpp"

namespace plumbline {
namespace {

enum class Shape { flat, deep_2 };
enum Old : unsigned char { first, second, third };
enum class Signal { hangup = 1, interrupt };

static_assert(enumerator_count<Shape>() == 2 && enumerator_count<Old>() == 3);
static_assert(enumerator_count<Status>() == static_cast<std::size_t>(Status::wrong_result) + 1);
static_assert(enumerator_count<Signal>() == 0, "values begin at 0");

TEST(Enumerators, have_the_names_that_they_are_written_with) {
  EXPECT_EQ(enumerator_name(Shape::flat), "flat");
  EXPECT_EQ(enumerator_name(Shape::deep_2), "deep_2");
  EXPECT_EQ(enumerator_name(third), "third");
  EXPECT_EQ(enumerator_name(Status::wrong_result), "wrong_result");
}

TEST(Enumerators, a_value_without_one_has_no_name) {
  EXPECT_EQ(enumerator_name<static_cast<Shape>(2)>(), "");
  EXPECT_EQ(enumerator_name<static_cast<Shape>(-1)>(), "");
}

}  // namespace
}  // namespace plumbline
