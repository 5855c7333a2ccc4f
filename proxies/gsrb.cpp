// HPGMG's GSRB smoother, a small form: one red half-sweep of the 7-point operator with constant coefficients. The same result by
// three loops: fp computes every point and masks the black ones out, branch skips them, stride2 steps over them
// (Yang, Kurth, Williams 2019, III.B).
#include <algorithm>

#include "core/kernel_data.hpp"
#include "core/rimmed_cube.hpp"
#include "gsrb.flavors.hpp"
#include "proxies/gsrb_loop.hpp"

namespace plumbline {
namespace {

GsrbVariant variant_of(const Parameters& p) {
  const std::string& word = p.word("variant");
  return word == "fp" ? GsrbVariant::fp : word == "branch" ? GsrbVariant::branch : GsrbVariant::stride2;
}

/// Lines, in bytes, that a half-sweep writes, and those that it touches: at the ends of planes a line may hold no red point.
struct Lines {
  std::uint64_t written, touched;
};

Lines lines_of(const RimmedCube& cube, bool masked, std::uint64_t real) {
  const std::uint64_t n = cube.n;
  LineCover written, touched;
  for (std::uint64_t k = 0; k <= n + 1; ++k)
    for (std::uint64_t j = 0; j <= n + 1; ++j) {
      const bool rim_k = k == 0 || k == n + 1, rim_j = j == 0 || j == n + 1;
      if (rim_k && rim_j) continue;
      // A row of the rim is touched in the points beside the red ones of the interior row next to it.
      const std::uint64_t parity = (std::clamp<std::uint64_t>(k, 1, n) + std::clamp<std::uint64_t>(j, 1, n)) % 2;
      const std::uint64_t first = masked ? 1 : 1 + parity, last = masked ? n : n - (n + 1 + parity) % 2;
      if (first > last) continue;
      const std::uint64_t row = k * cube.plane() + j * cube.row(), beside = rim_k || rim_j ? 0 : 1;
      touched.add((row + first - beside) * real, (last - first + 1 + 2 * beside) * real);
      if (!rim_k && !rim_j) written.add((row + first) * real, (last - first + 1) * real);
    }
  return {written.bytes(), touched.bytes()};
}

template <class Real>
class GsrbCase final : public KernelData<Gsrb<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const RimmedCube cube{p.integer("n")};
    const std::uint64_t n = cube.n, real = sizeof(Real), row = cube.row() * real, plane = cube.plane() * real;
    const bool masked = variant_of(p) == GsrbVariant::fp;
    const std::uint64_t done = masked ? cube.points() : (cube.points() + 1) / 2;  // the corner (1, 1, 1) is red
    // Six neighbours (5 sums), six * x, two differences, weight *, added to x; fp multiplies by the mask as well.
    Work work{.flops = {{flops<Real>("add"), 8 * done}, {flops<Real>("mul"), (masked ? 3 : 2) * done}}, .streams = {}};
    const Lines lines = lines_of(cube, masked, real);
    work.streams.push_back({.array = "x",
                            .footprint_bytes = lines.written,
                            .read = true,
                            .written = true,
                            .loads = 7 * done,
                            .stores = done,
                            .element_bytes = real,
                            // The layers are stencil7's, of the interior rows alone.
                            .layers = {{.reuse_bytes = 7 * row, .fetched_bytes = n * (5 * n - 4) * row},
                                       {.reuse_bytes = 4 * plane, .fetched_bytes = n * (3 * n - 2) * row}}});
    work.streams.push_back(
        {.array = "x, read only", .footprint_bytes = lines.touched - lines.written, .read = true, .element_bytes = real});
    work.streams.push_back({.array = "rhs", .footprint_bytes = cube.points() * real, .read = true, .loads = done, .element_bytes = real});
    if (masked)
      work.streams.push_back({.array = "mask",
                              .footprint_bytes = 2 * n * real,
                              .read = true,
                              .loads = done,
                              .element_bytes = real,
                              .layers = {{.reuse_bytes = 14 * row, .fetched_bytes = n * n * row}},
                              .shared = true});
    work.add_outer_loop(n * n, 7 * row);
    return work;
  }

