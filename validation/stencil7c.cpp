// The 7-point stencil in three dimensions with the centre, as in a Laplacian, has 7 FLOPs and 8 references a point, of which caches can
// keep all but one read and one write: AI 0.44 (Yang, Introduction to the Roofline Model, 2019, example 2).
#include "validation/stencil7c.hpp"

#include "stencil7c.flavors.hpp"
#include "validation/stencil7c_data.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil7cCase final : public Stencil7cData<Real, Array> {
 public:
  using Stencil7cData<Real, Array>::Stencil7cData;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t points = RimmedCube{p.integer("n")}.points();
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = Stencil7cCase::traffic(p);
    work.flops = {{flops + ".add", 6 * points}, {flops + ".mul", points}};  // centre * in, and six neighbours added
    Stencil7cCase::add_row_loop(p, work);
    return work;
  }
  void sweep_all() { sweep(this->arguments_, 0, this->extent()); }
};

const Register<Stencil7cCase> registered{"validation/stencil7c",
                                         "7-point stencil in 3D with the centre, 7 FLOPs a point, AI 0.44 (Yang 2019)",
                                         cube_stencil_parameters(), stencil7c_flavors};

}  // namespace
}  // namespace plumbline
