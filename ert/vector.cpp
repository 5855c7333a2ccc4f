// ERT's parameterized vector (Lo et al. 2014): arithmetic intensity k / (2 element bytes), from bandwidth-bound to FLOP-bound.
// The steps are chosen so that values stay varied and between 1/2 and 1 for ever: pairs of reflections that drift a little,
// forth in one pass and back in the next.
#include "ert/vector.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "vector.flavors.hpp"

namespace plumbline {
namespace {

constexpr double drift = 0x1p-20;

/// 1, 2, or a multiple of 4 (pairs of FMAs).
std::uint64_t flops_an_element(const Parameters& p) {
  const std::uint64_t k = p.integer("k");
  if (k != 1 && k != 2 && k % 4 != 0)
    throw std::invalid_argument("ert/vector: k = " + std::to_string(k) + " is neither 1 nor 2 nor a multiple of 4");
  return k;
}

template <class Real>
class VectorCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view flavor) {
    const std::uint64_t n = p.integer("n"), repeat = p.integer("repeat"), k = flops_an_element(p), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work{.streams = {{.array = "a",
                           .footprint_bytes = n * real,
                           .read = true,
                           .written = true,
                           .loads = repeat * n,
                           .stores = repeat * n,
                           .element_bytes = real}},
              .paper = {{"paper.flops", repeat * n * k}, {"paper.bytes", 2 * repeat * n * real}}};
    if (repeat > 1) work.streams[0].layers = {{.reuse_bytes = n * real, .fetched_bytes = repeat * n * real}};
    const std::string isa = split_flavor(flavor).isa;
    if (k == 1) {
      work.flops[flops + ".add"] = repeat * n;
    } else if (isa.empty() || isa == "v2") {
      work.flops[flops + ".add"] = work.flops[flops + ".mul"] = repeat * n * k / 2;
      if (isa == "v2") work.note = "this ISA has no FMA: a multiplication and an addition instead";
    } else {
      work.flops[flops + ".fma"] = repeat * n * k / 2;
    }
    return work;
  }

  VectorCase(const Parameters& p, std::pmr::memory_resource& memory)
      : a_(p.integer("n"), memory), passes_(p.integer("n") / vector_grain + 1, memory), arguments_{a_.data(),           flops_an_element(p),
                                                                                                   p.integer("repeat"), Real(-1),
                                                                                                   Real(1.5),           Real(1.5 + drift),
                                                                                                   passes_.data()} {}

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return vector_grain; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) a_[i] = Real(varied(1, i));
    for (std::size_t i = begin / vector_grain; i < (end + vector_grain - 1) / vector_grain; ++i) passes_[i] = 0;
    if (end == extent()) passes_[passes_.size() - 1] = 0;
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    double worst = 0;
    std::uint64_t passes = 0;  // of the part that i lies in
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (i % vector_grain == 0 && passes_[i / vector_grain] != 0) passes = passes_[i / vector_grain];
      const double exact = expected(varied(1, i), passes);
      const double error = std::fabs((static_cast<double>(a_[i]) - exact) / exact);
      worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
    }
    return worst;
  }
  /// All numbers are multiples of 2^-24: exact in fp64; in fp32 those that leave [1/2, 1) are rounded to the coarser grid above,
  /// once, and then stay on it.
  double tolerance() const override { return sizeof(Real) == 4 ? 4 * 0x1p-24 : 0; }

 private:
  /// What `passes` passes make of x. HUGE_VAL for none: never swept.
  double expected(double x, std::uint64_t passes) const {
    if (passes == 0) return HUGE_VAL;
    if (passes % 2 == 0) return x;
    return arguments_.k <= 2 ? 1.5 - x : x + static_cast<double>(arguments_.k / 4) * drift;
  }

  Array<Real> a_;
  Array<std::uint64_t> passes_;
  ErtVector<Real> arguments_;
};

const Register<VectorCase> registered{"ert/vector",
                                      "The parameterized vector of ERT: k FLOPs between a load and a store (Lo et al. 2014)",
                                      {{.name = "k",
                                        .preset = std::int64_t{8},
                                        .description = "FLOPs an element: 1 (an addition), 2 (an FMA), or a multiple of 4 (pairs of FMAs)",
                                        .max = 512},
                                       {.name = "n", .preset = std::int64_t{4096}, .description = "elements"},
                                       {.name = "repeat", .preset = std::int64_t{1}, .description = "passes over the vector in one sweep"}},
                                      vector_flavors};

}  // namespace
}  // namespace plumbline
