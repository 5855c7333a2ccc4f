// Dot product: a reduction with two operands. What it has on CPUs (dot.cpp) and GPUs (dot.cu) alike.
#pragma once
#include "validation/block_sums.hpp"
#include "validation/dot_loop.hpp"

namespace plumbline {

template <class Real, template <class> class ArrayOf>
struct DotData : BlockSumData<Dot<Real>, Real, ArrayOf> {
  DotData(const Parameters& p, typename ArrayOf<Real>::Memory& memory) : DotData::BlockSumData(p.integer("n"), 2, memory) {
    this->arguments_ = {this->operand(0), this->operand(1), this->partial(), this->size()};
  }
  long double term(std::size_t i) const final { return given<Real>(1, i) * given<Real>(2, i); }
  double tolerance() const final { return rounding_bound<Real>(1 + this->sums()); }  // a product first
};

inline KernelFacts dot_facts() {
  ParameterSpec n = elements_of_each_array();
  n.max = std::int64_t{1} << 40;
  return {"validation/dot", "Dot product a . b with a partial sum for each 1024 elements", {n}, block_sum_proof()};
}

}  // namespace plumbline
