// The 7-point stencil in three dimensions with the centre, as in a Laplacian, has 7 FLOPs and 8 references a point, of which caches can
// keep all but one read and one write: AI 0.44 (Yang, Introduction to the Roofline Model, 2019, example 2).
#include "validation/stencil7c.hpp"

#include "stencil7c.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil7cCase final : public Stencil7cData<Real, Array> {
 public:
  using Stencil7cData<Real, Array>::Stencil7cData;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t points = RimmedCube{p.integer("n")}.points();
    Work work = Stencil7cCase::traffic(p);
    work.flops = {{flops<Real>("add"), 6 * points}, {flops<Real>("mul"), points}};  // centre * in, and six neighbours added
    Stencil7cCase::add_row_loop(p, work);
    return work;
  }
};

const Register<Stencil7cCase> registered{stencil7c_facts(), stencil7c_flavors};

}  // namespace
}  // namespace plumbline
