// The 7-point stencils in three dimensions have the same arrays, the same layers and the same neighbours, however a point is computed, on
// CPUs and on GPUs.
#pragma once
#include "core/kernel_data.hpp"
#include "core/rimmed_cube.hpp"

namespace plumbline {

/// Loop: an aggregate of in, out, n and one factor, as the flavored loops have them.
template <class Real, template <class> class ArrayOf, template <class> class Loop>
class CubeStencilData : public KernelData<Loop<Real>> {
 public:
  /// Streams of one sweep that loads `loads` elements of `in` a point and stores one of `out`; FLOPs are the caller's.
  static Work traffic(const Parameters& p, std::uint64_t loads) {
    const RimmedCube cube{p.integer("n")};
    const std::uint64_t n = cube.n, real = sizeof(Real), row = cube.row() * real, plane = cube.plane() * real;
    return {.streams = {{.array = "in",
                         .footprint_bytes = cube.stencil_lines(real),
                         .read = true,
                         .loads = loads * cube.points(),
                         .element_bytes = real,
                         // The layers: from row to row five rows of `in` and one of `out` pass, from plane to plane three planes and one.
                         // Without the rows each of the five is fetched anew; without the planes the plane itself and its two neighbours.
                         .layers = {{.reuse_bytes = 6 * row, .fetched_bytes = 5 * n * n * row},
                                    {.reuse_bytes = 4 * plane, .fetched_bytes = n * (3 * n + 2) * row}}},
                        {.array = "out",
                         .footprint_bytes = cube.interior_lines(real),
                         .written = true,
                         .stores = cube.points(),
                         .element_bytes = real}}};
  }
  /// Adds what a CPU's loop over the rows costs beside.
  static void add_row_loop(const Parameters& p, Work& work) {
    const RimmedCube cube{p.integer("n")};
    work.add_outer_loop(cube.n * cube.n, 6 * cube.row() * sizeof(Real));
  }

  CubeStencilData(const Parameters& p, Real factor, typename ArrayOf<Real>::Memory& memory)
      : cube_{p.integer("n")}, in_(cube_.size(), memory), out_(cube_.size(), memory) {
    this->arguments_ = {in_.data(), out_.data(), cube_.n, factor};
  }

  std::size_t extent() const override { return cube_.n * cube_.n; }
  void initialise(std::size_t begin, std::size_t end) override {
    if (begin == 0 && end == extent()) return fill(0, cube_.size());
    cube_.for_rows(begin, end, [this](std::size_t first, std::size_t last) { fill(first, last); });
  }

  /// The largest error against exact(centre, sum of the six neighbours), relative to scale(...) of the same.
  template <class Exact, class Scale>
  double largest_error(Exact exact, Scale scale) const {
    LargestError largest;
    const auto read = in_.to_host(), out = out_.to_host();
    const auto in = [&](std::size_t i) { return static_cast<long double>(read[i]); };
    const std::size_t row = cube_.row(), plane = cube_.plane();
    for (std::size_t r = 0; r < extent(); ++r)
      for (std::size_t i = cube_.first_of(r); i < cube_.first_of(r) + cube_.n; ++i) {
        const long double neighbours = in(i + plane) + in(i - plane) + in(i + row) + in(i - row) + in(i + 1) + in(i - 1);
        largest.compare(out[i], exact(in(i), neighbours), scale(in(i), neighbours));
      }
    return largest.value();
  }

 private:
  void fill(std::size_t first, std::size_t last) {
    in_.fill(first, last, [](std::size_t i) { return Real(varied(1, i)); });
    out_.fill(first, last, [](std::size_t) { return Real(0.5); });
  }

  RimmedCube cube_;
  ArrayOf<Real> in_, out_;
};

inline KernelFacts cube_stencil_facts(std::string name, std::string summary) {
  return {std::move(name),
          std::move(summary),
          {{.name = "n", .preset = std::int64_t{96}, .description = "interior points of a side", .max = 10000}},
          {.edges = sizes("n", {67}), .caches = sizes("n", {3, 6, 12, 24, 45, 60})}};  // 67: long enough for every unrolled loop, and odd
}

}  // namespace plumbline
