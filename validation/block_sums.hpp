// Reductions in the order as written: each block of 1024 elements leaves its partial sum, and nobody adds those up. What they move, their
// arrays and the check, on CPUs and GPUs.
#pragma once
#include "core/kernel_data.hpp"
#include "validation/sum_block.hpp"

namespace plumbline {

/// Loop: an aggregate of the operands, `partial` (a sum for each block) and `n`, whose every term is positive.
template <class Loop, class Real, template <class> class ArrayOf>
class BlockSumData : public KernelData<Loop> {
 public:
  using Memory = typename ArrayOf<Real>::Memory;

  static std::uint64_t blocks_of(std::uint64_t n) { return (n + sum_block - 1) / sum_block; }

  /// The operands, each loaded once, and last the partial sums; without FLOPs.
  static Work traffic(std::uint64_t n, std::initializer_list<const char*> operands) {
    Work work;
    for (const char* operand : operands) work.streams.push_back(loaded<Real>(operand, n));
    work.streams.push_back(stored<Real>("partial", blocks_of(n)));
    return work;
  }
  /// The work as the two loops of a CPU move it: where a block overflows a cache, so does the line of its partial sum.
  static Work looped(std::uint64_t n, std::initializer_list<const char*> operands) {
    const std::uint64_t blocks = blocks_of(n), block = operands.size() * sum_block * sizeof(Real);
    Work work = traffic(n, operands);
    work.streams.back().layers = {{.reuse_bytes = block, .fetched_bytes = blocks * 64}};
    work.add_outer_loop(blocks, block);
    return work;
  }

  std::size_t extent() const final { return arrays_.back().size(); }
  void initialise(std::size_t begin, std::size_t end) final {
    for (std::size_t k = 0; k + 1 < arrays_.size(); ++k)
      arrays_[k].fill(begin * sum_block, end_of(end), [k](std::size_t i) { return Real(varied(k + 1, i)); });
    arrays_.back().fill(begin, end, [](std::size_t) { return Real(0.5); });
  }
  double error() const final {
    LargestError largest;
    arrays_.back().read(0, extent(), [&](std::size_t block, const Real& computed) {
      long double exact = 0;
      for (std::size_t i = block * sum_block; i < end_of(block + 1); ++i) exact += term(i);
      largest.compare(computed, exact);
    });
    return largest.value();
  }

 protected:
  /// Arrays of n elements, of streams 1, 2, ..., and the partial sums.
  BlockSumData(std::uint64_t n, std::size_t operands, Memory& memory) {
    for (std::size_t k = 0; k < operands; ++k) arrays_.emplace_back(n, memory);
    arrays_.emplace_back(blocks_of(n), memory);
  }
  Real* operand(std::size_t number) { return arrays_[number].data(); }
  Real* partial() { return arrays_.back().data(); }
  std::size_t size() const { return arrays_.front().size(); }
  /// The most sums that a term passes.
  double sums() const { return static_cast<double>(std::min(sum_block, size())); }

 private:
  /// The term that element i adds to the sum of its block.
  virtual long double term(std::size_t i) const = 0;
  std::size_t end_of(std::size_t end_block) const { return std::min(end_block * sum_block, size()); }

  std::deque<ArrayOf<Real>> arrays_;
};

/// Edges of the blocks, and sizes around the caches.
inline ProofSizes block_sum_proof() {
  return {.edges = sizes("n", {1023, 1024, 1025, 5000}), .caches = sizes("n", {50, 1000, 5000, 20000, 120000})};
}

}  // namespace plumbline
