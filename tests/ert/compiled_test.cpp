// ERT's loop computes what it says in every flavor that runs here, for any number of passes, and its check notices when it does not.
#include <gtest/gtest.h>

#include <stdexcept>

#include "compiled_points.hpp"
#include "machine/cpu.hpp"

namespace plumbline {
namespace {

/// check(data, parameters, flavor) for every point and flavor that this CPU runs.
template <class Check>
void for_all(Check check) {
  int checked = 0;
  for (const Parameters& p : compiled_points())
    for (const Flavor& flavor : compiled_kernel().flavors()) {
      if (!runs_isa(split_flavor(flavor.name).isa)) continue;
      SCOPED_TRACE(p.path() + " " + std::string(flavor.name) + " " + std::string(flavor.precision));
      const auto data = compiled_data(p, flavor.precision);
      check(*data, p, flavor);
      ++checked;
    }
  EXPECT_GT(checked, 0);
}

TEST(ErtCompiled, model_equals_counting_scalar_in_every_form_and_k) {
  for (const Parameters& p : compiled_points())
    EXPECT_EQ(total_flops(compiled_kernel().model(p, "fp64", "").flops).lo, compiled_kernel().count(p).total()) << p.path();
}

TEST(ErtCompiled, flops_and_bytes_are_those_of_ert) {
  const Work work = compiled_kernel().model(compiled_parameters("fma", 8, 1000, 3), "fp32", "gcc12-O3-v3");
  EXPECT_EQ(work.paper.at("paper.flops"), Amount(8 * 1000 * 3));
  EXPECT_EQ(work.paper.at("paper.bytes"), Amount(2 * 4 * 1000 * 3));  // a load and a store
  EXPECT_EQ(total_flops(work.flops, "fp32"), work.paper.at("paper.flops"));
}

TEST(ErtCompiled, every_flavor_that_runs_here_computes_the_right_result_sweep_after_sweep) {
  for_all([](Workload& data, const Parameters&, const Flavor& flavor) {
    for (int sweeps = 1; sweeps <= 3; ++sweeps) {
      flavor.sweep(data.arguments(), 0, data.extent());
      EXPECT_LE(data.error(), data.tolerance()) << "after " << sweeps;
    }
  });
}

TEST(ErtCompiled, a_sweep_left_out_in_one_part_is_noticed) {
  for_all([](Workload& data, const Parameters&, const Flavor& flavor) {
    if (data.extent() < 2 * data.grain()) return;
    flavor.sweep(data.arguments(), data.grain(), data.extent());
    EXPECT_GT(data.error(), data.tolerance());
  });
}

TEST(ErtCompiled, one_flop_too_few_is_noticed) {
  for_all([](Workload& data, const Parameters& p, const Flavor& flavor) {
    const bool fp64 = flavor.precision == "fp64";
    if (p.integer("repeat") != 1 || p.integer("k") <= flops_of_step(is_fused(p) ? CompiledForm::fma : CompiledForm::add)) return;
    flavor.sweep(data.arguments(), 0, data.extent());
    if (fp64) {  // the last step undone for one element
      const auto& x = *static_cast<const Compiled<double>*>(data.arguments());
      x.a[0] = is_fused(p) ? (x.a[0] - x.high) * x.minus : x.a[0] + x.low;
    } else {
      const auto& x = *static_cast<const Compiled<float>*>(data.arguments());
      x.a[0] = is_fused(p) ? (x.a[0] - x.high) * x.minus : x.a[0] + x.low;
    }
    EXPECT_GT(data.error(), data.tolerance());
  });
}

TEST(ErtCompiled, values_stay_varied_and_normal_for_a_million_flops_an_element) {
  for (const char* form : {"fma", "add", "scalar_fma", "scalar_add"})
    for (const char* precision : {"fp64", "fp32"})
      for (const Flavor& flavor : compiled_kernel().flavors()) {
        if (flavor.precision != precision || !runs_isa(split_flavor(flavor.name).isa)) continue;
        const auto data = compiled_data(compiled_parameters(form, 256, 70, 4001), precision);
        flavor.sweep(data->arguments(), 0, data->extent());
        EXPECT_LE(data->error(), data->tolerance()) << form << " " << flavor.name << " " << precision;
      }
}

TEST(ErtCompiled, a_k_that_is_not_compiled_is_refused) {
  for (const auto& p : {compiled_parameters("add", 3, 8, 1), compiled_parameters("fma", 1, 8, 1), compiled_parameters("fma", 512, 8, 1)})
    EXPECT_THROW(compiled_kernel().model(p, "fp64", ""), std::invalid_argument) << p.path();
}

}  // namespace
}  // namespace plumbline
