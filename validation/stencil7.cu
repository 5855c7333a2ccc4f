// The 7-point stencil of stencil7.cpp on GPUs has one thread a point, with five sums and a product.
#include "core/array.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/cube_point.cuh"
#include "validation/stencil7_data.hpp"
#include "validation/warp_edges.hpp"

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
class Stencil7Case final : public Stencil7Data<Real, DeviceArray> {
 public:
  using Stencil7Data<Real, DeviceArray>::Stencil7Data;
  using Arguments = Stencil7<Real>;

  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = Stencil7Case::traffic(p);
    work.flops = {{flops + ".add", 5 * cube.points()}, {flops + ".mul", cube.points()}};
    add_warp_edges(work, cube.n * cube.n, cube.n, 5);
    return work;
  }
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) { launch_rows<Stencil7Body<Real>>(x, begin, end, x.n); }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) { rows_on_host<Stencil7Body<Real>>(x, begin, end, x.n); }
};

const cuda::Register<Stencil7Case> registered{
    "validation/stencil7", "7-point stencil in 3D, 6 FLOPs a point (Kwack et al. 2018, Table III)", cube_stencil_parameters()};

}  // namespace
}  // namespace plumbline
