// Geometric series of an m x m array: any arithmetic intensity from one kernel, for two references a point (Kwack et al. 2018, III.A).
#include "validation/series.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "series.flavors.hpp"

namespace plumbline {
namespace {

SeriesForm form_of(const Parameters& p) {
  const std::string& word = p.word("form");
  return word == "inline" ? SeriesForm::inlined : word == "loop" ? SeriesForm::loop : SeriesForm::power;
}

template <class Real>
class SeriesCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = p.integer("m") * p.integer("m"), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    // inline: x^2 ... x^n are n - 1 products, and there are n terms beside the 1. The loops begin with 1 x: one product more.
    const std::uint64_t products = form_of(p) == SeriesForm::inlined ? n - 1 : n;
    return {.flops = {{flops + ".add", points * n}, {flops + ".mul", points * products}},
            .streams = {{.array = "x", .footprint_bytes = points * real, .read = true, .loads = points, .element_bytes = real},
                        {.array = "sum", .footprint_bytes = points * real, .written = true, .stores = points, .element_bytes = real}},
            .paper = {{"paper.flops", points * (2 * n - 1)}, {"paper.bytes", 2 * points * real}}};  // (2) and (3)
  }

  SeriesCase(const Parameters& p, std::pmr::memory_resource& memory)
      : x_(p.integer("m") * p.integer("m"), memory),
        sum_(x_.size(), memory),
        arguments_{form_of(p), static_cast<int>(p.integer("n")), Real(1), x_.data(), sum_.data()} {}

  std::size_t extent() const override { return x_.size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) {
      x_[i] = Real(varied(1, i));
      sum_[i] = Real(0.5);
    }
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    LargestError largest;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      long double exact = 1;
      for (int k = 0; k < arguments_.n; ++k) exact = exact * static_cast<long double>(x_[i]) + 1;
      largest.compare(sum_[i], exact);
    }
    return largest.value();
  }
  // Every term is positive and passes n products and n sums at most.
  double tolerance() const override { return rounding_bound<Real>(2 * arguments_.n); }

 private:
  Array<Real> x_, sum_;
  Series<Real> arguments_;
};

const Register<SeriesCase> registered{
    "validation/series",
    "Geometric series 1 + x + ... + x^n of each element (Kwack et al. 2018, Table II)",
    {{.name = "form",
      .preset = std::string("loop"),
      .description = "unrolled for each order, Horner's loop, or a loop with a running power",
      .choices = {"inline", "loop", "power"}},
     {.name = "n", .preset = std::int64_t{7}, .description = "order", .max = series_max_order},
     {.name = "m", .preset = std::int64_t{256}, .description = "row length of the m x m array", .max = std::int64_t{1} << 20}},
    series_flavors};

}  // namespace
}  // namespace plumbline
