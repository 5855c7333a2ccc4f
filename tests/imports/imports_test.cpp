// Numbers, units and lines as the profilers print them, and what is refused, with its line.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "imports/csv.hpp"
#include "imports/ncu_report.hpp"
#include "imports/nvprof_report.hpp"
#include "imports/values.hpp"

namespace plumbline {
namespace {

const WantedMetrics wanted{"gpu__time_duration.sum", "dram__bytes.sum", "flop_count_dp", "dram_read_transactions"};

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    return error.what();
  }
  return "accepted";
}

std::string ncu_refusal(const std::string& text) {
  return refusal([&] { read_ncu_report(text, "f.csv", wanted); });
}
std::string nvprof_refusal(const std::string& text) {
  return refusal([&] { read_nvprof_reports({{text, "f.csv"}}, wanted); });
}

TEST(Values, thousands_separators_are_read_and_other_locales_refused) {
  EXPECT_EQ(printed_number("1,234,567.5"), 1234567.5);
  EXPECT_EQ(printed_number("11109702574"), 11109702574.0);
  EXPECT_EQ(printed_number("0"), 0.0);
  EXPECT_EQ(printed_number("1.2e+09"), 1.2e9);
  EXPECT_EQ(printed_number("-3.5"), -3.5);
  for (const char* wrong : {"9,00", "1.234.567", "1,2345", "12,34,567", "", ",", "1234,567", "12 GB", "nan", "inf", "1,234,", "0x10", "-"})
    EXPECT_FALSE(printed_number(wrong)) << wrong;
}

TEST(Values, units_become_base_units) {
  const std::pair<const char*, double> units[] = {{"", 1},
                                                  {"byte", 1},
                                                  {"Kbyte", 1e3},
                                                  {"Mbyte", 1e6},
                                                  {"Gbyte", 1e9},
                                                  {"Tbyte", 1e12},
                                                  {"nsecond", 1e-9},
                                                  {"usecond", 1e-6},
                                                  {"msecond", 1e-3},
                                                  {"second", 1},
                                                  {"ns", 1e-9},
                                                  {"us", 1e-6},
                                                  {"ms", 1e-3},
                                                  {"s", 1},
                                                  {"inst", 1},
                                                  {"sector", 1},
                                                  {"Ksector", 1e3},
                                                  {"Ghz", 1e9},
                                                  {"cycle/nsecond", 1e9},
                                                  {"Gbyte/second", 1e9},
                                                  {"inst/cycle", 1},
                                                  {"%", 0.01}};
  for (const auto& [unit, factor] : units) EXPECT_DOUBLE_EQ(base_units(unit).value_or(-1), factor) << unit;
  for (const char* unknown : {"furlong", "xbyte", "byte/", "/second", "Kilobyte", "m"}) EXPECT_FALSE(base_units(unknown)) << unknown;
}

TEST(Csv, quotes_hold_commas_and_quotes) {
  CsvText text("\xef\xbb\xbf==PROF== here\r\n\"a,b\",\"say \"\"x\"\"\",,3\r\n", "f.csv");
  const auto line = text.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->number, 2U);
  EXPECT_EQ(text.cells(*line), (std::vector<std::string>{"a,b", "say \"x\"", "", "3"}));
  EXPECT_FALSE(text.next());
}

TEST(Ncu, lines_of_the_program_between_those_of_the_table_are_passed_over) {
  const auto launches = read_ncu_report(
      "iteration 1, done\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\nresidual = 1e-3\n"
      "\"0\",\"k\",\"gpu__time_duration.sum\",\"usecond\",\"1,500.00\"\n\"0\",\"k\",\"dram__bytes.sum\",\"\",\"n/"
      "a\"\n\"0\",\"k\",\"unknown\",\"furlong\",\"x\"\n",
      "f.csv", wanted);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_DOUBLE_EQ(launches[0].metrics.at("gpu__time_duration.sum"), 1.5e-3);
  EXPECT_TRUE(std::isnan(launches[0].metrics.at("dram__bytes.sum")));
  EXPECT_FALSE(launches[0].metrics.contains("unknown"));
}

TEST(Ncu, lines_of_metrics_may_be_shorter_than_a_header_with_rules) {
  const auto launches = read_ncu_report(
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
      "\"0\",\"k\",\"gpu__time_duration.sum\",\"ns\",\"406240\",\n"
      "\"0\",\"k\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"low throughput, both\"\n",
      "f.csv", wanted);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_DOUBLE_EQ(launches[0].metrics.at("gpu__time_duration.sum"), 406.24e-6);
}

TEST(Ncu, launches_of_several_processes_may_share_an_id) {
  const std::string head = "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"ns\"\n";
  EXPECT_EQ(read_ncu_report(head + "\"0\",\"1\",\"a\",\"5\"\n\"0\",\"2\",\"b\",\"6\"\n", "f.csv", wanted).size(), 2U);
}

