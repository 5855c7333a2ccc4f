#include "store/session_list.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace plumbline {
namespace {

using nlohmann::json;

JournalHeader header(const std::string& session, std::int64_t started, const std::string& node, const std::string& program = "p") {
  return {.campaign = "",
          .provenance = R"({"program":")" + program + R"(","git":{"commit":"c"},"host":"x"})",
          .session = session,
          .started_unix_ns = started,
          .machines = {{node, "{}"}}};
}

OutcomeRow stop(const std::string& session, const std::string& node, const std::string& reason) {
  OutcomeRow row;
  row.case_id = std::string(stop_prefix) + session;
  row.node = node;
  row.session = session;
  row.reason = reason;
  return row;
}

TEST(session_list, headers_of_all_nodes_of_a_session_are_one_entry) {
  const std::vector<JournalHeader> headers{header("s1", 1, "a"), header("s1", 1, "b"), header("s2", 2, "a", "q")};
  const auto sessions = json::parse(with_sessions(R"({"host":"x"})", headers)).at("sessions");
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].at("nodes"), json({"a", "b"}));
  EXPECT_EQ(sessions[0].at("git").at("commit"), "c");
  EXPECT_EQ(sessions[1].at("program"), "q");
  EXPECT_EQ(sessions[1].at("started_unix_ns"), 2);
  EXPECT_FALSE(sessions[0].contains("host"));  // what differs little is said once, for the file
}

TEST(session_list, a_node_is_named_once_however_often_it_came) {
  const std::vector<JournalHeader> headers{header("s1", 1, "a"), header("s1", 1, "a")};
  EXPECT_EQ(json::parse(with_sessions("{}", headers)).at("sessions").at(0).at("nodes"), json({"a"}));
}

TEST(session_list, only_stops_are_taken_from_the_outcomes_and_each_once) {
  OutcomeRow measured;
  measured.case_id = "validation/triad/fp64/n=1/r1t1/gcc12-O3-v2";
  const std::vector<OutcomeRow> outcomes{measured, stop("s1", "a", "hung"), stop("s1", "a", "hung"), stop("s1", "b", "hung")};
  const auto stops = json::parse(with_stops("{}", outcomes)).at("stops");
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_EQ(stops[0], json({{"session", "s1"}, {"node", "a"}, {"reason", "hung"}}));
  EXPECT_FALSE(json::parse(with_stops("{}", std::vector{measured})).contains("stops"));
}

TEST(session_list, the_last_cache_of_a_node_is_listed_once_and_stays_in_later_sessions) {
  OutcomeRow chosen;
  chosen.case_id = last_cache_unit;
  chosen.node = "a";
  chosen.session = "s1";
  chosen.placement = R"({"bytes":1048576,"measured":true})";
  const std::vector<OutcomeRow> outcomes{stop("s1", "a", "hung"), chosen, chosen};
  const std::string older = with_last_caches("{}", outcomes);
  const auto listed = json::parse(with_lists_of(R"({"host":"n"})", older)).at("last_caches");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0], json({{"session", "s1"}, {"node", "a"}, {"bytes", 1048576}, {"measured", true}}));
  EXPECT_FALSE(json::parse(with_last_caches("{}", std::vector{outcomes[0]})).contains("last_caches"));
}

TEST(session_list, older_sessions_come_first_and_one_that_both_know_is_the_newer_ones) {
  const std::string older =
      R"({"sessions":[{"session":"s1","nodes":["a"]},{"session":"s2","nodes":["a"]}],"stops":[{"session":"s1","node":"a"}]})";
  const std::string newer = R"({"host":"n","sessions":[{"session":"s2","nodes":["a","b"]},{"session":"s3","nodes":["b"]}]})";
  const auto merged = json::parse(with_lists_of(newer, older));
  ASSERT_EQ(merged.at("sessions").size(), 3U);
  EXPECT_EQ(merged["sessions"][0].at("session"), "s1");
  EXPECT_EQ(merged["sessions"][1].at("nodes"), json({"a", "b"}));
  EXPECT_EQ(merged["sessions"][2].at("session"), "s3");
  EXPECT_EQ(merged.at("stops").size(), 1U);
  EXPECT_EQ(merged.at("host"), "n");
}

TEST(session_list, what_is_no_object_stays_as_it_is) {
  EXPECT_EQ(with_sessions("no json", std::vector{header("s", 1, "a")}), "no json");
  EXPECT_EQ(with_stops("[1]", std::vector{stop("s", "a", "r")}), "[1]");
  EXPECT_EQ(with_lists_of("{}", "no json"), "{}");
}

}  // namespace
}  // namespace plumbline
