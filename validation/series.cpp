// The geometric series of an m x m array has any arithmetic intensity from one kernel, for two references a point (Kwack et al. 2018,
// III.A).
#include "series.flavors.hpp"
#include "validation/series_data.hpp"

namespace plumbline {
namespace {

template <class Real>
class SeriesCase final : public SeriesData<Real, Array> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    Work work = SeriesCase::traffic(p);
    const std::uint64_t points = p.integer("m") * p.integer("m");
    const std::string flops = "flops." + std::string(precision_of<Real>());
    work.flops = {{flops + ".add", points * p.integer("n")}, {flops + ".mul", points * SeriesCase::products(p)}};
    return work;
  }

  using SeriesData<Real, Array>::SeriesData;
  void sweep_all() { sweep(this->arguments_, 0, this->extent()); }
};

const Register<SeriesCase> registered{"validation/series", "Geometric series 1 + x + ... + x^n of each element (Kwack et al. 2018, Table II)",
                                      series_parameters(256), series_flavors};

}  // namespace
}  // namespace plumbline
