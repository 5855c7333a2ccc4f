// Kinds of fault that were never used for tuning the scorer: written after its limits and its findings were settled, tried once, and
// reported as they came out (tests/golden/scoring_unseen.json). Whoever changes the scorer because of what stands there must move the
// kind to faults.cpp and think of another one for here.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "faults.hpp"

namespace plumbline::test {
namespace {

using Cases = std::vector<TrueCase>;

std::vector<Fault> build_unseen() {
  std::vector<Fault> all;
  all.push_back({"wraps",
                 "largest amount over the count at which it begins anew",
                 refills,
                 {FindingKind::depends_on, FindingKind::regimes, FindingKind::saturates, FindingKind::repeatability},
                 2,
                 50,
                 {},
                 [](MadeCounter& made, double over, const Cases& cases, Random&) {
                   double most = 0;
                   for (const auto& one : cases) most = std::max(most, one.of(made.counter.quantities));
                   made.count = [claim = made.counter.quantities, range = most / over](const TrueCase& one, Random&) {
                     return std::fmod(one.of(claim), range);
                   };
                 }});
  all.push_back({"fused counted once",
                 "part of the multiplications that are fused when optimized",
                 fp64,
                 {FindingKind::depends_on, FindingKind::factor},
                 0.3,
                 1,
                 {},
                 [](MadeCounter& made, double fused, const Cases&, Random&) {
                   made.count = [fused](const TrueCase& one, Random&) {
                     const double lost = one.level() == "O0" ? 0 : fused * one.of({"flops.fp64.mul"});
                     return one.of({"flops.fp64"}) - lost;
                   };
                 }});
  all.push_back({"speculative",
                 "largest part that a kernel's wrong paths add",
                 fp64,
                 {FindingKind::depends_on, FindingKind::factor},
                 0.1,
                 1,
                 {},
                 [](MadeCounter& made, double most, const Cases&, Random& random) {
                   auto part = std::make_shared<std::map<std::string, double>>();
                   for (const char* kernel : {"series", "stencil5", "stencil7", "stencil7c", "triad", "dot"})
                     (*part)["validation/" + std::string(kernel)] = most * random.uniform();
                   made.count = [part](const TrueCase& one, Random&) { return one.of({"flops.fp64"}) * (1 + part->at(one.row.kernel)); };
                 }});
  all.push_back({"the case before",
                 "",
                 refills,
                 {FindingKind::depends_on, FindingKind::repeatability},
                 0,
                 0,
                 {},
                 [](MadeCounter& made, double, const Cases&, Random&) {
                   auto before = std::make_shared<double>(0);
                   made.count = [claim = made.counter.quantities, before](const TrueCase& one, Random&) {
                     return std::exchange(*before, one.of(claim));  // the register is read before it is latched
                   };
                 }});
  all.push_back({"samples",
                 "counts a sample over the median amount",
                 refills,
                 {FindingKind::depends_on, FindingKind::repeatability, FindingKind::offset, FindingKind::zero_test},
                 0.3,
                 10,
                 {},
                 [](MadeCounter& made, double step, const Cases& cases, Random&) {
                   const double size = step * typical_amount(cases, made.counter.quantities);
                   made.count = [claim = made.counter.quantities, size](const TrueCase& one, Random& r) {
                     return size * std::floor(one.of(claim) / size + r.uniform());
                   };
                 }});
  all.push_back({"one core of a socket-wide pair",
                 "",
                 memory,
                 {FindingKind::depends_on, FindingKind::factor},
                 0,
                 0,
                 {},
                 [](MadeCounter& made, double, const Cases&, Random&) {  // two ranks both read the same counter of both
                   made.count = [claim = made.counter.quantities](const TrueCase& one, Random&) {
                     return static_cast<double>(one.row.ranks) * one.of(claim);
                   };
                 }});
  all.push_back({"another boundary",
                 "",
                 refills,
                 {FindingKind::other_boundary, FindingKind::depends_on, FindingKind::zero_test},
                 0,
                 0,
                 {},
                 [](MadeCounter& made, double, const Cases&, Random&) {
                   made.count = [](const TrueCase& one, Random&) { return one.of({"bytes.L2-L3.demand_read", "bytes.L2-L3.rfo"}); };
                 }});
  all.push_back({"sees write-backs too",
                 "weight",
                 refills,
                 {FindingKind::unclaimed_flow, FindingKind::factor, FindingKind::depends_on},
                 0.2,
                 1,
                 {},
                 [](MadeCounter& made, double weight, const Cases&, Random&) {
                   made.count = [weight](const TrueCase& one, Random&) {
                     return one.of({"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}) + weight * one.of({"bytes.L1-L2.write_back"});
                   };
                 }});
  return all;
}

}  // namespace

const std::vector<Fault>& unseen_faults() {
  static const std::vector<Fault> all = build_unseen();
  return all;
}

}  // namespace plumbline::test
