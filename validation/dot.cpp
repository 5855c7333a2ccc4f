// Dot product on CPUs, in the order as written.
#include "validation/dot.hpp"

#include "dot.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct DotCase final : DotData<Real, Array> {
  using DotData<Real, Array>::DotData;
  static Work model(const Parameters& p, std::string_view) {
    Work work = DotCase::looped(p.integer("n"), {"a", "b"});
    work.flops = flops<Real>({"add", "mul"}, p.integer("n"));  // 0 + a b + a b + ...
    return work;
  }
};
const Register<DotCase> registered{dot_facts(), dot_flavors};

}  // namespace
}  // namespace plumbline
