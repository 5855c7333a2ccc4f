// STREAM triad: the simplest bandwidth kernel whose FLOPs and bytes are known exactly.
#include "validation/triad.hpp"

#include "triad.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
struct TriadCase final : TriadData<Real, Array> {
  using TriadData<Real, Array>::TriadData;
  static Work model(const Parameters& p, std::string_view) { return TriadCase::work(p.integer("n"), {"add", "mul"}); }  // b + (s c)
};
const Register<TriadCase> registered{triad_facts(), triad_flavors};

}  // namespace
}  // namespace plumbline
