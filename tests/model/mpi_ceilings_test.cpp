#include "model/ceilings/mpi_ceilings.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

CeilingRow sample(const std::string& traffic, double bytes, double value, int round, const std::string& node = "nodeA") {
  CeilingRow row{.name = "MPI " + traffic + " inside a node",
                 .precision = "-",
                 .level = "mpi",
                 .pattern = traffic,
                 .ranks = 2,
                 .threads = 1,
                 .node = node,
                 .session = "s",
                 .round = round,
                 .value = value,
                 .unit = traffic == "latency" ? "seconds" : "GB/s",
                 .method = "MPICH"};
  row.working_set_bytes = bytes;
  return row;
}

/// A link after Hockney: a message of m bytes takes start + m / peak seconds.
std::vector<CeilingRow> link(double start_seconds, double peak_gbs, const std::vector<double>& slowdowns) {
  std::vector<CeilingRow> rows;
  for (std::size_t round = 0; round < slowdowns.size(); ++round)
    for (double bytes = 8; bytes <= 4 << 20; bytes *= 2) {
      const double seconds = (start_seconds + bytes / (peak_gbs * 1e9)) * slowdowns[round];
      rows.push_back(sample("latency", bytes, seconds, static_cast<int>(round)));
      rows.push_back(sample("one way", bytes, bytes / seconds * 1e-9, static_cast<int>(round)));
    }
  return rows;
}

TEST(mpi_ceilings, a_link_has_latency_peak_and_half_bandwidth_size) {
  const auto fitted = fit_mpi_ceilings(link(1e-6, 10, {1.5, 1, 1.2}));
  ASSERT_EQ(fitted.size(), 3U);
  EXPECT_EQ(fitted[0].unit, "seconds");
  EXPECT_NEAR(fitted[0].value, 1e-6, 1e-9) << "the best round, not the first or the middle one";
  EXPECT_EQ(fitted[0].size_bytes, 8);
  EXPECT_EQ(fitted[0].n, 3U);
  EXPECT_EQ(fitted[1].unit, "GB/s");
  EXPECT_NEAR(fitted[1].value, 10, 0.05);
  EXPECT_EQ(fitted[1].size_bytes, 4 << 20);
  EXPECT_EQ(fitted[2].unit, "bytes");
  EXPECT_NEAR(fitted[2].value, 1e-6 * 10e9, 0.05 * 10e3) << "n1/2 = start x peak";
  EXPECT_LT(fitted[2].cv, 1e-9) << "a slower round does not move n1/2";
}

TEST(mpi_ceilings, the_best_message_size_is_the_one_with_the_best_median_not_with_one_lucky_round) {
  std::vector<CeilingRow> rows;
  for (int round = 0; round < 3; ++round) {
    rows.push_back(sample("one way", 1024, round == 1 ? 50 : 5, round));
    rows.push_back(sample("one way", 65536, 8 + 0.1 * round, round));
  }
  const auto fitted = fit_mpi_ceilings(rows);
  EXPECT_EQ(fitted.at(0).size_bytes, 65536);
  EXPECT_DOUBLE_EQ(fitted.at(0).value, 8.2);
}

TEST(mpi_ceilings, where_the_smallest_message_is_fast_enough_there_is_no_half_bandwidth_size) {
  const auto fitted = fit_mpi_ceilings(std::vector{sample("both ways", 8, 5, 0), sample("both ways", 65536, 8, 0)});
  ASSERT_EQ(fitted.size(), 2U);
  EXPECT_EQ(fitted[1].status, Status::unavailable);
  EXPECT_TRUE(std::isnan(fitted[1].value));
  EXPECT_FALSE(fitted[1].reason.empty());
}

TEST(mpi_ceilings, links_of_different_nodes_are_different_and_other_ceilings_are_none) {
  CeilingRow load = sample("one way", 4096, 100, 0);
  load.level = "sweep";
  const auto fitted = fit_mpi_ceilings(std::vector{sample("latency", 8, 1e-6, 0, "nodeA"), load, sample("latency", 8, 2e-6, 0, "nodeB")});
  ASSERT_EQ(fitted.size(), 2U);
  EXPECT_EQ(fitted[0].node, "nodeA");
  EXPECT_EQ(fitted[1].value, 2e-6);
}

TEST(mpi_ceilings, failed_samples_count_for_nothing_and_a_link_without_any_other_says_why) {
  CeilingRow bad = sample("latency", 8, 1e-9, 0);
  bad.status = Status::failed;
  bad.method = "MPICH: a message arrived changed";
  const auto with_good = fit_mpi_ceilings(std::vector{bad, sample("latency", 8, 1e-6, 1)});
  EXPECT_EQ(with_good.at(0).value, 1e-6);
  EXPECT_EQ(with_good.at(0).n, 1U);
  const auto alone = fit_mpi_ceilings(std::vector{bad});
  EXPECT_EQ(alone.at(0).status, Status::failed);
  EXPECT_TRUE(std::isnan(alone.at(0).value));
  EXPECT_NE(alone.at(0).reason.find("arrived changed"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
