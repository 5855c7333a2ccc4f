// The 7-point stencil's constant and the check of its result, for CPUs (stencil7.cpp) and GPUs (stencil7.cu).
#pragma once
#include "validation/cube_stencil.hpp"
#include "validation/stencil7_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class Stencil7Data : public CubeStencilData<Real, ArrayOf, Stencil7> {
  using Base = CubeStencilData<Real, ArrayOf, Stencil7>;

 public:
  static Work traffic(const Parameters& p) {
    const std::uint64_t points = RimmedCube{p.integer("n")}.points();
    Work work = Base::traffic(p, 6);
    work.paper = {{"paper.flops", 6 * points}, {"paper.bytes", 7 * points * sizeof(Real)}};
    return work;
  }

  Stencil7Data(const Parameters& p, typename ArrayOf<Real>::Memory& memory) : Base(p, Real(0.16666666666666667), memory) {}

  double error() const override {
    const auto exact = [](long double, long double neighbours) { return neighbours / 6; };
    return this->largest_error(exact, exact);
  }
  // Five sums of positive terms, the sixth rounded, and the product with it.
  double tolerance() const override { return rounding_bound<Real>(7); }
};

inline KernelFacts stencil7_facts() {
  return cube_stencil_facts("validation/stencil7", "7-point stencil in 3D, 6 FLOPs a point (Kwack et al. 2018, Table III)");
}

}  // namespace plumbline
