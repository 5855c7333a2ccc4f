#include "app/terminal/table.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace plumbline::app {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

TEST(Table, columns_are_as_wide_as_their_widest_cell_and_lines_end_without_blanks) {
  Table table({{"case", Align::left}, {"GB/s"}});
  table.add({"a", "1"});
  table.add({"long", "12345"});
  EXPECT_EQ(table.text(), "case   GB/s\n----  -----\na         1\nlong  12345\n");
}

TEST(Table, a_line_across_does_not_widen_a_column) {
  Table table({{"a", Align::left}, {"b"}});
  table.add_line("a heading that is long");
  table.add({"1", "2"});
  EXPECT_EQ(table.text(), "a  b\n-  -\na heading that is long\n1  2\n");
}

TEST(Table, a_cell_stays_on_its_line) {
  Table table({{"region", Align::left}, {"n"}});
  table.add({"a\nb\tc\x1b[1m", "1"});
  EXPECT_EQ(table.text(), "region          n\n--------------  -\na\\nb\\tc\\x1b[1m  1\n");
}

TEST(Table, numbers_keep_their_significant_digits) {
  EXPECT_EQ(plain(0.0833333), "0.0833");
  EXPECT_EQ(plain(123.456), "123");
  EXPECT_EQ(plain(1.0, 4), "1.000");
  EXPECT_EQ(plain(0), "0");
  EXPECT_EQ(plain(3e-9), "3.00e-09");
  EXPECT_EQ(plain(nothing), "-");
}

TEST(Table, durations_and_sizes_take_the_unit_that_fits) {
  EXPECT_EQ(duration(2.5e-7), "250 ns");
  EXPECT_EQ(duration(0.0125), "12.5 ms");
  EXPECT_EQ(duration(nothing), "-");
  EXPECT_EQ(size_in_bytes(48 * 1024), "48.0 KiB");
}

TEST(Table, text_is_broken_between_words) { EXPECT_EQ(wrapped("one two three", 9, "  "), "  one two\n  three"); }

TEST(Json, an_absent_number_is_null) {
  EXPECT_TRUE(number(nothing).is_null());
  EXPECT_TRUE(number(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(number(1.5), 1.5);
}

TEST(Json, a_document_has_schema_file_rows_and_notes) {
  const Json rows = Json::array({Json{{"x", 1}}, Json{{"x", nothing}}});
  const Json document = Json::parse(app::document("show", "a.h5", rows, {"a note"}, {{"counters", Json::array()}}));
  EXPECT_EQ(document["schema"], "plumbline-show/1");
  EXPECT_EQ(document["file"], "a.h5");
  EXPECT_EQ(document["rows"].size(), 2U);
  EXPECT_TRUE(document["rows"][1]["x"].is_null());
  EXPECT_EQ(document["notes"][0], "a note");
  EXPECT_TRUE(document["counters"].empty());
}

TEST(Csv, nested_members_become_columns_and_absent_ones_stay_empty) {
  const Json rows = Json::array({Json{{"a", 1}, {"levels", {{"L1", {{"bytes", 8}}}}}}, Json{{"a", nullptr}, {"b", "x,\"y\""}}});
  EXPECT_EQ(csv(rows), "a,levels_L1_bytes,b\n1,8,\n,,\"x,\"\"y\"\"\"\n");
}

}  // namespace
}  // namespace plumbline::app
