// The 7-point stencil of stencil7.cpp on GPUs: one thread a point, with five sums and a product.
#include "cuda/register.cuh"
#include "cuda/warp_edges.hpp"
#include "validation/cube_point.cuh"
#include "validation/stencil7.hpp"

namespace plumbline {
namespace {

using namespace cuda;

template <class Real>
struct Stencil7Body {
  PLUMBLINE_BOTH static void element(const Stencil7<Real>& x, std::size_t row, std::size_t column) {
    const CubePoint<Real> in(x, row, column);
    x.out[in.point] = times(x.sixth, in.plus_neighbours(in.next_plane()));
  }
};

template <class Real>
class Stencil7Case final : public Stencil7Data<Real, DeviceArray>, public EachColumn<Stencil7Body<Real>> {
 public:
  using Stencil7Data<Real, DeviceArray>::Stencil7Data;
  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    Work work = Stencil7Case::traffic(p);
    work.flops = {{flops<Real>("add"), 5 * cube.points()}, {flops<Real>("mul"), cube.points()}};
    cuda::add_warp_edges(work, cube.n * cube.n, cube.n, 5);
    return work;
  }
};

const cuda::Register<Stencil7Case> stencil7_registered{stencil7_facts()};

}  // namespace
}  // namespace plumbline
