// This kernel is a = b + s a, the update of the search direction in conjugate gradients.
#include "xpay.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "xpay.flavors.hpp"

namespace site {
namespace {

using namespace plumbline;

template <class Real>
class XpayCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    return {.flops = {{flops + ".add", n}, {flops + ".mul", n}},  // b + (s a)
            .streams = {
                {.array = "a", .footprint_bytes = n * real, .read = true, .written = true, .loads = n, .stores = n, .element_bytes = real},
                {.array = "b", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real}}};
  }

  XpayCase(const Parameters& p, std::pmr::memory_resource& memory)
      : a_(p.integer("n"), memory), b_(a_.size(), memory), arguments_{a_.data(), b_.data(), Real(0.25)} {}

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return 64 / sizeof(float); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) b_[i] = Real(varied(1, i));
    restore(begin, end);
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) a_[i] = Real(varied(2, i));
  }

  double error() const override {
    LargestError largest;
    for (std::size_t i = 0; i < a_.size(); ++i)
      largest.compare(a_[i], static_cast<long double>(b_[i]) + 0.25L * static_cast<long double>(Real(varied(2, i))));
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(2); }

 private:
  Array<Real> a_, b_;
  Xpay<Real> arguments_;
};

const Register<XpayCase> registered{"site/xpay",
                                    "a = b + s a, the update of conjugate gradients",
                                    {{.name = "n", .preset = std::int64_t{1} << 16, .description = "elements of each array"}},
                                    xpay_flavors};

}  // namespace
}  // namespace site
