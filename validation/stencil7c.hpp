// The constant of the 7-point stencil with the centre and the check of its result, for CPUs (stencil7c.cpp) and GPUs (stencil7c.cu).
#pragma once
#include "validation/cube_stencil.hpp"
#include "validation/stencil7c_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class Stencil7cData : public CubeStencilData<Real, ArrayOf, Stencil7c> {
  using Base = CubeStencilData<Real, ArrayOf, Stencil7c>;

 public:
  static Work traffic(const Parameters& p) {
    const std::uint64_t points = RimmedCube{p.integer("n")}.points();
    Work work = Base::traffic(p, 7);
    work.paper = {{"paper.flops", 7 * points}, {"paper.bytes", 2 * points * sizeof(Real)}};  // AI 0.44 in fp64
    return work;
  }

  Stencil7cData(const Parameters& p, typename ArrayOf<Real>::Memory& memory) : Base(p, Real(-6), memory) {}

  /// Relative to the sum of the terms' magnitudes: the sum itself may vanish.
  double error() const override {
    return this->largest_error([](long double centre, long double neighbours) { return neighbours - 6 * centre; },
                               [](long double centre, long double neighbours) { return neighbours + 6 * centre; });
  }
  double tolerance() const override { return rounding_bound<Real>(7); }  // a product and six sums
};

inline KernelFacts stencil7c_facts() {
  return cube_stencil_facts("validation/stencil7c", "7-point stencil in 3D with the centre, 7 FLOPs a point, AI 0.44 (Yang 2019)");
}

}  // namespace plumbline
