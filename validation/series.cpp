// Geometric series of an m x m array: any arithmetic intensity from one kernel, for two references a point (Kwack et al. 2018, III.A).
#include "validation/series.hpp"

#include "series.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class SeriesCase final : public SeriesData<Real, Array> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    Work work = SeriesCase::traffic(p);
    const std::uint64_t points = p.integer("m") * p.integer("m");
    work.flops = {{flops<Real>("add"), points * p.integer("n")}, {flops<Real>("mul"), points * SeriesCase::products(p)}};
    return work;
  }

  using SeriesData<Real, Array>::SeriesData;
};

const Register<SeriesCase> registered{series_facts(256), series_flavors};

}  // namespace
}  // namespace plumbline
