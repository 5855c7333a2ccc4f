#include "campaign/expand.hpp"

#include <gtest/gtest.h>

#include <set>

#include "example_kernels.hpp"
#include "expect_in.hpp"

namespace plumbline {
namespace {

using test::expect_in;

const Target zen2{[](std::string_view isa) { return isa == "v2" || isa == "v3"; }, "v2, v3", 4, 16};

Campaign campaign_of(const std::string& body) { return parse_campaign("schema = \"plumbline-campaign/1\"\n" + body, "c.toml"); }
Expansion expanded(const std::string& body) {
  static const std::vector<Kernel> all = example_kernels();  // cases point at them
  return expand(campaign_of(body), all, zen2);
}

std::vector<std::string> ids(const std::vector<Case>& cases) {
  std::vector<std::string> all;
  for (const auto& one : cases) all.push_back(one.id());
  return all;
}

std::string refusal(const std::string& body) {
  try {
    expanded(body);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    return error.what();
  }
  ADD_FAILURE() << "no error for:\n" << body;
  return "";
}

const std::string series_cases = "[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\nflavor = \"gcc12-O3-v3\"\n";

TEST(expand, ids_hold_all_parameters_in_declared_order_presets_too) {
  const auto result = expanded(series_cases + "params = {m = 64}\n");
  EXPECT_EQ(ids(result.cases), std::vector<std::string>{"validation/series/fp64/form=loop/n=7/m=64/r1t1/gcc12-O3-v3"});
}

TEST(expand, the_product_runs_with_the_last_parameter_fastest) {
  const auto result = expanded(series_cases + "params = {m = [8, 16], n = {from = 1, to = 2}}\nteam = [{ranks = 2, threads = 2}]\n");
  const auto all = ids(result.cases);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], "validation/series/fp64/form=loop/n=1/m=8/r2t2/gcc12-O3-v3");
  EXPECT_EQ(all[1], "validation/series/fp64/form=loop/n=1/m=16/r2t2/gcc12-O3-v3");
  EXPECT_EQ(all[2], "validation/series/fp64/form=loop/n=2/m=8/r2t2/gcc12-O3-v3");
}

TEST(expand, the_same_campaign_gives_the_same_cases) {
  const std::string body = "[[cases]]\nkernel = \"validation/*\"\n";
  EXPECT_EQ(ids(expanded(body).cases), ids(expanded(body).cases));
}

TEST(expand, a_case_written_twice_is_one_case) { EXPECT_EQ(expanded(series_cases + series_cases).cases.size(), 1U); }

TEST(expand, excluded_cases_are_gone) {
  const auto result = expanded(series_cases + "params = {n = {from = 1, to = 4}}\nexclude = [\"*/n=1/*\", \"*/n=3/*\"]\n");
  EXPECT_EQ(result.cases.size(), 2U);
  EXPECT_TRUE(result.skipped.empty());
  expect_in(refusal(series_cases + "exclude = [\"*\"]\n"), {"c.toml:6:12:", "the sweep is empty", "none of the 1 cases"});
  EXPECT_EQ(expanded(series_cases + series_cases + "exclude = [\"*/n=9/*\"]\n").cases.size(), 1U) << "duplicates are no empty sweep";
}

TEST(expand, a_flavor_this_cpu_cannot_run_is_a_visible_skip) {
  const auto result = expanded("[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\nflavor = \"gcc*\"\n");
  EXPECT_EQ(result.cases.size(), 2U);
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].what.id(), "validation/series/fp64/form=loop/n=7/m=1024/r1t1/gcc12-O3-v4");
  expect_in(result.skipped[0].reason, {"v4", "v2, v3"});
}

TEST(expand, the_isa_of_every_kind_of_flavor) {
  EXPECT_EQ(required_isa("gcc12-O3-v4"), "v4");
  EXPECT_EQ(required_isa("clang14-O0-neon"), "neon");
  EXPECT_EQ(required_isa("asm-avx512"), "v4");
  EXPECT_EQ(required_isa("asm-avx2"), "v3");
  EXPECT_EQ(required_isa("lib-openblas"), "") << "it dispatches itself";
  EXPECT_EQ(required_isa("cuda13-sm_90a"), "cuda13-sm_90a") << "the GPU that it is named for";
}

