// Multigrid of multigrid.hpp on CPUs, whose threads divide rows of cells.
#include "proxies/grids/multigrid.hpp"

#include "multigrid.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct MultigridCase final : MultigridData<Real, Array> {
  using MultigridData<Real, Array>::MultigridData;
  static ApplicationWork application(const Parameters& p, std::string_view) { return MultigridCase::phases(p, &multigrid_work<Real>); }
};

const Register<MultigridCase> registered{multigrid_facts(), multigrid_flavors};

}  // namespace
}  // namespace plumbline
