#include "campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "expect_in.hpp"

namespace plumbline {
namespace {

using test::expect_in;

TEST(Campaign, a_name_of_more_tables_than_its_reader_can_free_is_refused) {
  std::string name = "a";
  for (int i = 0; i < 100'000; ++i) name += ".a";
  for (const std::string& text : {"[" + name + "]", name + " = 1", "x = {" + name + " = 1}"}) try {
      parse_campaign(text, "f.toml");
      ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      EXPECT_NE(std::string(error.what()).find("more than 100 dots"), std::string::npos) << error.what();
    }
}

const std::string head = "schema = \"plumbline-campaign/1\"\n";
const std::string one_case = "[[cases]]\nkernel = \"validation/triad\"\n";

Campaign parse(const std::string& body) { return parse_campaign(head + body, "c.toml"); }

// The message of the Error (user) that a campaign gives; fails the test when it gives none.
std::string complaint(const std::string& body, bool with_head = true) {
  try {
    parse_campaign((with_head ? head : "") + body, "c.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  }
  ADD_FAILURE() << "no error for:\n" << body;
  return "";
}

TEST(campaign, the_contracts_example_is_read_as_written) {
  const auto c = parse(R"(name = "quick"
seed = 7
order = "written"
passes = ["time"]
counters = "none"
placement = "distribute"
oversubscribe = true
beyond_memory = "skip"
budget_seconds = 120
[journal]
sync_seconds = 2.5
[timing]
min_seconds = 0.5
ci_relative = 0.01
max_repetitions = 9
cold_l2 = true
[counting]
repetitions = 1
[[cases]]
kernel = "validation/series"
precision = ["fp64", "fp32"]
flavor = ["gcc*-O3-*"]
team = [{ranks = 2, threads = 3}, {ranks = "all"}]
params = {form = "loop", n = {from = 1, to = 29, step = 7}, m = [64, 256]}
exclude = ["*/n=1/*"]
[ceilings]
mode = "full"
)");
  EXPECT_EQ(c.name, "quick");
  EXPECT_EQ(c.seed, 7U);
  EXPECT_TRUE(c.in_written_order);
  EXPECT_TRUE(c.time);
  EXPECT_FALSE(c.count);
  EXPECT_EQ(c.counters, "none");
  EXPECT_EQ(c.placement, Placement::distribute);
  EXPECT_TRUE(c.oversubscribe);
  EXPECT_TRUE(c.skips_beyond_memory);
  EXPECT_EQ(c.budget_seconds, 120);
  EXPECT_EQ(c.timing.min_seconds, 0.5);
  EXPECT_EQ(c.journal.sync_seconds, 2.5);
  EXPECT_EQ(c.timing.ci_relative, 0.01);
  EXPECT_EQ(c.timing.max_repetitions, 9);
  EXPECT_TRUE(c.timing.cold_l2);
  EXPECT_EQ(c.counting.repetitions_on(Space::cuda), 1);
  EXPECT_EQ(c.counting.repetitions_on(Space::cpu), 1);
  EXPECT_EQ(c.ceilings.mode, CeilingsMode::full);
  ASSERT_EQ(c.cases.size(), 1U);
  const auto& spec = c.cases.front();
  EXPECT_EQ(spec.kernel.value, "validation/series");
  EXPECT_EQ(spec.precisions.size(), 2U);
  EXPECT_EQ(spec.flavors.at(0).value, "gcc*-O3-*");
  ASSERT_EQ(spec.teams.size(), 2U);
  EXPECT_EQ(spec.teams[0].value.ranks, 2);
  EXPECT_EQ(spec.teams[0].value.threads, 3);
  EXPECT_FALSE(spec.teams[1].value.ranks) << "all";
  EXPECT_EQ(spec.teams[1].value.threads, 1);
  ASSERT_EQ(spec.parameters.size(), 3U);
  EXPECT_EQ(spec.exclude.at(0).value, "*/n=1/*");
}

std::vector<std::int64_t> integers(const std::string& written) {
  std::vector<std::int64_t> values;
  const auto campaign = parse(one_case + "params = {n = " + written + "}\n");
  for (const auto& value : campaign.cases.at(0).parameters.at(0).second) values.push_back(std::get<std::int64_t>(value.value));
  return values;
}

TEST(campaign, ranges_include_their_end_when_they_meet_it) {
  using V = std::vector<std::int64_t>;
  EXPECT_EQ(integers("5"), V({5}));
  EXPECT_EQ(integers("[3, 1, 3]"), V({3, 1}));
  EXPECT_EQ(integers("{from = 1, to = 4}"), V({1, 2, 3, 4}));
  EXPECT_EQ(integers("{from = 1, to = 8, step = 3}"), V({1, 4, 7}));
  EXPECT_EQ(integers("{from = 64, to = 512, factor = 2}"), V({64, 128, 256, 512}));
  EXPECT_EQ(integers("{from = 1, to = 8, factor = 1.5}"), V({1, 2, 3, 5, 8}));
  EXPECT_EQ(integers("[1, {from = 4, to = 16, factor = 4}]"), V({1, 4, 16}));
  EXPECT_EQ(integers("{from = 4611686018427387900, to = 4611686018427387904, step = 4}"), V({4611686018427387900, 4611686018427387904}));
}

TEST(campaign, absent_keys_have_the_documented_presets) {
  const auto c = parse(one_case);
  EXPECT_EQ(c.name, "c") << "the file's stem";
  EXPECT_EQ(c.seed, 1U);
  EXPECT_TRUE(c.time && c.count);
  EXPECT_EQ(c.counters, "auto");
  EXPECT_EQ(c.placement, Placement::every_node);
  EXPECT_FALSE(c.oversubscribe);
  EXPECT_FALSE(c.skips_beyond_memory);
  EXPECT_FALSE(c.budget_seconds);
  EXPECT_EQ(c.timing.min_seconds, 0.02);
  EXPECT_EQ(c.journal.sync_seconds, 0);
  EXPECT_FALSE(c.ceilings.rounds);
  EXPECT_TRUE(c.ceilings.only.empty());
  EXPECT_EQ(c.ceilings.mode, CeilingsMode::none) << "what is not asked for is not measured";
  EXPECT_EQ(c.cases.at(0).flavors.at(0).value, "*");
  EXPECT_EQ(c.cases.at(0).teams.at(0).value.ranks, 1);
}

TEST(campaign, nodes_measure_at_once_and_again_unless_told_otherwise) {
  EXPECT_FALSE(parse(one_case).nodes.turns);
  EXPECT_TRUE(parse(one_case).nodes.remeasure);
  const auto told = parse(one_case + "[nodes]\nturns = true\nremeasure = false\n").nodes;
  EXPECT_TRUE(told.turns);
  EXPECT_FALSE(told.remeasure);
  EXPECT_THROW(parse("placement = \"distribute\"\n" + one_case + "[nodes]\nturns = true\n"), Error);
}

TEST(campaign, the_simulated_caches_are_this_machines_unless_chosen) {
  EXPECT_EQ(parse(one_case).emulated.caches.value, "auto");
  EXPECT_EQ(parse(one_case + "[emulated]\ncaches = \"none\"\n").emulated.caches.value, "none");
  EXPECT_EQ(parse("passes = [\"count\"]\n" + one_case + "[emulated]\ncaches = \"amd-interlagos\"\n").emulated.caches.value,
            "amd-interlagos");
}

TEST(campaign, the_last_cache_is_as_the_topology_tells_or_as_it_is_measured_beside_times_and_ceilings_too) {
  for (const std::string said : {"topology", "measured"}) {
    const auto wish = parse(one_case + "[ceilings]\nmode = \"quick\"\n[emulated]\ncaches = \"" + said + "\"\n").emulated;
    EXPECT_EQ(wish.caches.value, said);
    EXPECT_TRUE(wish.is_of_this_machine());
  }
  EXPECT_FALSE(parse("passes = [\"count\"]\n" + one_case + "[emulated]\ncaches = \"amd-interlagos\"\n").emulated.is_of_this_machine());
}

TEST(campaign, another_machines_caches_do_not_go_with_this_machines_times) {
  const std::string other = "[emulated]\ncaches = \"amd-interlagos\"\n";
  expect_in(complaint(one_case + other), {"c.toml:5:10:", "'caches' is 'amd-interlagos'", "passes = [\"count\"]"});
  expect_in(complaint("passes = [\"count\"]\n" + one_case + "[ceilings]\nmode = \"quick\"\n" + other), {"no [ceilings]"});
  expect_in(complaint(one_case + "[emulated]\ncaches = \"\"\n"), {"'caches' is empty", "\"none\""});
  expect_in(complaint(one_case + "[emulated]\ncache = \"none\"\n"), {"unknown key 'cache' in [emulated]", "did you mean 'caches'?"});
}

TEST(campaign, an_unknown_key_names_line_column_and_the_nearest_allowed_one) {
  expect_in(complaint("sede = 3\n" + one_case), {"c.toml:2:1:", "unknown key 'sede'", "did you mean 'seed'?", "allowed: schema"});
  expect_in(complaint("[[cases]]\nkernel = \"x\"\n  flavour = [\"*\"]\n"), {"c.toml:4:3:", "'flavour'", "did you mean 'flavor'?"});
  expect_in(complaint(one_case + "team = [{ranks = 1, thread = 2}]\n"), {"c.toml:4:21:", "'thread'", "did you mean 'threads'?"});
  expect_in(complaint(one_case + "params = {n = {from = 1, too = 2}}\n"), {"c.toml:4:26:", "'too'", "did you mean 'to'?"});
  expect_in(complaint("[timing]\nmin_second = 1\n" + one_case), {"c.toml:3:1:", "'min_second'", "[timing]", "did you mean 'min_seconds'?"});
}

TEST(campaign, a_wrong_type_names_what_is_there_and_what_is_needed) {
  expect_in(complaint("seed = \"one\"\n" + one_case), {"c.toml:2:8:", "'seed'", "must be an integer", "not a string"});
  expect_in(complaint("seed = 1.5\n" + one_case), {"not a floating-point number"});
  expect_in(complaint("seed = -1\n" + one_case), {"at least 0"});
  expect_in(complaint("oversubscribe = 1\n" + one_case), {"must be true or false", "not an integer"});
  expect_in(complaint("budget_seconds = \"2 min\"\n" + one_case), {"must be a number"});
  expect_in(complaint("budget_seconds = 0\n" + one_case), {"greater than 0"});
  expect_in(complaint("budget_seconds = nan\n" + one_case), {"greater than 0"});
  expect_in(complaint("timing = 3\n" + one_case), {"must be a table"});
  expect_in(complaint("[journal]\nsync_seconds = -1\n" + one_case), {"c.toml:3:", "'sync_seconds' is -1", "0 (after each case) to 3600"});
  expect_in(complaint("[journal]\nsync_seconds = nan\n" + one_case), {"'sync_seconds'"});
  expect_in(complaint("cases = [1]\n"), {"[[cases]]", "not an integer"});
  expect_in(complaint("[[cases]]\nkernel = 3\n"), {"c.toml:3:10:", "must be a string"});
  expect_in(complaint(one_case + "params = {n = 64.0}\n"), {"c.toml:4:15:", "'n'", "not a floating-point number"});
  expect_in(complaint(one_case + "params = {n = [[1]]}\n"), {"not an array"});
  expect_in(complaint(one_case + "flavor = [1]\n"), {"list of strings"});
  expect_in(complaint(one_case + "team = [3]\n"), {"{ranks=R, threads=T}"});
}

TEST(campaign, a_word_that_is_not_allowed_names_those_that_are) {
  expect_in(complaint("placement = \"every_nod\"\n" + one_case), {"did you mean 'every_node'?", "distribute"});
  expect_in(complaint("passes = [\"tiem\"]\n" + one_case), {"did you mean 'time'?"});
  expect_in(complaint("passes = [\"time\", \"time\"]\n" + one_case), {"twice"});
  expect_in(complaint("[ceilings]\nmode = \"fast\"\n"), {"quick, full, none"});
  expect_in(complaint("[ceilings]\nrounds = 0\n"), {"rounds"});
  expect_in(complaint("[ceilings]\nnode_pairs = \"all\"\n"), {"node_pairs", "auto, none"});
  expect_in(complaint("[ceilings]\nnode_pairs = 0\n"), {"node_pairs"});
  expect_in(complaint("[ceilings]\nnode_pairs = true\n"), {"node_pairs"});
  const auto links = parse("[ceilings]\nmode = \"none\"\nnode_pairs = 5\n").ceilings.node_pairs;
  EXPECT_TRUE(links.wanted && links.partners == 5) << "the map alone is a campaign";
  EXPECT_FALSE(parse("[ceilings]\nnode_pairs = \"none\"\n").ceilings.node_pairs.wanted);
  const auto some = parse("[ceilings]\nmode = \"full\"\nonly = [\"load\", \"FP64 *\"]\nrounds = 7\n").ceilings;
  EXPECT_EQ(some.only.at(1).value, "FP64 *");
  EXPECT_EQ(some.rounds, 7);
  expect_in(complaint("name = \"../x\"\n" + one_case), {"'name'", "result file"});
  expect_in(complaint("counters = \"\"\n" + one_case), {"'counters' is empty"});
}

TEST(campaign, cases_are_counted_less_often_on_gpus_if_nothing_is_said) {
  const Campaign c = parse(one_case);
  EXPECT_LT(c.counting.repetitions_on(Space::cuda), c.counting.repetitions_on(Space::cpu));
  EXPECT_GE(c.counting.repetitions_on(Space::cuda), 3) << "fewer have no scatter";
  expect_in(complaint(one_case + "[counting]\nrepetitions = 0\n"), {"c.toml:5:15:", "'repetitions'", "at least 1"});
  expect_in(complaint(one_case + "[counting]\nrepetition = 1\n"), {"c.toml:5:1:", "repetitions"});
}

TEST(campaign, a_team_may_be_gpus_with_threads_for_the_hosts_steps_and_no_ranks) {
  const Campaign c = parse(one_case + "team = [{gpus = 1}, {ranks = 2}, {gpus = \"all\"}]\n");
  EXPECT_EQ(c.cases.at(0).teams.at(0).value.gpus, 1);
  EXPECT_EQ(c.cases.at(0).teams.at(1).value.gpus, 0);
  EXPECT_EQ(c.cases.at(0).teams.at(2).value.gpus, std::nullopt);
  EXPECT_TRUE(wants_gpus(c));
  EXPECT_FALSE(wants_gpus(parse(one_case)));
  expect_in(complaint(one_case + "team = [{gpus = 0}]\n"), {"c.toml:4:17:", "'gpus'", "at least 1"});
  expect_in(complaint(one_case + "team = [{gpus = 1, ranks = 1}]\n"), {"c.toml:4:28:", "'ranks' stands beside 'gpus'"});
  const auto threads_of = [](const std::string& team) { return parse(one_case + team).cases.at(0).teams.at(0).value.threads; };
  EXPECT_EQ(threads_of("team = [{gpus = 1, threads = 4}]\n"), 4);
  EXPECT_EQ(threads_of("team = [{gpus = 1, threads = \"all\"}]\n"), std::nullopt);
  EXPECT_EQ(threads_of("team = [{gpus = 1}]\n"), 1);
}

TEST(campaign, each_gpu_of_a_team_has_a_rank_that_drives_it) {
  const auto drivers = [](const std::string& team) {
    const Campaign c = parse(one_case + team);
    int count = 0;
    for (int rank = 0; rank < 4; ++rank) count += drives_gpu(c, rank) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(drivers("team = [{ranks = 4}]\n"), 0);
  EXPECT_EQ(drivers("team = [{gpus = 1}, {gpus = 3}]\n"), 3);
  EXPECT_EQ(drivers("team = [{gpus = \"all\"}]\n"), 4);
}

TEST(campaign, zero_ranks_are_refused) {
  expect_in(complaint(one_case + "team = [{ranks = 0}]\n"), {"c.toml:4:18:", "'ranks'", "is 0", "at least 1"});
  expect_in(complaint(one_case + "team = [{ranks = 1, threads = -2}]\n"), {"'threads'", "is -2"});
  expect_in(complaint(one_case + "team = [{ranks = \"some\"}]\n"), {"or \"all\"", "not a string"});
}

TEST(campaign, an_empty_sweep_is_refused) {
  expect_in(complaint(""), {"the sweep is empty"});
  expect_in(complaint("[ceilings]\nmode = \"none\"\n"), {"the sweep is empty"});
  expect_in(complaint(one_case + "precision = []\n"), {"the sweep is empty", "'precision'"});
  expect_in(complaint(one_case + "params = {n = []}\n"), {"the sweep is empty", "'n'"});
  expect_in(complaint(one_case + "params = {n = {from = 3, to = 2}}\n"), {"the sweep is empty", "from 3 to 2"});
  expect_in(complaint(one_case + "team = []\n"), {"the sweep is empty", "'team'"});
  EXPECT_TRUE(parse("[ceilings]\nmode = \"quick\"\n").cases.empty()) << "ceilings alone are a campaign";
}

TEST(campaign, ranges_that_make_no_sense_are_refused) {
  expect_in(complaint(one_case + "params = {n = {from = 1}}\n"), {"needs 'from' and 'to'"});
  expect_in(complaint(one_case + "params = {n = {from = 1, to = 9, step = 0}}\n"), {"'step'", "at least 1"});
  expect_in(complaint(one_case + "params = {n = {from = 1, to = 9, step = 2, factor = 2}}\n"), {"both 'step' and 'factor'"});
  expect_in(complaint(one_case + "params = {n = {from = 1, to = 9, factor = 1}}\n"), {"'factor'", "at least 1.01"});
  expect_in(complaint(one_case + "params = {n = {from = 0, to = 9, factor = 2}}\n"), {"'from'", "at least 1"});
  expect_in(complaint(one_case + "params = {n = {from = 1, to = 1000000000}}\n"), {"more than 100000 values"});
}

TEST(campaign, the_schema_line_is_required_and_held) {
  expect_in(complaint(one_case, false), {"c.toml:1:1:", "'schema' is missing", "schema = \"plumbline-campaign/1\""});
  expect_in(complaint("schema = \"plumbline-campaign/2\"\n" + one_case, false),
            {"c.toml:1:10:", "plumbline-campaign/2", "plumbline-campaign/1"});
}

TEST(campaign, broken_toml_says_what_was_expected) {
  expect_in(complaint("seed = one\n"), {"c.toml:2:8:", "could not determine value type; expected is \"text\" in quotes, a number"});
}

TEST(campaign, broken_toml_names_line_and_column) { expect_in(complaint("name = \"a\nseed = 2\n"), {"c.toml:2:", "not valid TOML"}); }

TEST(campaign, a_missing_file_is_a_user_error) {
  try {
    read_campaign("no/such.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    expect_in(error.what(), {"no/such.toml", "No such file"});
  }
  EXPECT_THROW(read_campaign(std::filesystem::temp_directory_path().string()), Error);
}

}  // namespace
}  // namespace plumbline
