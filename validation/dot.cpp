// The dot product is a reduction, in the order as written. Each block of 1024 elements leaves its partial sum; nobody adds those up.
#include "validation/dot.hpp"

#include "dot.flavors.hpp"
#include "validation/dot_data.hpp"

namespace plumbline {
namespace {

template <class Real>
class DotCase final : public DotData<Real, Array> {
 public:
  using DotData<Real, Array>::DotData;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), blocks = DotCase::blocks_of(n), block = 2 * dot_block * sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    // The line of a partial sum overflows a cache where its block does.
    Work work = DotCase::traffic(p, {{.reuse_bytes = block, .fetched_bytes = blocks * 64}});
    work.flops = {{flops + ".add", n}, {flops + ".mul", n}};  // 0 + a b + a b + ...
    work.add_outer_loop(blocks, block);
    return work;
  }
  void sweep_all() { sweep(this->arguments_, 0, this->extent()); }
};

const Register<DotCase> registered{"validation/dot", "Dot product a . b with a partial sum for each 1024 elements", dot_parameters(),
                                   dot_flavors};

}  // namespace
}  // namespace plumbline
