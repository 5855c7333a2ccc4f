// ERT's parameterized vector (Lo et al. 2014) has the arithmetic intensity k / (2 element bytes), from bandwidth-bound to FLOP-bound. The
// steps are chosen so that values stay varied and between 1/2 and 1 for ever: pairs of reflections that drift a little, forth in one pass
// and back in the next.
#include "ert/vector.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/kernel.hpp"
#include "ert/passed_array.hpp"
#include "vector.flavors.hpp"

namespace plumbline {
namespace {

constexpr double drift = 0x1p-20;

/// The FLOPs an element: 1, 2, or a multiple of 4 (pairs of FMAs).
std::uint64_t flops_an_element(const Parameters& p) {
  const std::uint64_t k = p.integer("k");
  if (k != 1 && k != 2 && k % 4 != 0)
    throw std::invalid_argument("ert/vector: k = " + std::to_string(k) + " is neither 1 nor 2 nor a multiple of 4");
  return k;
}

template <class Real>
class VectorCase final : public PassedArray<ErtVector<Real>, Real> {
 public:
  static Work model(const Parameters& p, std::string_view flavor) {
    const std::uint64_t n = p.integer("n"), repeat = p.integer("repeat"), k = flops_an_element(p);
    Work work = VectorCase::swept(n, repeat, k);
    const std::string isa = split_flavor(flavor).isa;
    if (k == 1) {
      work.flops[flops<Real>("add")] = repeat * n;
    } else if (isa.empty() || isa == "v2") {
      work.flops[flops<Real>("add")] = work.flops[flops<Real>("mul")] = repeat * n * k / 2;
      if (isa == "v2") work.note = "this ISA has no FMA: a multiplication and an addition instead";
    } else {
      work.flops[flops<Real>("fma")] = repeat * n * k / 2;
    }
    return work;
  }

  VectorCase(const Parameters& p, std::pmr::memory_resource& memory) : VectorCase::PassedArray(p.integer("n"), vector_grain, memory) {
    arguments_ = {this->values(), flops_an_element(p), p.integer("repeat"), Real(-1), Real(1.5), Real(1.5 + drift), this->passes()};
  }

 private:
  double expected(double x, std::uint64_t passes) const override {
    if (passes % 2 == 0) return x;
    return arguments_.k <= 2 ? 1.5 - x : x + static_cast<double>(arguments_.k / 4) * drift;
  }

  using KernelData<ErtVector<Real>>::arguments_;
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
