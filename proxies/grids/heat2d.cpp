// The heat equation of heat2d.hpp on CPUs: by rows, whose threads share nothing but their edges.
#include "proxies/grids/heat2d.hpp"

#include "heat2d.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct HeatCase final : HeatData<Real, Array> {
  using HeatData<Real, Array>::HeatData;
  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n, row = n * sizeof(Real);
    ApplicationWork heat = HeatCase::traffic(p);
    heat.phases[HeatCase::update].work.flops = {{flops<Real>("add"), 5 * points}, {flops<Real>("mul"), 2 * points}};
    heat.phases[HeatCase::energy].work.flops = {{flops<Real>("add"), points - n}, {flops<Real>("mul"), points}};
    heat.phases[HeatCase::total].work.flops = {{flops<Real>("add"), n - 1}};
    heat.phases[HeatCase::update].work.add_outer_loop(n, 4 * row);
    heat.phases[HeatCase::energy].work.add_outer_loop(n, row);
    return heat;
  }
};

const Register<HeatCase> registered{heat2d_facts(), heat2d_flavors};

}  // namespace
}  // namespace plumbline
