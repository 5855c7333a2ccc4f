// Formulas over rows are read and computed; files of expectations are read, and what is wrong in them is told with its place.
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <sstream>

#include "app/expectations/expect_columns.hpp"
#include "app/expectations/expectation_file.hpp"
#include "app/expectations/formula.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

const std::vector<std::string> names{"a", "b"};

/// The numbers of a formula, where `seconds` of rows a and b, and their parameter n, are these.
Numbers value_of(const std::string& text) {
  const std::map<std::string, Numbers> numbers{
      {"seconds a", {1, 2, 4}}, {"seconds b", {2, 4, 8}}, {"param a", {10, 20, 40}}, {"param b", {10, 10, 40}}};
  return evaluate(parse_formula(text, names), [&](const Formula& quantity) { return numbers.at(quantity.word + " " + quantity.rows); });
}

double number_of(const std::string& text) {
  const Numbers all = value_of(text);
  EXPECT_EQ(all.size(), 1u) << text;
  return all.front();
}

std::string fault_of(const std::string& text) {
  try {
    parse_formula(text, names);
  } catch (const FormulaFault& fault) {
    return std::to_string(fault.column) + ": " + fault.message;
  }
  return "none";
}

std::string why_no_value(const std::string& text) {
  try {
    value_of(text);
  } catch (const NoValue& why) {
    return why.what();
  }
  return "none";
}

TEST(Formulas, know_which_operation_comes_first) {
  EXPECT_DOUBLE_EQ(number_of("2 + 3 * 4 - 6 / 2"), 11);
  EXPECT_DOUBLE_EQ(number_of("(2 + 3) * -4"), -20);
  EXPECT_DOUBLE_EQ(number_of("8 / 2 / 2"), 2);
  EXPECT_DOUBLE_EQ(number_of("1e3 - 1.5"), 998.5);
}

TEST(Formulas, pair_rows_and_single_numbers) {
  EXPECT_EQ(value_of("seconds(b) / seconds(a)"), (Numbers{2, 2, 2}));
  EXPECT_EQ(value_of("10 * seconds(a)"), (Numbers{10, 20, 40}));
  EXPECT_EQ(value_of("-seconds(a)"), (Numbers{-1, -2, -4}));
}

TEST(Formulas, gather_rows) {
  EXPECT_DOUBLE_EQ(number_of("min(seconds(a))"), 1);
  EXPECT_DOUBLE_EQ(number_of("max(seconds(a))"), 4);
  EXPECT_DOUBLE_EQ(number_of("mean(seconds(a))"), 7.0 / 3);
  EXPECT_DOUBLE_EQ(number_of("spread(seconds(a))"), 4);
  EXPECT_DOUBLE_EQ(number_of("cv(seconds(a) - seconds(a) + 5)"), 0);
}

TEST(Formulas, fit_lines) {
  EXPECT_DOUBLE_EQ(number_of("slope(seconds(a), param(\"n\", a))"), 0.1);
  EXPECT_DOUBLE_EQ(number_of("fit(seconds(a), param(\"n\", a))"), 1);
  EXPECT_LT(number_of("fit(seconds(a) * seconds(a), param(\"n\", a))"), 0.99);
  EXPECT_DOUBLE_EQ(number_of("rises(seconds(a), param(\"n\", a))"), 1);
  EXPECT_DOUBLE_EQ(number_of("rises(-seconds(a), param(\"n\", a))"), 0);
}

TEST(Formulas, have_no_value_where_rows_do_not_fit) {
  EXPECT_EQ(why_no_value("fit(seconds(b), param(\"n\", b))"), "several rows have the same x, 10");
  EXPECT_EQ(why_no_value("fit(max(seconds(a)), 3)"), "1 rows are too few: 3 or more are needed");
  EXPECT_EQ(why_no_value("fit(seconds(a), 3)"), "3 numbers stand against 1");
  EXPECT_EQ(why_no_value("spread(3)"), "spread of one row says nothing");
}

TEST(Formulas, say_where_they_are_wrong_and_what_is_allowed) {
  EXPECT_EQ(fault_of("secnds(a)").substr(0, 73), "1: there is no function or quantity 'secnds'; did you mean 'seconds'? all");
  EXPECT_EQ(fault_of("seconds(c)"), "9: there are no rows 'c'; allowed: a, b");
  EXPECT_EQ(fault_of("seconds(a) seconds(b)"), "12: 'seconds(b)' is too much here; an operator or the end belongs here");
  EXPECT_EQ(fault_of("1 +"), "4: it ends where a number, a function or a quantity belongs");
  EXPECT_EQ(fault_of("max(seconds(a)"), "15: ')' is missing");
  EXPECT_EQ(fault_of("param(a)"), "7: '\"' is missing");
  EXPECT_EQ(fault_of("param(\"n, a)"), "8: the name's closing '\"' is missing");
  EXPECT_EQ(fault_of("1 + fit(seconds(a))"), "5: fit takes two lists of numbers, not 1");
  EXPECT_EQ(fault_of("ai(a)").substr(0, 38), "1: there is no function or quantity 'a");
  EXPECT_EQ(fault_of(std::string(200, '(')).substr(4), "it is nested too deeply");
  EXPECT_EQ(fault_of("$"), "1: a number, a function or a quantity belongs here");
}

