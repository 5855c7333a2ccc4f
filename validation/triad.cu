// The triad of triad.cpp on GPUs has one thread an element, and one FMA.
#include "core/array.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/triad_data.hpp"

namespace plumbline {
namespace {

template <class Real>
struct TriadBody {
  PLUMBLINE_BOTH static void element(const Triad<Real>& x, std::size_t i) { x.a[i] = cuda::fused(x.s, x.c[i], x.b[i]); }
};

template <class Real>
class TriadCase final : public TriadData<Real, DeviceArray> {
 public:
  using TriadData<Real, DeviceArray>::TriadData;
  using Arguments = Triad<Real>;

  static Work model(const Parameters& p, std::string_view) {
    Work work = TriadCase::traffic(p);
    work.flops = {{"flops." + std::string(precision_of<Real>()) + ".fma", p.integer("n")}};
    return work;
  }
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) { cuda::launch_elements<TriadBody<Real>>(x, begin, end); }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) { cuda::elements_on_host<TriadBody<Real>>(x, begin, end); }
};

const cuda::Register<TriadCase> registered{"validation/triad", "STREAM triad a = b + s c (McCalpin 1995)", triad_parameters()};

}  // namespace
}  // namespace plumbline
