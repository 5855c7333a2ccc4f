// Every registered kernel has this proof: its model is what its loop does, and every flavor computes what it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/kernel.hpp"
#include "core/twin.hpp"
#include "kernel_files.hpp"
#include "machine/cpu.hpp"
#include "tests/kernels/parameter_sets.hpp"
#include "tests/kernels/whole_sweep.hpp"

namespace plumbline {
namespace {

/// Hands out one block of memory, which can be looked at as a whole.
class Block final : public std::pmr::memory_resource {
 public:
  explicit Block(std::size_t bytes) : bytes_(bytes), used_(0) {}
  std::vector<unsigned char> contents() const { return {bytes_.begin(), bytes_.end()}; }
  void fill(const std::vector<unsigned char>& contents) { std::copy(contents.begin(), contents.end(), bytes_.begin()); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const auto base = reinterpret_cast<std::uintptr_t>(bytes_.data());
    const std::size_t begin = (base + used_ + 63) / 64 * 64 - base;
    if (begin + bytes > bytes_.size()) throw std::bad_alloc();
    used_ = begin + bytes;
    return bytes_.data() + begin;
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::vector<unsigned char> bytes_;
  std::size_t used_;
};

std::size_t memory_for(const Work& work) {
  std::size_t bytes = 1 << 16;
  for (const auto& stream : work.streams) bytes += 4 * stream.footprint_bytes;
  return bytes;
}

struct Prepared {
  Prepared(const Kernel& kernel, const Parameters& p, const Flavor& flavor)
      : memory(memory_for(kernel.model(p, flavor.precision, flavor.name))), workload(kernel.prepare(p, flavor.precision, memory)) {
    initialise_whole(*workload);
  }
  Block memory;
  std::unique_ptr<Workload> workload;
};

class EveryKernel : public testing::TestWithParam<std::string> {
 protected:
  const Kernel& kernel() const { return *find_kernel(GetParam()); }

