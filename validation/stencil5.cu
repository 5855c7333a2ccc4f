// The 5-point stencil of stencil5.cpp on GPUs: one thread a point, with three sums and a product.
#include "cuda/register.cuh"
#include "cuda/warp_edges.hpp"
#include "validation/stencil5.hpp"

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
class Stencil5Case final : public Stencil5Data<Real, DeviceArray>, public cuda::EachColumn<Stencil5Body<Real>> {
 public:
  using Stencil5Data<Real, DeviceArray>::Stencil5Data;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n;
    Work work = Stencil5Case::traffic(p);
    work.flops = {{flops<Real>("add"), 3 * points}, {flops<Real>("mul"), points}};
    cuda::add_warp_edges(work, n, n, 3);
    return work;
  }
};

const cuda::Register<Stencil5Case> stencil5_registered{stencil5_facts()};

}  // namespace
}  // namespace plumbline
