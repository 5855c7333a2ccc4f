// 7-point stencil in three dimensions with the centre, as in a Laplacian: 7 FLOPs and 8 references a point, of which caches can
// keep all but one read and one write: AI 0.44 (Yang, Introduction to the Roofline Model, 2019, example 2).
#include "validation/stencil7c.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "stencil7c.flavors.hpp"
#include "validation/cube_stencil.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil7cCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    const std::uint64_t points = cube.points();
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = cube_stencil_traffic(cube, sizeof(Real), 7);
    work.flops = {{flops + ".add", 6 * points}, {flops + ".mul", points}};                   // centre * in, and six neighbours added
    work.paper = {{"paper.flops", 7 * points}, {"paper.bytes", 2 * points * sizeof(Real)}};  // AI 0.44 in fp64
    return work;
  }

  Stencil7cCase(const Parameters& p, std::pmr::memory_resource& memory)
      : cube_{p.integer("n")},
        in_(cube_.size(), memory),
        out_(cube_.size(), memory),
        arguments_{in_.data(), out_.data(), cube_.n, Real(-6)} {}

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

  /// Relative to the sum of the terms' magnitudes: the sum itself may vanish.
  double error() const override {
    LargestError largest;
    const auto in = [&](std::size_t i) { return static_cast<long double>(in_[i]); };
    const std::size_t row = cube_.row(), plane = cube_.plane();
    for (std::size_t r = 0; r < extent(); ++r)
      for (std::size_t i = cube_.first_of(r); i < cube_.first_of(r) + cube_.n; ++i) {
        const long double neighbours = in(i + plane) + in(i - plane) + in(i + row) + in(i - row) + in(i + 1) + in(i - 1);
        largest.compare(out_[i], neighbours - 6 * in(i), neighbours + 6 * in(i));
      }
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(7); }  // a product and six sums

 private:
  RimmedCube cube_;
  Array<Real> in_, out_;
  Stencil7c<Real> arguments_;
};

const Register<Stencil7cCase> registered{
    "validation/stencil7c",
    "7-point stencil in 3D with the centre, 7 FLOPs a point, AI 0.44 (Yang 2019)",
    {{.name = "n", .preset = std::int64_t{96}, .description = "interior points of a side", .max = 10000}},
    stencil7c_flavors};

}  // namespace
}  // namespace plumbline
