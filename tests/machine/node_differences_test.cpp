#include "machine/node_differences.hpp"

#include <gtest/gtest.h>

#include "machine/machine_json.hpp"

namespace plumbline {
namespace {

MachineRow node(const std::string& name, const std::string& facts, const std::string& kind = "epyc") {
  return {name, R"({"node":")" + name + R"(","kind":")" + kind + R"(",)" + facts + "}"};
}

TEST(node_differences, like_nodes_that_are_alike_differ_in_nothing) {
  const std::vector<MachineRow> rows{node("a", R"("memory_available_bytes":1,"rank_cpus":{"0":"0"},"system":{"microcode":"0x3"})"),
                                     node("b", R"("memory_available_bytes":2,"rank_cpus":{"1":"1"},"system":{"microcode":"0x3"})")};
  EXPECT_TRUE(differing_facts(rows).empty());
}

TEST(node_differences, the_odd_node_is_named_and_the_others_counted) {
  std::vector<MachineRow> rows;
  for (const char* name : {"a", "c", "d"}) rows.push_back(node(name, R"("system":{"microcode":"0x3","thp_enabled":"madvise"})"));
  rows.push_back(node("b", R"("system":{"microcode":"0x2","thp_enabled":"always"})"));
  const auto found = differing_facts(rows);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(to_string(found[0]), "system microcode: 0x2 on b; 0x3 on the 3 others");
  EXPECT_EQ(to_string(found[1]), "system thp_enabled: always on b; madvise on the 3 others");
}

TEST(node_differences, of_two_nodes_none_is_the_odd_one) {
  const auto found = differing_facts(std::vector<MachineRow>{node("a", R"("smt":true)"), node("b", R"("smt":false)")});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_string(found[0]), "smt: false on b; true on a");
}

TEST(node_differences, other_kinds_of_node_may_differ) {
  EXPECT_TRUE(differing_facts(std::vector<MachineRow>{node("a", R"("smt":true)", "epyc"), node("b", R"("smt":false)", "xeon")}).empty());
}

TEST(node_differences, a_fact_that_one_node_does_not_know_differs_with_its_reason) {
  const auto found =
      differing_facts(std::vector<MachineRow>{node("a", R"("system":{"bios_version":"1.2"})"),
                                              node("b", R"("system":{"bios_version":null,"absent":{"bios_version":"not readable"}})")});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_string(found[0]), "system bios_version: 1.2 on a; absent: not readable on b");
}

TEST(node_differences, of_many_odd_nodes_four_are_named) {
  std::vector<MachineRow> rows;
  for (int i = 0; i < 20; ++i) rows.push_back(node("n" + std::to_string(i), i < 8 ? R"("smt":true)" : R"("smt":false)"));
  EXPECT_EQ(to_string(differing_facts(rows).at(0)), "smt: true on n0, n1, n2, n3 and 4 more; false on the 12 others");
}

TEST(node_differences, two_nodes_set_up_alike_differ_in_nothing_whatever_their_free_memory) {
  const Topology topology = this_topology();
  NodeState state = this_node_state();
  std::vector<MachineRow> rows{{"a", machine_json("a", topology, this_cpu(), state)}};
  state.memory_available_bytes /= 2;
  rows.push_back({"b", machine_json("b", topology, this_cpu(), state)});
  EXPECT_TRUE(differing_facts(rows).empty());
  state.system.at(0) = unknown(state.system.at(0).name, "lost");
  rows.push_back({"c", machine_json("c", topology, this_cpu(), state)});
  EXPECT_EQ(differing_facts(rows).size(), 1U);
}

TEST(node_differences, what_is_no_document_is_passed_over) {
  EXPECT_TRUE(differing_facts(std::vector<MachineRow>{{"a", ""}, {"b", "[1]"}, {"c", "{}"}}).empty());
}

}  // namespace
}  // namespace plumbline
