// The 5-point stencil's arrays, what a sweep moves of them, and the check of its result: the same for CPUs (stencil5.cpp) and GPUs
// (stencil5.cu).
#pragma once
#include "core/kernel_data.hpp"
#include "validation/stencil5_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
class Stencil5Data : public KernelData<Stencil5<Real>> {
 public:
  /// The work without its FLOPs.
  static Work traffic(const Parameters& p) {
    const std::uint64_t n = p.integer("n"), points = n * n, row = (n + 2) * sizeof(Real), real = sizeof(Real);
    return {
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
  }

  Stencil5Data(const Parameters& p, typename ArrayOf<Real>::Memory& memory)
      : n_(p.integer("n")), in_((n_ + 2) * (n_ + 2), memory), out_(in_.size(), memory) {
    this->arguments_ = {in_.data(), out_.data(), n_, Real(0.25)};
  }

  std::size_t extent() const override { return n_; }
  void initialise(std::size_t begin, std::size_t end) override {
    // Row 0 belongs to the thread of row 1, row n + 1 to that of row n.
    const std::size_t row = n_ + 2, first = begin == 0 ? 0 : begin + 1, last = end == n_ ? n_ + 2 : end + 1;
    in_.fill(first * row, last * row, [](std::size_t i) { return Real(varied(1, i)); });
    out_.fill(first * row, last * row, [](std::size_t) { return Real(0.5); });
  }

  double error() const override {
    LargestError largest;
    const auto read = in_.to_host(), out = out_.to_host();
    const auto in = [&](std::size_t i) { return static_cast<long double>(read[i]); };
    const std::size_t row = n_ + 2;
    for (std::size_t i = 1; i <= n_; ++i)
      for (std::size_t j = i * row + 1; j <= i * row + n_; ++j)
        largest.compare(out[j], (in(j + row) + in(j - row) + in(j + 1) + in(j - 1)) / 4);
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(3); }  // three sums of positive terms; a quarter is exact

 private:
  std::size_t n_;
  ArrayOf<Real> in_, out_;
};

inline KernelFacts stencil5_facts() {
  return {"validation/stencil5",
          "5-point stencil in 2D, 4 FLOPs a point (Kwack et al. 2018, Table III)",
          {{.name = "n", .preset = std::int64_t{1024}, .description = "interior points of a side", .max = std::int64_t{1} << 20}},
          {.edges = sizes("n", {67}), .caches = sizes("n", {4, 20, 60, 130, 400})}};  // 67: long enough for every unrolled loop, and odd
}

}  // namespace plumbline