TEST(Formulas, tell_each_word_that_they_know) {
  for (const auto& function : formula_functions())
    EXPECT_EQ(fault_of(std::string(function.word) + "$").find("no function"), std::string::npos);
  for (const auto level : formula_levels()) EXPECT_EQ(fault_of("ai." + std::string(level) + "(a)"), "none");
}

const std::string head = "schema = \"plumbline-expectations/1\"\npaper = \"Me 2026\"\n";
const std::string entry =
    "[[expectation]]\nid = \"twice\"\nstatement = \"b takes twice as long\"\nwhere = \"figure 1\"\ncampaigns = \"quick\"\n"
    "rows.a = {kernel = \"site/one\", params = {n = [1, 2]}}\nrows.b = {kernel = \"site/two\"}\nquantity = \"seconds(b) / seconds(a)\"\n";

std::string complaint(const std::string& text) {
  try {
    parse_expectations(text, "mine.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    return error.what();
  }
  return "none";
}

TEST(Expectations, are_read) {
  const auto all = parse_expectations(
      head + entry + "about = 2\nwithin = 0.1\nacross = [\"team\"]\nknown = [{most = 1, reason = \"why\"}]\n", "mine.toml");
  ASSERT_EQ(all.size(), 1u);
  const PaperExpectation& one = all.front();
  EXPECT_EQ(one.id, "twice");
  EXPECT_EQ(one.paper, "Me 2026");
  EXPECT_EQ(one.rows.at("a").params.at("n"), (std::vector<std::string>{"1", "2"}));
  EXPECT_DOUBLE_EQ(one.least, 1.8);
  EXPECT_DOUBLE_EQ(one.most, 2.2);
  EXPECT_EQ(one.space, ExpectedSpace::any);
  ASSERT_EQ(one.known.size(), 1u);
  EXPECT_TRUE(one.known.front().least != one.known.front().least);
  EXPECT_EQ(one.known.front().most, 1);
}

TEST(Expectations, are_refused_with_the_place_of_what_is_wrong) {
  const std::string good = head + entry + "least = 1\n";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return complaint(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(complaint("name = 1\n"), "mine.toml:1:1: a file of expectations begins with schema = \"plumbline-expectations/1\"");
  EXPECT_EQ(complaint(head), "mine.toml:1:1: there is no [[expectation]]");
  EXPECT_EQ(with("where", "wehre").substr(0, 76), "mine.toml:6:1: unknown key 'wehre' in [[expectation]]; did you mean 'where'?");
  EXPECT_EQ(with("where = \"figure 1\"\n", ""), "mine.toml:3:1: 'where' is missing in [[expectation]]");
  EXPECT_EQ(with("least = 1", "least = 2\nmost = 1"), "mine.toml:11:9: 'least' is greater than 'most' in [[expectation]]");
  EXPECT_EQ(with("least = 1\n", ""), "mine.toml:3:1: [[expectation]] needs 'least' or 'most'");
  EXPECT_EQ(with("least = 1", "about = 1"), "mine.toml:3:1: 'about' and 'within' belong together");
  EXPECT_EQ(with("seconds(a)\"", "secs(a)\"").substr(0, 94),
            "mine.toml:10:12: 'quantity' of 'twice', character 14: there is no function or quantity 'secs';");
  EXPECT_EQ(with("seconds(b) / ", ""), "mine.toml:8:1: the quantity says nothing of the rows 'b'");
  EXPECT_EQ(with("least = 1", "least = 1\nspace = \"tpu\"").substr(0, 45), "mine.toml:12:9: 'space' in [[expectation]] is");
  EXPECT_EQ(with("kernel = \"site/one\"", "kernel = \"site/one\", ceiling = \"L1 load\""),
            "mine.toml:8:10: rows.a needs 'kernel' or 'ceiling', one of them");
  EXPECT_EQ(with("kernel = \"site/two\"", "ceiling = \"L1 load\""), "mine.toml:10:12: 'b' is of ceilings, and seconds is of cases");
  EXPECT_EQ(complaint(good + entry + "least = 1\n"), "mine.toml:13:6: there are two expectations 'twice'");
}

/// The bounds and the measured number of a row of the table, where these are its numbers.
std::string row_of(double least, double most, double measured) {
  const PaperExpectation expectation{.id = "mine", .least = least, .most = most};
  const JudgedExpectation judged{.of = &expectation, .measured = measured, .measured_lo = measured, .measured_hi = measured};
  std::istringstream words(expectations_text(std::span(&judged, 1), Format::text));
  std::string word, text;
  while (words >> word && word != "mine") continue;
  while (words >> word && word != "not") text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(Expectations, never_look_met_by_a_number_beyond_their_bound) {
  EXPECT_EQ(row_of(1.001, absent, 1.0009999), "1.001 or more 1.0009999");
  EXPECT_EQ(row_of(absent, 1, 1.00004), "at most 1.00 1.00004");
  EXPECT_EQ(row_of(0.99, 1.01, 1.005), "0.990 to 1.01 1.005");
  EXPECT_EQ(row_of(1.0 / 3, absent, 1.0 / 3), "0.333333333 or more 0.3333");
}

}  // namespace
}  // namespace plumbline::app
