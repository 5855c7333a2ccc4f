// The smoother of gsrb.hpp on CPUs, whose threads divide rows of cells.
#include "proxies/grids/gsrb.hpp"

#include "gsrb.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct GsrbCase final : GsrbData<Real, Array> {
  using GsrbData<Real, Array>::GsrbData;
  static ApplicationWork application(const Parameters& p, std::string_view) {
    const BoxGrid grid = box_grid_of(p);
    const auto update = [&](std::uint64_t color) { return update_work<Real>(grid, gsrb_loop_of(p), color); };
    return GsrbCase::phases(grid, ghost_work<Real>(grid), update(0), update(1));
  }
};

const Register<GsrbCase> registered{gsrb_facts(), gsrb_flavors};

}  // namespace
}  // namespace plumbline
