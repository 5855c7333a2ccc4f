// The 7-point stencil in three dimensions has 6 FLOPs and 7 references a point (Kwack et al. 2018, Tables III and IV). The paper copies the
// result back between sweeps, outside the counted region; here every sweep reads the same input, which counts the same.
#include "validation/stencil7.hpp"

#include "stencil7.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil7Case final : public Stencil7Data<Real, Array> {
 public:
  using Stencil7Data<Real, Array>::Stencil7Data;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t points = RimmedCube{p.integer("n")}.points();
    Work work = Stencil7Case::traffic(p);
    work.flops = {{flops<Real>("add"), 5 * points}, {flops<Real>("mul"), points}};
    Stencil7Case::add_row_loop(p, work);
    return work;
  }
};

const Register<Stencil7Case> registered{stencil7_facts(), stencil7_flavors};

}  // namespace
}  // namespace plumbline
