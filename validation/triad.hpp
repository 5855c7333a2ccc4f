// STREAM triad, a = b + s c (McCalpin 1995): what a sweep moves and how its result is checked, on CPUs (triad.cpp) and GPUs (triad.cu).
#pragma once
#include "core/kernel_data.hpp"
#include "validation/triad_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
struct TriadData : ElementwiseData<Triad<Real>, Real, ArrayOf> {
  static Work work(std::uint64_t n, std::initializer_list<std::string_view> kinds) {
    return {.flops = flops<Real>(kinds, n),
            .streams = {stored<Real>("a", n), loaded<Real>("b", n), loaded<Real>("c", n)},
            .paper = {{"paper.flops", 2 * n}, {"paper.bytes", 3 * n * sizeof(Real)}}};  // Yang 2019: 2 flops, 24 bytes, AI 0.083
  }
  TriadData(const Parameters& p, typename ArrayOf<Real>::Memory& memory) : TriadData::ElementwiseData(p.integer("n"), {0, 1, 2}, memory) {
    this->arguments_ = {this->array(0), this->array(1), this->array(2), Real(0.75)};
  }
  long double exact(std::size_t i) const final { return given<Real>(1, i) + 0.75L * given<Real>(2, i); }
  double tolerance() const final { return rounding_bound<Real>(2); }  // a product and a sum, or one fma
};

inline KernelFacts triad_facts() {
  const ProofSizes proof{.edges = sizes("n", {1000, 4097}), .caches = sizes("n", {50, 1000, 3000, 10000, 40000, 120000})};
  return {"validation/triad", "STREAM triad a = b + s c (McCalpin 1995)", {elements_of_each_array()}, proof};
}

}  // namespace plumbline