TEST(expand, kernel_globs_take_every_match_and_apply_parameters_where_they_are_declared) {
  const auto result = expanded(
      "[[cases]]\nkernel = \"validation/*\"\nprecision = [\"fp64\", \"fp32\"]\nflavor = [\"gcc12-O3-v3\", \"lib-openblas\"]\nparams = {n = "
      "3}\n");
  const std::set<std::string> all = [&] {
    const auto list = ids(result.cases);
    return std::set<std::string>(list.begin(), list.end());
  }();
  EXPECT_EQ(all, (std::set<std::string>{"validation/dgemm/fp64/m=128/r1t1/gcc12-O3-v3", "validation/dgemm/fp64/m=128/r1t1/lib-openblas",
                                        "validation/series/fp64/form=loop/n=3/m=1024/r1t1/gcc12-O3-v3",
                                        "validation/series/fp32/form=loop/n=3/m=1024/r1t1/gcc12-O3-v3"}));
  EXPECT_EQ(result.notes.size(), 2U) << "dgemm has no fp32, series no lib-openblas";
}

TEST(expand, flavor_globs_that_match_nothing_are_noted_and_leave_an_error_only_when_nothing_is_left) {
  const auto result = expanded(series_cases + "[[cases]]\nkernel = \"validation/dgemm\"\nflavor = [\"icx*\"]\n");
  EXPECT_EQ(result.cases.size(), 1U);
  ASSERT_EQ(result.notes.size(), 1U);
  expect_in(result.notes[0], {"validation/dgemm", "icx*", "gcc12-O3-v3, lib-openblas"});
  expect_in(refusal("[[cases]]\nkernel = \"validation/dgemm\"\nflavor = [\"icx*\"]\n"), {"the sweep is empty", "icx*"});
}

TEST(expand, a_compiler_without_a_version_is_the_newest_that_is_built_in) {
  static const Flavor of_many[] = {{"gcc9-O3-v3", "fp64", nullptr},  {"gcc12-O3-v3", "fp64", nullptr}, {"gcc13-O3-v3", "fp64", nullptr},
                                   {"gcc13-O0-v3", "fp64", nullptr}, {"gcc9-O0-v3", "fp64", nullptr},  {"clang19-O3-v3", "fp64", nullptr}};
  auto all = example_kernels();
  all[1].flavors = [] { return std::span<const Flavor>(of_many); };
  const auto flavors_of = [&](const std::string& written) {
    const auto result =
        expand(campaign_of("[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\nflavor = " + written + "\n"), all, zen2);
    std::vector<std::string> names;
    for (const auto& one : result.cases) names.emplace_back(one.flavor.name);
    return names;
  };
  EXPECT_EQ(flavors_of("\"gcc-O3-v3\""), std::vector<std::string>{"gcc13-O3-v3"});
  EXPECT_EQ(flavors_of("[\"gcc-*\", \"clang-O3-*\"]"), (std::vector<std::string>{"gcc13-O3-v3", "gcc13-O0-v3", "clang19-O3-v3"}));
  EXPECT_EQ(flavors_of("[\"gcc9-O3-v3\", \"gcc-O3-v3\"]"), (std::vector<std::string>{"gcc9-O3-v3", "gcc13-O3-v3"})) << "a version is kept";
}

TEST(expand, a_compiler_without_a_version_that_is_not_built_in_is_noted_as_a_glob_is) {
  const auto result =
      expanded(series_cases + "[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\nflavor = \"clang-O3-v3\"\n");
  EXPECT_EQ(result.cases.size(), 1U);
  ASSERT_EQ(result.notes.size(), 1U);
  expect_in(result.notes[0], {"validation/series", "clang*-O3-v3", "gcc12-O3-v3"});
}

TEST(expand, a_flavor_that_is_absent_here_is_noted_with_its_reason) {
  auto all = example_kernels();
  all[0].absent_flavors = [] { return std::vector<AbsentFlavor>{{"lib-mkl", "libmkl_rt.so is not installed"}}; };
  const auto result = expand(campaign_of(series_cases + "[[cases]]\nkernel = \"validation/dgemm\"\nflavor = [\"lib-mkl\"]\n"), all, zen2);
  ASSERT_EQ(result.notes.size(), 1U);
  expect_in(result.notes[0], {"validation/dgemm", "lib-mkl", "libmkl_rt.so is not installed"});
}

