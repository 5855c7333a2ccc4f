// The constant of the 7-point stencil with the centre and the check of its result, for CPUs (stencil7c.cpp) and GPUs (stencil7c.cu).
#pragma once
#include "validation/cube_stencil.hpp"
#include "validation/stencil7c.hpp"

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

  /// The largest error relative to the sum of the terms' magnitudes: the sum itself may vanish.
  double error() const override {
    return this->largest_error([](long double centre, long double neighbours) { return neighbours - 6 * centre; },
                               [](long double centre, long double neighbours) { return neighbours + 6 * centre; });
  }
  double tolerance() const override { return rounding_bound<Real>(7); }  // a product and six sums
};

}  // namespace plumbline
