// The kernels that find ceilings compute what they say, in every form, flavor and odd size, and their checks notice when they do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernel.hpp"
#include "ert/chase.hpp"
#include "ert/peak.hpp"
#include "ert/stream.hpp"
#include "machine/cpu.hpp"
#include "points.hpp"

namespace plumbline {
namespace {

std::unique_ptr<Workload> prepared(const KernelPoint& point, std::string_view precision) {
  auto data = find_kernel(point.kernel)->prepare(parameters(point), precision, *std::pmr::new_delete_resource());
  data->initialise(0, data->extent());
  return data;
}

const Flavor* flavor_that_runs(const Kernel& kernel, std::string_view precision) {
  for (const Flavor& flavor : kernel.flavors())
    if (flavor.precision == precision && runs_isa(split_flavor(flavor.name).isa)) return &flavor;
  return nullptr;
}

bool has_fp32(const Kernel& kernel) {
  return std::find(kernel.precisions.begin(), kernel.precisions.end(), "fp32") != kernel.precisions.end();
}

TEST(ErtKernels, model_equals_counting_scalar_in_every_form) {
  for (const KernelPoint& point : points()) {
    const Kernel& kernel = *find_kernel(point.kernel);
    EXPECT_EQ(total_flops(kernel.model(parameters(point), "fp64", "").flops).lo, kernel.count(parameters(point)).total())
        << point.kernel << " " << parameters(point).path();
  }
}

TEST(ErtKernels, all_isas_do_the_same_flops) {
  for (const KernelPoint& point : points()) {
    const Kernel& kernel = *find_kernel(point.kernel);
    const auto flops = [&](const char* flavor) { return total_flops(kernel.model(parameters(point), "fp32", flavor).flops, "fp32").lo; };
    EXPECT_EQ(flops("gcc12-O3-v4"), flops("gcc12-O3-v2")) << point.kernel << " " << parameters(point).path();
    EXPECT_EQ(flops("gcc12-O3-v4"), flops("clang14-O3-v3")) << point.kernel << " " << parameters(point).path();
  }
}

TEST(ErtKernels, an_fma_is_declared_as_such_only_where_the_isa_has_it) {
  const Kernel& peak = *find_kernel("ert/peak");
  const auto p = parameters({"ert/peak", {{"form", std::string("fma")}}});
  EXPECT_TRUE(peak.model(p, "fp64", "gcc12-O3-v3").flops.contains("flops.fp64.fma"));
  const Work narrow = peak.model(p, "fp64", "gcc12-O3-v2");
  EXPECT_FALSE(narrow.flops.contains("flops.fp64.fma"));
  EXPECT_FALSE(narrow.note.empty());
}

TEST(ErtKernels, every_flavor_that_runs_here_computes_the_right_result) {
  int swept = 0;
  for (const KernelPoint& point : points()) {
    const Kernel& kernel = *find_kernel(point.kernel);
    for (const Flavor& flavor : kernel.flavors()) {
      if (!runs_isa(split_flavor(flavor.name).isa)) continue;
      const auto data = prepared(point, flavor.precision);
      flavor.sweep(data->arguments(), 0, data->extent());
      EXPECT_LE(data->error(), data->tolerance())
          << point.kernel << " " << parameters(point).path() << " " << flavor.name << " " << flavor.precision;
      ++swept;
    }
  }
  EXPECT_GT(swept, 0);
}

TEST(ErtKernels, parts_of_a_sweep_and_many_sweeps_give_the_right_result_too) {
  for (const KernelPoint& point : points()) {
    const Kernel& kernel = *find_kernel(point.kernel);
    const char* const precision = has_fp32(kernel) ? "fp32" : "fp64";
    const Flavor& flavor = *flavor_that_runs(kernel, precision);
    const auto data = prepared(point, precision);
    const std::size_t middle = data->extent() / 2 / data->grain() * data->grain();
    for (int sweeps = 1; sweeps <= 5; ++sweeps) {
      if (middle > 0) flavor.sweep(data->arguments(), 0, middle);
      flavor.sweep(data->arguments(), middle, data->extent());
      ASSERT_LE(data->error(), data->tolerance()) << point.kernel << " " << parameters(point).path() << " after " << sweeps;
    }
  }
}

TEST(ErtKernels, a_sweep_left_out_is_noticed) {
  for (const KernelPoint& point : points()) {
    const auto data = prepared(point, "fp64");
    EXPECT_GT(data->error(), data->tolerance()) << point.kernel << " " << parameters(point).path();
  }
}

TEST(ErtKernels, half_a_sweep_is_noticed) {
  for (const KernelPoint& point : points()) {
    const Flavor& flavor = *flavor_that_runs(*find_kernel(point.kernel), "fp64");
    const auto data = prepared(point, "fp64");
    const std::size_t middle = data->extent() / 2 / data->grain() * data->grain();
    if (middle == 0) continue;
    flavor.sweep(data->arguments(), middle, data->extent());
    EXPECT_GT(data->error(), data->tolerance()) << point.kernel << " " << parameters(point).path();
  }
}

TEST(ErtKernels, an_iteration_left_out_is_noticed) {
  for (const std::string& form : peak_words()) {
    const KernelPoint point{"ert/peak", {{"form", form}, {"iterations", number(1000)}}};
    const Flavor& flavor = *flavor_that_runs(*find_kernel("ert/peak"), "fp64");
    const auto data = prepared(point, "fp64");
    Peak<double> shortened = *static_cast<const Peak<double>*>(data->arguments());
    --shortened.iterations;
    flavor.sweep(&shortened, 0, data->extent());
    EXPECT_GT(data->error(), data->tolerance()) << form;
  }
}

TEST(ErtKernels, more_iterations_than_keep_sums_exact_are_refused) {
  const auto peak = [](const char* form, int iterations) {
    return parameters({"ert/peak", {{"form", std::string(form)}, {"iterations", number(iterations)}}});
  };
  const Kernel& kernel = *find_kernel("ert/peak");
  EXPECT_NO_THROW(kernel.model(peak("add", 1 << 18), "fp64", ""));
  EXPECT_THROW(kernel.model(peak("add_deep", 1 << 18), "fp64", ""), std::invalid_argument);
}

TEST(ErtKernels, one_wrong_element_is_noticed) {
  for (const char* pattern : {"load", "store", "copy", "update", "triad", "loads2store1", "store_nt", "copy_nt", "triad_nt"}) {
    const KernelPoint point{"ert/stream", {{"pattern", std::string(pattern)}, {"n", number(2000)}}};
    const Flavor& flavor = *flavor_that_runs(*find_kernel("ert/stream"), "fp64");
    const auto data = prepared(point, "fp64");
    flavor.sweep(data->arguments(), 0, data->extent());
    double& element = static_cast<const StreamArrays<double>*>(data->arguments())->a[1234];
    element *= 1 + 0x1p-50;
    EXPECT_GT(data->error(), data->tolerance()) << pattern;
  }
}

TEST(ErtKernels, values_stay_normal_for_a_million_flops_an_element) {
  for (const char* precision : {"fp64", "fp32"}) {
    const KernelPoint point{"ert/vector", {{"k", number(512)}, {"n", number(200)}, {"repeat", number(2001)}}};
    const Flavor& flavor = *flavor_that_runs(*find_kernel("ert/vector"), precision);
    const auto data = prepared(point, precision);
    flavor.sweep(data->arguments(), 0, data->extent());
    EXPECT_LE(data->error(), data->tolerance()) << precision;
  }
}

TEST(ErtKernels, a_chase_visits_every_line_once_a_round) {
  for (const int n : {1, 2, 3, 5, 24, 25, 26, 511, 4096, 99999}) {
    const KernelPoint point{"ert/chase", {{"n", number(n)}}};
    const auto data = prepared(point, "fp64");
    const ChaseLine* const first = static_cast<const Chase<double>*>(data->arguments())->chains[0].at;
    int round = 1;
    for (const ChaseLine* line = first->next; line != first && round <= n; line = line->next) ++round;
    EXPECT_EQ(round, n);
  }
}

/// A prefetcher follows lines that lie close together, or equally far apart.
TEST(ErtKernels, a_chase_goes_where_no_prefetcher_follows) {
  const int n = 1 << 14;
  const auto data = prepared({"ert/chase", {{"n", number(n)}}}, "fp64");
  const ChaseLine* line = static_cast<const Chase<double>*>(data->arguments())->chains[0].at;
  int near = 0, regular = 0;
  std::ptrdiff_t before = 0;
  for (int i = 0; i < n; ++i, line = line->next) {
    const std::ptrdiff_t step = line->next - line;
    near += std::abs(step) <= 8;
    regular += step == before;
    before = step;
  }
  EXPECT_LT(near, n / 100);
  EXPECT_LT(regular, n / 100);
}

TEST(ErtKernels, a_chase_goes_on_where_it_stopped) {
  const KernelPoint point{"ert/chase", {{"n", number(100)}, {"steps", number(30)}}};
  const Flavor& flavor = *flavor_that_runs(*find_kernel("ert/chase"), "fp64");
  const auto data = prepared(point, "fp64");
  const ChaseState& state = static_cast<const Chase<double>*>(data->arguments())->chains[0];
  const ChaseLine* line = state.at;
  for (int sweeps = 1; sweeps <= 7; ++sweeps) {
    flavor.sweep(data->arguments(), 0, data->extent());
    for (int i = 0; i < 30; ++i) line = line->next;
    EXPECT_EQ(state.at, line);
    EXPECT_EQ(state.loads, 30u * static_cast<unsigned>(sweeps));
  }
}

TEST(ErtKernels, a_load_left_out_of_a_chase_is_noticed) {
  const KernelPoint point{"ert/chase", {{"n", number(100)}, {"steps", number(30)}}};
  const auto data = prepared(point, "fp64");
  ChaseState& state = static_cast<const Chase<double>*>(data->arguments())->chains[0];
  for (int i = 0; i < 29; ++i) state.at = state.at->next;
  state.loads = 30;
  EXPECT_GT(data->error(), data->tolerance());
  state.at = state.at->next;
  EXPECT_LE(data->error(), data->tolerance());
}

TEST(ErtKernels, a_chain_cut_short_is_noticed) {
  const KernelPoint point{"ert/chase", {{"n", number(100)}, {"steps", number(100)}}};
  const Flavor& flavor = *flavor_that_runs(*find_kernel("ert/chase"), "fp64");
  const auto data = prepared(point, "fp64");
  const ChaseLine* const first = static_cast<const Chase<double>*>(data->arguments())->chains[0].at;
  flavor.sweep(data->arguments(), 0, data->extent());
  EXPECT_LE(data->error(), data->tolerance());
  const_cast<ChaseLine*>(first->next)->next = first;
  EXPECT_GT(data->error(), data->tolerance());
}

TEST(ErtKernels, a_chase_of_part_of_a_round_moves_only_the_lines_it_visits) {
  const KernelPoint point{"ert/chase", {{"n", number(1 << 20)}, {"steps", number(1 << 16)}}};
  const Work work = find_kernel("ert/chase")->model(parameters(point), "fp64", "");
  ASSERT_EQ(work.streams.size(), 1u);
  EXPECT_EQ(work.streams[0].footprint_bytes, 64u << 20);
  EXPECT_EQ(work.streams[0].touched_bytes, 4u << 20);
  EXPECT_EQ(work.streams[0].loads, 1u << 16);
}

TEST(ErtKernels, a_k_that_pairs_cannot_make_is_refused) {
  const KernelPoint point{"ert/vector", {{"k", number(6)}}};
  EXPECT_THROW(find_kernel("ert/vector")->model(parameters(point), "fp64", ""), std::invalid_argument);
}

TEST(ErtKernels, passes_refetch_from_where_the_working_set_does_not_fit) {
  const KernelPoint point{"ert/stream", {{"pattern", std::string("load")}, {"n", number(1 << 20)}, {"repeat", number(4)}}};
  const Work work = find_kernel("ert/stream")->model(parameters(point), "fp64", "");
  ASSERT_EQ(work.streams.size(), 1u);
  EXPECT_EQ(work.streams[0].footprint_bytes, 8u << 20);
  EXPECT_EQ(work.streams[0].loads, 4u << 20);
  ASSERT_EQ(work.streams[0].layers.size(), 1u);
  EXPECT_EQ(work.streams[0].layers[0].fetched_bytes, 32u << 20);
}

}  // namespace
}  // namespace plumbline