TEST(expand, a_precision_of_which_no_flavor_is_named_is_noted_with_those_there_are) {
  static const Flavor flavors[] = {{"gcc12-O3-v3", "fp64", nullptr}, {"gcc12-O3-v4bf16", "bf16", nullptr}};
  std::vector<Kernel> all = example_kernels();
  all.back().precisions = {"fp64", "bf16", "fp16"};
  all.back().flavors = [] { return std::span<const Flavor>(flavors); };
  const auto notes = [&](const char* precisions) {
    const std::string table = "[[cases]]\nkernel = \"validation/series\"\nflavor = \"gcc12-O3-v3\"\n";
    return expand(campaign_of(table + precisions), all, zen2).notes;
  };
  EXPECT_EQ(notes("precision = [\"fp64\", \"bf16\", \"fp16\"]\n"),
            (std::vector<std::string>{"validation/series in bf16 is left out: the flavors that are named have other precisions, and of it "
                                      "there are gcc12-O3-v4bf16",
                                      "validation/series in fp16 is left out: the flavors that are named have other precisions, and of it "
                                      "there are none"}));
  EXPECT_TRUE(notes("").empty()) << "where none is named, those are meant that the flavors have";
}

TEST(expand, unknown_names_are_errors_with_their_place_and_the_nearest_name) {
  expect_in(refusal("[[cases]]\nkernel = \"validation/seris\"\n"),
            {"c.toml:3:10:", "unknown kernel 'validation/seris'", "did you mean 'validation/series'?"});
  expect_in(refusal("[[cases]]\nkernel = \"nothing/*\"\n"), {"unknown kernel 'nothing/*'"});
  expect_in(refusal(series_cases + "params = {N = 3, n = 2}\n"), {"c.toml:6:11:", "no parameter 'N'", "allowed: form, m, n"});
  expect_in(refusal("[[cases]]\nkernel = \"validation/series\"\nflavor = [\"gcc12-03-v3\"]\n"),
            {"c.toml:4:11:", "did you mean 'gcc12-O3-v3'?"});
  expect_in(refusal("[[cases]]\nkernel = \"validation/dgemm\"\nprecision = \"fp32\"\n"),
            {"c.toml:4:13:", "no precision 'fp32'", "allowed: fp64"});
}

TEST(expand, values_outside_a_parameters_range_or_type_are_errors) {
  expect_in(refusal(series_cases + "params = {n = [3, 30]}\n"), {"c.toml:6:19:", "'n'", "is 30", "from 1 to 29"});
  expect_in(refusal(series_cases + "params = {m = 0}\n"), {"'m'", "at least 1"});
  expect_in(refusal(series_cases + "params = {m = \"big\"}\n"), {"must be an integer", "'big'"});
  expect_in(refusal(series_cases + "params = {form = 3}\n"), {"one of the words inline, loop, power"});
  expect_in(refusal(series_cases + "params = {form = \"lop\"}\n"), {"did you mean 'loop'?"});
}

TEST(expand, all_means_the_ranks_of_a_node_and_the_cores_of_a_rank) {
  const auto result = expanded(series_cases + "team = [{ranks = \"all\", threads = \"all\"}, {ranks = 1, threads = \"all\"}]\n");
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_EQ(result.cases[0].team.name(), "r4t4");
  EXPECT_EQ(result.cases[1].team.name(), "r1t16");
}

// ------------------------------------------------------------------------------------------------------------------- GPUs

Target with_gpu(const std::string& flavor, const std::string& words) {
  Target target = zen2;
  target.runs_on_gpu = [flavor](std::string_view asked) { return asked == flavor; };
  target.gpus = words;
  return target;
}

Expansion on_gpus(const std::string& body, const Target& target = with_gpu("cuda13-sm_90a", "H100 (cuda13-sm_90a)")) {
  static const std::vector<Kernel> all = example_kernels_with_gpus();
  return expand(campaign_of(body), all, target);
}

