// STREAM triad, a = b + s c (McCalpin 1995): the simplest bandwidth kernel whose FLOPs and bytes are known exactly.
#include "validation/triad.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "triad.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class TriadCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    return {.flops = {{flops + ".add", n}, {flops + ".mul", n}},  // b + (s c)
            .streams = {{.array = "a", .footprint_bytes = n * real, .written = true, .stores = n, .element_bytes = real},
                        {.array = "b", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
                        {.array = "c", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real}},
            .paper = {{"paper.flops", 2 * n}, {"paper.bytes", 3 * n * real}}};  // Yang 2019: 2 flops, 24 bytes, AI 0.083
  }

  TriadCase(const Parameters& p, std::pmr::memory_resource& memory)
      : a_(p.integer("n"), memory),
        b_(p.integer("n"), memory),
        c_(p.integer("n"), memory),
        arguments_{a_.data(), b_.data(), c_.data(), Real(0.75)} {}

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) {
      a_[i] = Real(0.5);
      b_[i] = Real(varied(1, i));
      c_[i] = Real(varied(2, i));
    }
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    LargestError largest;
    for (std::size_t i = 0; i < a_.size(); ++i)
      largest.compare(a_[i], static_cast<long double>(b_[i]) + 0.75L * static_cast<long double>(c_[i]));
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(2); }  // a product and a sum, or one fma

 private:
  Array<Real> a_, b_, c_;
  Triad<Real> arguments_;
};

const Register<TriadCase> registered{"validation/triad",
                                     "STREAM triad a = b + s c (McCalpin 1995)",
                                     {{.name = "n", .preset = std::int64_t{1} << 20, .description = "elements of each array"}},
                                     triad_flavors};

}  // namespace
}  // namespace plumbline
