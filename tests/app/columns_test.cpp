// A list of columns refuses what would else be missing in a table without a word, and its schemas say what may be null.
#include "app/terminal/columns.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::app {
namespace {

struct Sample {
  std::string name = {};
  double rate = 0;
  Status status = Status::ok;
};

Columns<Sample> sample_columns() {
  return {Column<Sample>("name", "name of it", &Sample::name).in_row("name", Align::left),
          {"rate", "its rate", &Sample::rate},
          {"status", "ok, or in a word why there is no rate", &Sample::status}};
}

std::string refused(const std::function<void()>& use) {
  try {
    use();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(OfRow, any_function_of_a_row_gives_its_value_and_so_does_a_copy_that_outlives_it) {
  const Sample row{"triad", 2.5};
  const auto expect = [&](OfRow<std::string> of_row, const std::string& value) {
    ASSERT_TRUE(of_row);
    OfRow<std::string> copy = of_row;
    EXPECT_EQ(of_row(&row), value);
    of_row = {};
    EXPECT_FALSE(of_row);
    EXPECT_EQ(OfRow<std::string>(std::move(copy))(&row), value);
  };
  const std::string longer = "a text that no pointer has room for";
  expect(text_of<Sample>(&Sample::name), "triad");
  expect(text_of<Sample>([](const Sample& sample) { return sample.name + "s"; }), "triads");
  expect(text_of<Sample>([&longer](const Sample& sample) { return longer + sample.name; }), longer + "triad");
  expect(text_of<Sample>([longer](const Sample& sample) { return longer + sample.name; }), longer + "triad");
  expect(text_of<Sample>(std::function<std::string(const Sample&)>([](const Sample&) { return std::string("kept"); })), "kept");
  EXPECT_FALSE(OfRow<std::string>());
}

TEST(Columns, a_key_that_does_not_exist_is_refused_by_name) {
  EXPECT_EQ(chosen(sample_columns(), {{"status"}, {"name"}}).size(), 2U);
  EXPECT_EQ(refused([] { chosen(sample_columns(), {{"name"}, {"speed"}}); }), "the column 'speed' does not exist");
}

TEST(Columns, a_column_that_people_see_needs_a_cell) {
  EXPECT_EQ(refused([] { sample_columns()[1].in_row("rate", Align::right); }), "the column 'rate' has no cell for people");
  const auto line = text_of<Sample>([](const Sample&) { return std::string(); });
  EXPECT_EQ(refused([&] { sample_columns()[1].above("rate", line); }), "the column 'rate' has no cell for people");
}

TEST(Columns, an_enum_is_one_of_its_words) {
  EXPECT_EQ(row_json(sample_columns(), Sample{"a", 2, Status::failed}), (Json{{"name", "a"}, {"rate", 2.0}, {"status", "failed"}}));
  const Json words = row_schema(sample_columns())["properties"]["status"]["enum"];
  EXPECT_EQ(words.size(), 10U) << "a wrong result has the word of what failed";
  EXPECT_EQ(words.front(), "ok");
  EXPECT_EQ(words.back(), "failed");
}

TEST(Columns, words_in_a_list_are_words_in_json_and_schema) {
  struct Seen {
    std::vector<Status> states;
  };
  const Columns<Seen> columns{{"states", "every state that was seen", &Seen::states}};
  EXPECT_EQ(row_json(columns, Seen{{Status::ok, Status::stolen}}), (Json{{"states", {"ok", "stolen"}}}));
  EXPECT_EQ(row_json(columns, Seen{}), (Json{{"states", Json::array()}}));
  EXPECT_EQ(row_schema(columns)["properties"]["states"]["items"], word_schema(words_of<Status>()));
}

TEST(Columns, what_may_be_null_says_so_once) {
  EXPECT_EQ(nullable({{"type", "string"}}), (Json{{"type", {"string", "null"}}}));
  EXPECT_EQ(nullable({{"type", {"number", "null"}}}), (Json{{"type", {"number", "null"}}}));
  EXPECT_EQ(nullable({{"type", {"number", "string"}}}), (Json{{"type", {"number", "string", "null"}}}));
  EXPECT_EQ(nullable(word_schema({"a", "b", "a"})), (Json{{"type", {"string", "null"}}, {"enum", {"a", "b", nullptr}}}));
}

}  // namespace
}  // namespace plumbline::app