std::string gpu_complaint(const std::string& body) {
  try {
    on_gpus(body);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error for:\n" << body;
  return "";
}

const std::string any_series = "[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\n";

TEST(expand, a_librarys_flavor_runs_on_any_gpu_and_nowhere_without_one) {
  const auto kernels = [] {
    static const Flavor flavors[] = {{"lib-cublas", "fp64", nullptr}};
    std::vector<Kernel> all = example_kernels_with_gpus();
    for (Kernel& kernel : all)
      if (kernel.space == Space::cuda) kernel.flavors = [] { return std::span<const Flavor>(flavors); };
    return all;
  }();
  const Campaign campaign = campaign_of(any_series + "team = [{gpus = 1}]\n");
  Target target = with_gpu("", "H100 (cuda13-sm_90a)");
  EXPECT_EQ(ids(expand(campaign, kernels, target).cases),
            std::vector<std::string>{"validation/series/fp64/form=loop/n=7/m=1024/g1/lib-cublas"});
  target = with_gpu("none", "no NVIDIA GPU is visible to CUDA");
  const auto without = expand(campaign, kernels, target);
  ASSERT_EQ(without.skipped.size(), 1U);
  EXPECT_EQ(without.skipped[0].reason, "needs a GPU; here: no NVIDIA GPU is visible to CUDA");
}

TEST(expand, a_team_with_a_gpu_meets_kernels_for_gpus_and_a_glob_means_the_code_that_the_gpu_runs) {
  const std::string on_a_gpu = any_series + "team = [{gpus = 1}]\n";
  const auto by_glob = on_gpus(on_a_gpu);
  EXPECT_EQ(ids(by_glob.cases), std::vector<std::string>{"validation/series/fp64/form=loop/n=7/m=1024/g1/cuda13-sm_90a"});
  EXPECT_TRUE(by_glob.skipped.empty());
  const auto result = on_gpus(on_a_gpu + "flavor = [\"cuda*\", \"cuda13-sm_80\"]\n");
  EXPECT_EQ(ids(result.cases), ids(by_glob.cases));
  ASSERT_EQ(result.skipped.size(), 1U) << "it was asked for by its name";
  EXPECT_EQ(result.skipped[0].reason, "needs a GPU that runs cuda13-sm_80; here: H100 (cuda13-sm_90a)");
  EXPECT_EQ(result.cases[0].row().gpus, 1);
}

TEST(expand, a_team_of_several_gpus_has_as_many_ranks) {
  Target target = with_gpu("cuda13-sm_90a", "H100 (cuda13-sm_90a)");
  target.gpus_per_node = 4;
  const auto result = on_gpus(any_series + "team = [{gpus = 2}, {gpus = \"all\"}]\n", target);
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_EQ(result.cases[0].team, (Team{.ranks = 2, .threads = 1, .gpus = 2}));
  EXPECT_EQ(result.cases[1].id(), "validation/series/fp64/form=loop/n=7/m=1024/g4/cuda13-sm_90a");
}

/// The same kernels, of which the GPU's series leaves steps to the host.
std::vector<Kernel> series_shared_with_host() {
  std::vector<Kernel> all = example_kernels_with_gpus();
  for (Kernel& kernel : all)
    if (kernel.space == Space::cuda && kernel.name == "validation/series") kernel.host_kernel = "validation/series";
  return all;
}

TEST(expand, threads_beside_gpus_are_for_kernels_that_leave_steps_to_the_host_and_one_thread_changes_no_id) {
  const std::vector<Kernel> all = series_shared_with_host();
  Target target = with_gpu("cuda13-sm_90a", "H100 (cuda13-sm_90a)");
  target.cores_per_node = 6;
  const std::string teams = "team = [{gpus = 1, threads = 1}, {gpus = 1, threads = 4}, {gpus = 2, threads = \"all\"}]\n";
  const auto result = expand(campaign_of(any_series + teams), all, target);
  const std::string work = "validation/series/fp64/form=loop/n=7/m=1024/";
  EXPECT_EQ(ids(result.cases), (std::vector{work + "g1/cuda13-sm_90a", work + "g1t4/cuda13-sm_90a", work + "g2t3/cuda13-sm_90a"}));
  EXPECT_EQ(Team::of(result.cases[1].row()), (Team{.ranks = 1, .threads = 4, .gpus = 1}));
}

TEST(expand, threads_beside_gpus_that_would_idle_are_an_error_or_left_out_of_a_glob) {
  const std::string team = "team = [{gpus = 1, threads = 4}]\n";
  expect_in(gpu_complaint(any_series + team), {"c.toml:5:9:", "validation/series leaves nothing to the host", "write {gpus=1}"});
  const std::vector<Kernel> all = series_shared_with_host();
  const auto by_glob = expand(campaign_of("[[cases]]\nkernel = \"validation/*\"\nprecision = \"fp64\"\n" + team), all,
                              with_gpu("cuda13-sm_90a", "H100 (cuda13-sm_90a)"));
  ASSERT_EQ(by_glob.cases.size(), 1U);
  ASSERT_EQ(by_glob.notes.size(), 1U);
  EXPECT_EQ(by_glob.notes.front(),
            "validation/warps leaves nothing to the host, where 'threads' of a team with GPUs would work: left out as g1t4");
}

TEST(expand, a_team_without_gpus_meets_kernels_for_cpus_alone) {
  const auto result = on_gpus(any_series);
  for (const auto& one : result.cases) EXPECT_EQ(one.kernel->space, Space::cpu) << one.id();
  EXPECT_EQ(result.cases.size(), 2U);
}

TEST(expand, teams_of_both_kinds_share_the_work_and_each_flavor_needs_one_kernel_that_has_it) {
  const auto result = on_gpus(any_series + "team = [{}, {gpus = 1}]\nflavor = [\"gcc12-O3-v3\", \"cuda13-sm_90a\"]\n");
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_EQ(result.cases[0].work_id(), result.cases[1].work_id());
  EXPECT_NE(result.cases[0].id(), result.cases[1].id());
  EXPECT_TRUE(result.notes.empty()) << result.notes.front();
}

TEST(expand, a_glob_takes_the_kernels_of_each_teams_space) {
  const auto result = on_gpus("[[cases]]\nkernel = \"validation/*\"\nprecision = \"fp64\"\nteam = [{}, {gpus = 1}]\nflavor = \"*3*a\"\n");
  std::set<std::string> kernels;
  for (const auto& one : result.cases) kernels.insert(one.kernel->name);
  EXPECT_EQ(kernels, (std::set<std::string>{"validation/series", "validation/warps"}));
}

TEST(expand, a_kernel_without_the_teams_space_is_an_error_that_says_what_to_write) {
  expect_in(gpu_complaint("[[cases]]\nkernel = \"validation/dgemm\"\nteam = [{gpus = 1}]\n"),
            {"c.toml:4:9:", "validation/dgemm has no version for GPUs", "validation/series, validation/warps"});
  expect_in(gpu_complaint("[[cases]]\nkernel = \"validation/warps\"\n"), {"validation/warps is for GPUs alone: write team = [{gpus=1}]"});
}

TEST(expand, without_a_gpu_cases_for_them_are_skipped_with_the_drivers_reason_and_not_the_cpus_isa) {
  Target none = zen2;
  none.gpus = "no NVIDIA driver";
  const auto result = on_gpus(any_series + "team = [{gpus = 1}]\n", none);
  EXPECT_TRUE(result.cases.empty());
  ASSERT_EQ(result.skipped.size(), 2U);
  EXPECT_EQ(result.skipped[0].reason, "needs a GPU that runs cuda13-sm_80; here: no NVIDIA driver");
}

TEST(expand, without_kernels_for_gpus_they_are_noted_and_the_cpus_cases_are_left) {
  Target none = zen2;
  none.no_gpu_kernels = "no module for GPUs";
  const auto result =
      expand(campaign_of(any_series + "team = [{}, {gpus = 1}]\nflavor = [\"gcc12-O3-v3\", \"cuda13-sm_90a\"]\n"), example_kernels(), none);
  EXPECT_EQ(result.cases.size(), 1U);
  EXPECT_EQ(result.notes, std::vector<std::string>{"skipped: validation/series on GPUs: no module for GPUs"});
  EXPECT_TRUE(expand(campaign_of(any_series + "team = [{gpus = 1}]\n"), example_kernels(), none).cases.empty()) << "no error";
}

TEST(expand, a_sweep_too_large_is_refused_before_it_is_built) {
  expect_in(refusal(series_cases + "params = {m = {from = 1, to = 100000}, n = {from = 1, to = 29}}\n"), {"more than 1000000 cases"});
}

/// m and n that its model does not take together.
TEST(expand, values_that_are_no_case_together_are_told_with_their_place) {
  std::vector<Kernel> all = example_kernels();
  for (Kernel& kernel : all)
    kernel.model = [](const Parameters& p, std::string_view precision, std::string_view flavor) {
      if (p.integer("m") % 2 != 0) throw std::invalid_argument("form is none: m = " + std::to_string(p.integer("m")) + " is odd");
      return square(p, precision, flavor);
    };
  const auto told = [&](const std::string& body) -> std::string {
    try {
      expand(campaign_of(body), all, zen2);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      return error.what();
    }
    return "";
  };
  expect_in(told(series_cases + "params = {n = 3, m = [64, 65]}\n"),
            {"c.toml:6:27", "m = 65 is odd", "validation/series/fp64/form=loop/n=3/m=65"});
  EXPECT_EQ(told(series_cases + "params = {m = [64, 65]}\nexclude = [\"*/m=65/*\"]\n"), "");
  const std::string table = "[[cases]]\nkernel = \"validation/series\"\nprecision = \"fp64\"\nparams = {m = [64, 65]}\n";
  const std::string any = "[[cases]]\nkernel = \"validation/serie*\"\nprecision = \"fp64\"\nparams = {m = [64, 65]}\n";
  const auto by_glob = expand(campaign_of(any + "flavor = [\"gcc12-O3-v3\"]\n"), all, zen2);
  EXPECT_EQ(by_glob.cases.size(), 1U) << "a glob chose: the other one is left out, visibly";
  ASSERT_EQ(by_glob.skipped.size(), 1U);
  EXPECT_EQ(by_glob.skipped[0].reason, "form is none: m = 65 is odd");
  const auto elsewhere = expand(campaign_of(table + "flavor = [\"gcc12-O3-v4\"]\n"), all, zen2);
  ASSERT_EQ(elsewhere.skipped.size(), 2U) << "what is skipped here is not asked";
  expect_in(elsewhere.skipped[1].reason, {"needs ISA v4"});
}

/// The kernel has each value but not all of them together, as conv2d has Winograd's products, but not in fp16.
TEST(expand, a_combination_of_possible_values_that_the_kernel_refuses_is_left_out_and_the_others_run) {
  std::vector<Kernel> all = example_kernels();
  for (Kernel& kernel : all)
    kernel.model = [](const Parameters& p, std::string_view precision, std::string_view flavor) {
      if (precision == "fp32" && p.word("form") == "power") throw std::invalid_argument("fp32 has no form=power");
      if (p.integer("n") == 29 && p.integer("m") > 100) throw std::invalid_argument("n = 29 is too many for m > 100");
      return square(p, precision, flavor);
    };
  const auto made = [&](const std::string& precision, const std::string& params) {
    return expand(campaign_of("[[cases]]\nkernel = \"validation/series\"\nprecision = " + precision +
                              "\nflavor = \"gcc12-O3-v3\"\nparams = {" + params + "}\n"),
                  all, zen2);
  };
  const auto several = made("[\"fp64\", \"fp32\"]", "form = [\"loop\", \"power\"], m = 64");
  EXPECT_EQ(ids(several.cases).size(), 3U);
  ASSERT_EQ(several.skipped.size(), 1U);
  EXPECT_EQ(several.skipped[0].reason, "fp32 has no form=power");
  EXPECT_EQ(several.skipped[0].what.id(), "validation/series/fp32/form=power/n=7/m=64/r1t1/gcc12-O3-v3");
  const auto alone = made("\"fp32\"", "form = \"power\"");
  EXPECT_TRUE(alone.cases.empty());
  EXPECT_EQ(alone.skipped.size(), 1U) << "another table of the campaign goes on";
  const auto of_two = made("\"fp64\"", "n = [7, 29], m = [64, 128]");
  EXPECT_EQ(of_two.cases.size(), 3U);
  ASSERT_EQ(of_two.skipped.size(), 1U);
  EXPECT_EQ(of_two.skipped[0].reason, "n = 29 is too many for m > 100");
}

}  // namespace
}  // namespace plumbline
