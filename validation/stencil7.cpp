// 7-point stencil in three dimensions: 6 FLOPs and 7 references a point (Kwack et al. 2018, Tables III and IV). The paper copies the
// result back between sweeps, outside the counted region; here every sweep reads the same input, which counts the same.
#include "validation/stencil7.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "stencil7.flavors.hpp"
#include "validation/cube_stencil.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil7Case final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    const std::uint64_t points = cube.points();
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = cube_stencil_traffic(cube, sizeof(Real), 6);
    work.flops = {{flops + ".add", 5 * points}, {flops + ".mul", points}};
    work.paper = {{"paper.flops", 6 * points}, {"paper.bytes", 7 * points * sizeof(Real)}};
    return work;
  }

  Stencil7Case(const Parameters& p, std::pmr::memory_resource& memory)
      : cube_{p.integer("n")},
        in_(cube_.size(), memory),
        out_(cube_.size(), memory),
        arguments_{in_.data(), out_.data(), cube_.n, Real(0.16666666666666667)} {}

  std::size_t extent() const override { return cube_.n * cube_.n; }
  void initialise(std::size_t begin, std::size_t end) override {
    cube_.for_rows(begin, end, [this](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        in_[i] = Real(varied(1, i));
        out_[i] = Real(0.5);
      }
    });
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    LargestError largest;
    const auto in = [&](std::size_t i) { return static_cast<long double>(in_[i]); };
    const std::size_t row = cube_.row(), plane = cube_.plane();
    for (std::size_t r = 0; r < extent(); ++r)
      for (std::size_t i = cube_.first_of(r); i < cube_.first_of(r) + cube_.n; ++i)
        largest.compare(out_[i], (in(i + plane) + in(i - plane) + in(i + row) + in(i - row) + in(i + 1) + in(i - 1)) / 6);
    return largest.value();
  }
  // Five sums of positive terms, the sixth rounded, and the product with it.
  double tolerance() const override { return rounding_bound<Real>(7); }

 private:
  RimmedCube cube_;
  Array<Real> in_, out_;
  Stencil7<Real> arguments_;
};

const Register<Stencil7Case> registered{
    "validation/stencil7",
    "7-point stencil in 3D, 6 FLOPs a point (Kwack et al. 2018, Table III)",
    {{.name = "n", .preset = std::int64_t{96}, .description = "interior points of a side", .max = 10000}},
    stencil7_flavors};

}  // namespace
}  // namespace plumbline
