// 5-point stencil in two dimensions: 4 FLOPs and 5 references a point (Kwack et al. 2018, Tables III and IV). The paper copies the
// result back between sweeps, outside the counted region; here every sweep reads the same input, which counts the same.
#include "validation/stencil5.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "stencil5.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class Stencil5Case final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n, row = (n + 2) * sizeof(Real), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work{
        .flops = {{flops + ".add", 3 * points}, {flops + ".mul", points}},
        .streams = {{.array = "in",
                     .footprint_bytes = (n + 2) * row - 4 * real,  // all but the corners
                     .read = true,
                     .loads = 4 * points,
                     .element_bytes = real,
                     // From one row to the next three rows of `in` and one of `out` pass; without them each of the three is fetched anew.
                     .layers = {{.reuse_bytes = 4 * row, .fetched_bytes = 3 * n * row}}},
                    {.array = "out",
                     .footprint_bytes = n * row - 2 * real,  // rims of two points lie between the rows, in lines of theirs
                     .written = true,
                     .stores = points,
                     .element_bytes = real}},
        .paper = {{"paper.flops", 4 * points}, {"paper.bytes", 5 * points * real}}};
    work.add_outer_loop(n, 4 * row);
    return work;
  }

  Stencil5Case(const Parameters& p, std::pmr::memory_resource& memory)
      : n_(p.integer("n")),
        in_((n_ + 2) * (n_ + 2), memory),
        out_(in_.size(), memory),
        arguments_{in_.data(), out_.data(), n_, Real(0.25)} {}

  std::size_t extent() const override { return n_; }
  void initialise(std::size_t begin, std::size_t end) override {
    // Row 0 belongs to the thread of row 1, row n + 1 to that of row n.
    const std::size_t row = n_ + 2, first = begin == 0 ? 0 : begin + 1, last = end == n_ ? n_ + 2 : end + 1;
    for (std::size_t i = first * row; i < last * row; ++i) {
      in_[i] = Real(varied(1, i));
      out_[i] = Real(0.5);
    }
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    LargestError largest;
    const auto in = [&](std::size_t i) { return static_cast<long double>(in_[i]); };
    const std::size_t row = n_ + 2;
    for (std::size_t i = 1; i <= n_; ++i)
      for (std::size_t j = i * row + 1; j <= i * row + n_; ++j)
        largest.compare(out_[j], (in(j + row) + in(j - row) + in(j + 1) + in(j - 1)) / 4);
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(3); }  // three sums of positive terms; a quarter is exact

 private:
  std::size_t n_;
  Array<Real> in_, out_;
  Stencil5<Real> arguments_;
};

const Register<Stencil5Case> registered{
    "validation/stencil5",
    "5-point stencil in 2D, 4 FLOPs a point (Kwack et al. 2018, Table III)",
    {{.name = "n", .preset = std::int64_t{1024}, .description = "interior points of a side", .max = std::int64_t{1} << 20}},
    stencil5_flavors};

}  // namespace
}  // namespace plumbline
