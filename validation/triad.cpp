// The STREAM triad, a = b + s c (McCalpin 1995), is the simplest bandwidth kernel whose FLOPs and bytes are known exactly.
#include "validation/triad.hpp"

#include "triad.flavors.hpp"
#include "validation/triad_data.hpp"

namespace plumbline {
namespace {

template <class Real>
class TriadCase final : public TriadData<Real, Array> {
 public:
  using TriadData<Real, Array>::TriadData;
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n");
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work = TriadCase::traffic(p);
    work.flops = {{flops + ".add", n}, {flops + ".mul", n}};  // b + (s c)
    return work;
  }
  void sweep_all() { sweep(this->arguments_, 0, this->extent()); }
};

const Register<TriadCase> registered{"validation/triad", "STREAM triad a = b + s c (McCalpin 1995)", triad_parameters(), triad_flavors};

}  // namespace
}  // namespace plumbline
