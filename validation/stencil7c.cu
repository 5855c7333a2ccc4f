// The 7-point stencil with the centre of stencil7c.cpp on GPUs: one thread a point, with an FMA and five sums.
#include "cuda/register.cuh"
#include "cuda/warp_edges.hpp"
#include "validation/cube_point.cuh"
#include "validation/stencil7c.hpp"

namespace plumbline {
namespace {

using namespace cuda;

template <class Real>
struct Stencil7cBody {
  PLUMBLINE_BOTH static void element(const Stencil7c<Real>& x, std::size_t row, std::size_t column) {
    const CubePoint<Real> in(x, row, column);
    x.out[in.point] = in.plus_neighbours(fused(x.centre, in.centre(), in.next_plane()));
  }
};

template <class Real>
class Stencil7cCase final : public Stencil7cData<Real, DeviceArray>, public EachColumn<Stencil7cBody<Real>> {
 public:
  using Stencil7cData<Real, DeviceArray>::Stencil7cData;
  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    Work work = Stencil7cCase::traffic(p);
    work.flops = {{flops<Real>("fma"), cube.points()}, {flops<Real>("add"), 5 * cube.points()}};
    cuda::add_warp_edges(work, cube.n * cube.n, cube.n, 5);
    return work;
  }
};

const cuda::Register<Stencil7cCase> stencil7c_registered{stencil7c_facts()};

}  // namespace
}  // namespace plumbline
