// The 5-point stencil in two dimensions has 4 FLOPs and 5 references a point (Kwack et al. 2018, Tables III and IV). The paper copies the
// result back between sweeps, outside the counted region; here every sweep reads the same input, which counts the same.
#include "validation/stencil5.hpp"

#include "stencil5.flavors.hpp"
#include "validation/stencil5_data.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil5Case final : public Stencil5Data<Real, Array> {
 public:
  using Stencil5Data<Real, Array>::Stencil5Data;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n;
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = Stencil5Case::traffic(p);
    work.flops = {{flops + ".add", 3 * points}, {flops + ".mul", points}};
    work.add_outer_loop(n, 4 * (n + 2) * sizeof(Real));
    return work;
  }
  void sweep_all() { sweep(this->arguments_, 0, this->extent()); }
};

const Register<Stencil5Case> registered{"validation/stencil5", "5-point stencil in 2D, 4 FLOPs a point (Kwack et al. 2018, Table III)",
                                        stencil5_parameters(), stencil5_flavors};

}  // namespace
}  // namespace plumbline
