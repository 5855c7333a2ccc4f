// The dot product of dot.hpp on GPUs: an FMA for each term.
#include "validation/block_sums.cuh"
#include "validation/dot.hpp"

namespace plumbline {
namespace {

template <class Real>
struct DotBody : BlockSums<DotBody<Real>, Dot<Real>, Real> {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static Real add(const Dot<Real>& x, std::size_t i, Real sum) { return cuda::fused(x.a[i], x.b[i], sum); }
};

template <class Real>
struct DotCase final : DotData<Real, DeviceArray>, DotBody<Real> {
  using DotData<Real, DeviceArray>::DotData;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n");
    Work work = DotCase::traffic(n, {"a", "b"});
    work.flops = flops<Real>({"fma"}, n);
    DotCase::add_passed_sums(work, DotCase::blocks_of(n));
    return work;
  }
};
const cuda::Register<DotCase> dot_registered{dot_facts()};

}  // namespace
}  // namespace plumbline
