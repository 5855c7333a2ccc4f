// The 7-point stencil with the centre of stencil7c.cpp on GPUs has one thread a point, with an FMA and five sums.
#include "core/array.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/cube_point.cuh"
#include "validation/stencil7c_data.hpp"
#include "validation/warp_edges.hpp"

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
class Stencil7cCase final : public Stencil7cData<Real, DeviceArray> {
 public:
  using Stencil7cData<Real, DeviceArray>::Stencil7cData;
  using Arguments = Stencil7c<Real>;

  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = Stencil7cCase::traffic(p);
    work.flops = {{flops + ".fma", cube.points()}, {flops + ".add", 5 * cube.points()}};
    add_warp_edges(work, cube.n * cube.n, cube.n, 5);
    return work;
  }
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) { launch_rows<Stencil7cBody<Real>>(x, begin, end, x.n); }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) { rows_on_host<Stencil7cBody<Real>>(x, begin, end, x.n); }
};

const cuda::Register<Stencil7cCase> registered{
    "validation/stencil7c", "7-point stencil in 3D with the centre, 7 FLOPs a point, AI 0.44 (Yang 2019)", cube_stencil_parameters()};

}  // namespace
}  // namespace plumbline
