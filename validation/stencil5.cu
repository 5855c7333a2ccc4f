// The 5-point stencil of stencil5.cpp on GPUs has one thread a point, with three sums and a product.
#include "core/array.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/stencil5_data.hpp"
#include "validation/warp_edges.hpp"

namespace plumbline {
namespace {

using cuda::plus, cuda::times;

template <class Real>
struct Stencil5Body {
  PLUMBLINE_BOTH static void element(const Stencil5<Real>& x, std::size_t row, std::size_t column) {
    const std::size_t length = x.n + 2, i = (row + 1) * length + column + 1;
    const Real *above = x.in + i - length, *below = x.in + i + length;
    x.out[i] = times(x.quarter, plus(plus(plus(*below, *above), x.in[i + 1]), x.in[i - 1]));
  }
};

template <class Real>
class Stencil5Case final : public Stencil5Data<Real, DeviceArray> {
 public:
  using Stencil5Data<Real, DeviceArray>::Stencil5Data;
  using Arguments = Stencil5<Real>;

  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n;
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = Stencil5Case::traffic(p);
    work.flops = {{flops + ".add", 3 * points}, {flops + ".mul", points}};
    add_warp_edges(work, n, n, 3);
    return work;
  }
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) { cuda::launch_rows<Stencil5Body<Real>>(x, begin, end, x.n); }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    cuda::rows_on_host<Stencil5Body<Real>>(x, begin, end, x.n);
  }
};

const cuda::Register<Stencil5Case> registered{
    "validation/stencil5", "5-point stencil in 2D, 4 FLOPs a point (Kwack et al. 2018, Table III)", stencil5_parameters()};

}  // namespace
}  // namespace plumbline