  GsrbCase(const Parameters& p, std::pmr::memory_resource& memory)
      : cube_{p.integer("n")},
        x_(cube_.size(), memory),
        original_(cube_.size(), memory),
        rhs_(cube_.points(), memory),
        mask_(2 * cube_.n, memory) {
    arguments_ = {variant_of(p), cube_.n, x_.data(), rhs_.data(), mask_.data(), Real(6), Real(1.0 / 6)};
  }

  std::size_t extent() const override { return cube_.n * cube_.n; }
  void initialise(std::size_t begin, std::size_t end) override {
    cube_.for_rows(begin, end, [this](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) x_[i] = original_[i] = Real(varied(1, i));
    });
    for (std::size_t i = begin * cube_.n; i < end * cube_.n; ++i) rhs_[i] = Real(varied(2, i));
    if (begin != 0) return;  // what all share belongs to the first
    for (std::size_t i = 0; i < 2 * cube_.n; ++i) mask_[i] = Real(i % cube_.n % 2 == i / cube_.n ? 1 : 0);
  }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = cube_.first_of(r);
      std::copy(original_.data() + first, original_.data() + first + cube_.n, x_.data() + first);
    }
  }

  /// The error after one sweep since the last restore, relative to the sum of the terms' magnitudes; a black point must be what it was.
  double error() const override {
    LargestError largest;
    const auto x = [&](std::size_t i) { return static_cast<long double>(original_[i]); };
    const std::size_t n = cube_.n, row = cube_.row(), plane = cube_.plane();
    for (std::size_t r = 0; r < extent(); ++r)
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t here = cube_.first_of(r) + i;
        if ((r / n + r % n + i) % 2 != 0) {
          largest.compare(x_[here], x(here), 0);
          continue;
        }
        const long double neighbours = x(here + plane) + x(here - plane) + x(here + row) + x(here - row) + x(here + 1) + x(here - 1);
        const auto rhs = static_cast<long double>(rhs_[r * n + i]);
        largest.compare(x_[here], (rhs + neighbours) / 6, 2 * x(here) + (rhs + neighbours) / 6);
      }
    return largest.value();
  }
  // Five sums of neighbours, two differences, the weight and its product, the mask's, and the last sum.
  double tolerance() const override { return rounding_bound<Real>(11); }

 private:
  RimmedCube cube_;
  Array<Real> x_, original_, rhs_, mask_;
  using KernelData<Gsrb<Real>>::arguments_;
};

Parameters half_sweep(const char* variant, std::int64_t n) { return {{"variant", std::string(variant)}, {"n", n}}; }

const Register<GsrbCase> registered{
    "proxies/gsrb",
    "Gauss-Seidel red-black smoother, red half-sweep in place (HPGMG; Yang, Kurth, Williams 2019)",
    {{.name = "variant",
      .preset = std::string("stride2"),
      .description = "every point times a mask, a branch at each point, or every other point",
      .choices = {"fp", "branch", "stride2"}},
     {.name = "n", .preset = std::int64_t{64}, .description = "interior points of a side", .max = 10000}},
    gsrb_flavors,
    // 67: long enough for every unrolled loop, and odd
    {.edges = {half_sweep("fp", 67), half_sweep("branch", 67), half_sweep("stride2", 67)},
     .caches = {half_sweep("fp", 6), half_sweep("fp", 24), half_sweep("fp", 45), half_sweep("branch", 12), half_sweep("branch", 30),
                half_sweep("branch", 60), half_sweep("stride2", 12), half_sweep("stride2", 24), half_sweep("stride2", 45)}}};

}  // namespace
}  // namespace plumbline
