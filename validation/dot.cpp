// Dot product: a reduction, in the order as written. Each block of 1024 elements leaves its partial sum; nobody adds those up.
#include "validation/dot.hpp"

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "dot.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class DotCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), blocks = (n + dot_block - 1) / dot_block, real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    const std::uint64_t block = 2 * dot_block * real;
    Work work{
        .flops = {{flops + ".add", n}, {flops + ".mul", n}},  // 0 + a b + a b + ...
        .streams = {
            {.array = "a", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
            {.array = "b", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
            {.array = "partial",
             .footprint_bytes = blocks * real,
             .written = true,
             .stores = blocks,
             .element_bytes = real,
             .layers = {{.reuse_bytes = block, .fetched_bytes = blocks * 64}}}}};  // where a block overflows a cache, so does its line
    work.add_outer_loop(blocks, block);
    return work;
  }

  DotCase(const Parameters& p, std::pmr::memory_resource& memory)
      : a_(p.integer("n"), memory),
        b_(a_.size(), memory),
        partial_((a_.size() + dot_block - 1) / dot_block, memory),
        arguments_{a_.data(), b_.data(), partial_.data(), a_.size()} {}

  std::size_t extent() const override { return partial_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin * dot_block; i < last_of(end); ++i) {
      a_[i] = Real(varied(1, i));
      b_[i] = Real(varied(2, i));
    }
    for (std::size_t block = begin; block < end; ++block) partial_[block] = Real(0.5);
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override {
    LargestError largest;
    for (std::size_t block = 0; block < partial_.size(); ++block) {
      long double exact = 0;
      for (std::size_t i = block * dot_block; i < last_of(block + 1); ++i)
        exact += static_cast<long double>(a_[i]) * static_cast<long double>(b_[i]);
      largest.compare(partial_[block], exact);
    }
    return largest.value();
  }
  // All terms are positive; the first passes one product and the sums of its block.
  double tolerance() const override { return rounding_bound<Real>(1 + static_cast<double>(std::min(dot_block, a_.size()))); }

 private:
  std::size_t last_of(std::size_t end_block) const { return std::min(end_block * dot_block, a_.size()); }

  Array<Real> a_, b_, partial_;
  Dot<Real> arguments_;
};

const Register<DotCase> registered{
    "validation/dot",
    "Dot product a . b with a partial sum for each 1024 elements",
    {{.name = "n", .preset = std::int64_t{1} << 20, .description = "elements of each array", .max = std::int64_t{1} << 40}},
    dot_flavors};

}  // namespace
}  // namespace plumbline
