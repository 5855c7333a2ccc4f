// The 5-point stencil in two dimensions has 4 FLOPs and 5 references a point (Kwack et al. 2018, Tables III and IV). The paper copies the
// result back between sweeps, outside the counted region; here every sweep reads the same input, which counts the same.
#include "validation/stencil5.hpp"

#include "stencil5.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil5Case final : public Stencil5Data<Real, Array> {
 public:
  using Stencil5Data<Real, Array>::Stencil5Data;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n;
    Work work = Stencil5Case::traffic(p);
    work.flops = {{flops<Real>("add"), 3 * points}, {flops<Real>("mul"), points}};
    work.add_outer_loop(n, 4 * (n + 2) * sizeof(Real));
    return work;
  }
};

const Register<Stencil5Case> registered{stencil5_facts(), stencil5_flavors};

}  // namespace
}  // namespace plumbline
