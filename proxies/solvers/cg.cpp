// Conjugate gradients of cg.hpp on CPUs, whose threads divide lines.
#include "proxies/solvers/cg.hpp"

#include "cg.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct CgCase final : CgData<Real, Array> {
  CgCase(const Parameters& p, std::pmr::memory_resource& memory) : CgData<Real, Array>(p, memory, CgSpace{}) {}
  static ApplicationWork application(const Parameters& p, std::string_view) {
    return CgCase::phases(p, [](CgPart part, const CgGrid& grid) { return cg_work<Real>(part, grid, CgSpace{}); });
  }
};

const Register<CgCase> registered{cg_facts(), cg_flavors};

}  // namespace
}  // namespace plumbline
