// The triad of triad.hpp on GPUs: one thread an element, and one FMA.
#include "cuda/register.cuh"
#include "validation/triad.hpp"

namespace plumbline {
namespace {

template <class Real>
struct TriadCase final : TriadData<Real, DeviceArray>, cuda::EachElement<TriadCase<Real>> {
  using TriadData<Real, DeviceArray>::TriadData;
  static Work model(const Parameters& p, std::string_view) { return TriadCase::work(p.integer("n"), {"fma"}); }
  PLUMBLINE_BOTH static void element(const Triad<Real>& x, std::size_t i) { x.a[i] = cuda::fused(x.s, x.c[i], x.b[i]); }
};
const cuda::Register<TriadCase> triad_registered{triad_facts()};

}  // namespace
}  // namespace plumbline