TEST(Ncu, what_is_wrong_is_told_with_its_line) {
  const std::string longform = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const std::string row = "\"0\",\"k\",\"dram__bytes.sum\",";
  EXPECT_EQ(ncu_refusal("").substr(0, 8), "f.csv:1:");
  EXPECT_NE(ncu_refusal("a,b\n1,2\n").find("f.csv:2: no line begins with \"ID\""), std::string::npos);
  EXPECT_NE(ncu_refusal(longform).find("f.csv:1: there is no launch"), std::string::npos);
  EXPECT_NE(ncu_refusal(longform + row + "\"byte\"\n").find("f.csv:2: 4 cells where the header has 5"), std::string::npos);
  EXPECT_NE(ncu_refusal(longform + row + "\"byte\",\"12").find("f.csv:2: a quote is not closed"), std::string::npos);
  EXPECT_NE(ncu_refusal(longform + row + "\"byte\",\"9,00\"\n").find("f.csv:2: dram__bytes.sum is '9,00'"), std::string::npos);
  EXPECT_NE(ncu_refusal(longform + row + "\"furlong\",\"9\"\n").find("unit 'furlong'"), std::string::npos);
  EXPECT_NE(
      ncu_refusal(longform + row + "\"byte\",\"9\"\n" + row + "\"byte\",\"8\"\n").find("f.csv:3: dram__bytes.sum of launch 0 is 8 here"),
      std::string::npos);
  EXPECT_NE(ncu_refusal(longform + row + "\"byte\",\"9\"\n\"0\",\"other\",\"dram__bytes.sum\",\"byte\",\"9\"\n").find("two reports"),
            std::string::npos);
  EXPECT_NE(ncu_refusal("\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"0\",\"k\",\"1\"\n").find("f.csv:2: the line of units"),
            std::string::npos);
  EXPECT_NE(ncu_refusal("\"ID\",\"Metric Name\"\n").find("no column \"Kernel Name\""), std::string::npos);
  EXPECT_NE(ncu_refusal(std::string("\xff\xfe\"\0I\0", 6)).find("this is no text"), std::string::npos);
}

const std::string metrics_head =
    "==1== Profiling result:\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n";
const std::string flops = "\"V (0)\",\"k(int)\",4,\"flop_count_dp\",\"x\",1,3,2\n";

TEST(Nvprof, a_metric_that_comes_again_is_of_the_next_run) {
  const auto runs = read_nvprof_reports(
      {{metrics_head + flops, "a"}, {metrics_head + flops + "\"V (0)\",\"k(int)\",4,\"dram_read_transactions\",\"x\",5,5,5\n", "b"}},
      wanted);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].metrics.at("dram_read_transactions"), 5);
  EXPECT_FALSE(runs[1].metrics.contains("dram_read_transactions"));
  EXPECT_EQ(runs[1].launch, "2");
  EXPECT_EQ(runs[0].launches, 4);
}

TEST(Nvprof, a_trace_gives_a_time_for_each_launch) {
  const std::string trace =
      "\"Start\",\"Duration\",\"Device\",\"Name\",\"Correlation_ID\"\nms,us,,,\n1.0,10.5,\"V (0)\",\"k(int) [112]\",112\n"
      "2.0,11.5,\"V (0)\",\"k(int) [118]\",118\n2.5,99,\"V (0)\",\"[CUDA memcpy HtoD]\",119\n3.0,12,\"W (1)\",\"k(int)\",120\n";
  const auto runs = read_nvprof_reports({{metrics_head + flops, "a"}, {trace, "b"}}, wanted);
  ASSERT_EQ(runs.size(), 2U);  // V has metrics and times, W times
  ASSERT_EQ(runs[0].seconds.size(), 2U);
  EXPECT_DOUBLE_EQ(runs[0].seconds[1], 11.5e-6);
  EXPECT_TRUE(runs[1].metrics.empty());
  EXPECT_EQ(runs[1].node, "W (1)");
}

TEST(Nvprof, an_overflow_is_absent) {
  const auto runs =
      read_nvprof_reports({{metrics_head + "\"V (0)\",\"k\",1,\"flop_count_dp\",\"x\",<OVERFLOW>,<OVERFLOW>,<OVERFLOW>\n", "a"}}, wanted);
  EXPECT_TRUE(std::isnan(runs.at(0).metrics.at("flop_count_dp")));
}

TEST(Nvprof, what_is_wrong_is_told_with_its_line) {
  EXPECT_NE(nvprof_refusal("").find("f.csv:1: no table"), std::string::npos);
  EXPECT_NE(nvprof_refusal("hello\n").find("this is no CSV of nvprof"), std::string::npos);
  EXPECT_NE(nvprof_refusal(metrics_head + "\"V (0)\",\"k\",1\n").find("f.csv:3: 3 cells where the header has 8"), std::string::npos);
  EXPECT_NE(nvprof_refusal(metrics_head + "\"V (0)\",\"k\",1,\"flop_count_dp\",\"x\",-1,-1,-1\n").find("f.csv:3: flop_count_dp is '-1'"),
            std::string::npos);
  EXPECT_NE(nvprof_refusal("\"Start\",\"Duration\",\"Name\"\n1,2,\"k\"\n").find("f.csv:2: the line of units"), std::string::npos);
  EXPECT_NE(nvprof_refusal("\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"flop_count_dp\"\n").find("--print-gpu-trace"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