  /// Calls check(prepared, flavor) for every parameter set and every flavor that this CPU runs.
  template <class Check>
  void for_all(Check check) {
    for (const Parameters& p : parameter_sets(kernel()))
      for (const Flavor& flavor : kernel().flavors()) {
        const std::string isa = split_flavor(flavor.name).isa;
        if ((!isa.empty() && !runs_isa(isa)) || !takes(kernel(), p, flavor.precision, flavor.name)) continue;
        SCOPED_TRACE(p.path() + "/" + std::string(flavor.precision) + "/" + std::string(flavor.name));
        Prepared prepared(kernel(), p, flavor);
        check(prepared, flavor);
        if (HasFailure()) return;
      }
  }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& k : kernels()) all.push_back(k.name);
  return all;
}

TEST_P(EveryKernel, model_equals_counting_scalar) {
  for (const Parameters& p : parameter_sets(kernel()))
    for (const std::string& precision : kernel().precisions) {
      if (!takes(kernel(), p, precision)) continue;
      const Amount model = total_flops(kernel().model(p, precision, "").flops, precision);
      EXPECT_EQ(model, Amount(kernel().count(p).total())) << "flops." << precision << " of a sweep at " << p.path()
                                                          << ": first those of model(), then those that the loop did on a counting number";
    }
}

TEST_P(EveryKernel, kinds_of_the_model_are_those_of_the_counting_scalar) {
  for (const Parameters& p : parameter_sets(kernel())) {
    const std::string& precision = kernel().precisions.front();
    const Work work = kernel().model(p, precision, "");
    const auto of = [&](const char* kind) {
      const auto found = work.flops.find("flops." + precision + "." + kind);
      return found == work.flops.end() ? 0 : found->second.lo;
    };
    const Tally counted = kernel().count(p),
                model{.add = of("add") + of("fma"), .mul = of("mul") + of("fma"), .div = of("div"), .sqrt = of("sqrt")};
    EXPECT_TRUE(counted == model) << p.path() << ": add " << counted.add << " model " << model.add << ", mul " << counted.mul << " model "
                                  << model.mul << ", div " << counted.div << " model " << model.div << ", sqrt " << counted.sqrt
                                  << " model " << model.sqrt;
  }
}

TEST_P(EveryKernel, phases_of_the_model_are_those_of_the_counting_scalar) {
  if (!kernel().application) return;
  for (const Parameters& p : parameter_sets(kernel())) {
    const ApplicationWork application = kernel().application(p, kernel().precisions.front(), "");
    const std::vector<Tally> counted = kernel().count_phases(p);
    ASSERT_EQ(counted.size(), application.phases.size());
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const Phase& phase = application.phases[i];
      EXPECT_EQ(phase.entries * total_flops(phase.work.flops), Amount(counted[i].total())) << p.path() << ": " << phase.name;
    }
  }
}

TEST_P(EveryKernel, an_application_enters_each_phase_as_often_as_its_model_says) {
  if (!kernel().application) return;
  for (const Parameters& p : parameter_sets(kernel())) {
    const ApplicationWork application = kernel().application(p, kernel().precisions.front(), "");
    const Prepared prepared(kernel(), p, kernel().flavors().front());
    std::vector<std::uint64_t> entries(application.phases.size());
    for (const Step& step : dynamic_cast<const ApplicationData&>(*prepared.workload).steps()) ++entries.at(step.phase);
    for (std::size_t i = 0; i < entries.size(); ++i)
      EXPECT_EQ(entries[i], application.phases[i].entries) << p.path() << ": " << application.phases[i].name;
  }
}

TEST_P(EveryKernel, every_flavor_computes_within_its_tolerance) {
  for_all([](Prepared& prepared, const Flavor& flavor) {
    sweep_whole(*prepared.workload, flavor.sweep);
    EXPECT_LE(prepared.workload->error(), prepared.workload->tolerance());
  });
}

TEST_P(EveryKernel, counted_twins_compute_every_byte_as_their_flavors_do) {
  for_all([](Prepared& prepared, const Flavor& flavor) {
    const Twin* const twin = find_twin(flavor.sweep);
    if (twin == nullptr) return;  // of a library, or of a cross build
    const auto before = prepared.memory.contents();
    sweep_whole(*prepared.workload, flavor.sweep);
    const auto by_flavor = prepared.memory.contents();
    prepared.memory.fill(before);
    sweep_whole(*prepared.workload, twin->counted);
    EXPECT_TRUE(prepared.memory.contents() == by_flavor);
    EXPECT_LE(prepared.workload->error(), prepared.workload->tolerance());
  });
}

TEST_P(EveryKernel, without_a_sweep_the_check_fails) {
  for_all([](Prepared& prepared, const Flavor&) { EXPECT_GT(prepared.workload->error(), prepared.workload->tolerance()); });
}

TEST_P(EveryKernel, pieces_in_any_order_compute_the_whole) {
  for_all([](Prepared& prepared, const Flavor& flavor) {
    constexpr std::size_t pieces = 3;
    sweep_whole(*prepared.workload, flavor.sweep, pieces);
    EXPECT_LE(prepared.workload->error(), prepared.workload->tolerance());
  });
}

TEST_P(EveryKernel, restoring_brings_every_byte_back) {
  for_all([](Prepared& prepared, const Flavor& flavor) {
    if (!prepared.workload->restores()) return;
    const auto before = prepared.memory.contents();
    sweep_whole(*prepared.workload, flavor.sweep);
    EXPECT_NE(prepared.memory.contents(), before);
    prepared.workload->restore(0, prepared.workload->extent());
    EXPECT_EQ(prepared.memory.contents(), before);
  });
}

TEST_P(EveryKernel, after_restoring_a_sweep_computes_the_same_again) {
  for_all([](Prepared& prepared, const Flavor& flavor) {
    if (!prepared.workload->restores()) return;
    sweep_whole(*prepared.workload, flavor.sweep);
    const auto first = prepared.memory.contents();
    prepared.workload->restore(0, prepared.workload->extent());
    sweep_whole(*prepared.workload, flavor.sweep);
    EXPECT_EQ(prepared.memory.contents(), first);
  });
}

INSTANTIATE_TEST_SUITE_P(registry, EveryKernel, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Registry, holds_a_kernel_for_every_file) {
  const auto registered = names();
  EXPECT_EQ(std::set<std::string>(registered.begin(), registered.end()),
            std::set<std::string>(std::begin(kernel_files), std::end(kernel_files)));
}

TEST(Registry, names_each_flavor_once) {
  for (const Kernel& kernel : kernels()) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Flavor& flavor : kernel.flavors())
      EXPECT_TRUE(seen.insert({flavor.name, flavor.precision}).second) << kernel.name << " " << flavor.name;
    EXPECT_FALSE(seen.empty()) << kernel.name;
  }
}

TEST(Registry, a_flavor_is_there_or_absent_with_a_reason) {
  for (const Kernel& kernel : kernels())
    for (const AbsentFlavor& absent : kernel.absent_flavors()) {
      EXPECT_FALSE(absent.reason.empty()) << kernel.name << " " << absent.name;
      for (const Flavor& flavor : kernel.flavors()) EXPECT_NE(flavor.name, absent.name) << kernel.name;
    }
}

}  // namespace
}  // namespace plumbline
