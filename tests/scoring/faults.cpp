// The fault kinds of the brief that the scorer is held to. Detection limits: where the curves in tests/golden/scoring_limits.json have
// reached every counter of every seed.
#include "faults.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace plumbline::test {
namespace {

using Cases = std::vector<TrueCase>;

void times(MadeCounter& made, double factor) {
  const Claim claim = made.counter.quantities;
  made.count = [claim, factor](const TrueCase& one, Random&) { return factor * one.of(claim); };
}

/// The part that SIMD arithmetic alone would count: nothing without optimization, nothing in a reduction, and of the rest all but
/// remainders.
double packed_part(const TrueCase& one) {
  if (one.level() == "O0" || one.row.kernel == "validation/dot") return 0;
  return one.compiler() == "clang14" ? 1 : 0.995;
}

void misses_prefetched(MadeCounter& made, double most, Random& random) {
  auto covered = std::make_shared<std::map<std::string, double>>();
  for (const char* kernel : {"series", "stencil5", "stencil7", "stencil7c", "triad", "dot"})
    (*covered)["validation/" + std::string(kernel)] = most * random.between(0.3, 1);
  const Claim claim = made.counter.quantities;
  made.count = [claim, covered](const TrueCase& one, Random& r) {
    return one.of(claim) * (1 - covered->at(one.row.kernel) * r.between(0.95, 1));
  };
}

std::vector<Fault> build_known() {
  std::vector<Fault> all;
  const auto add_factor = [&](const char* name, double factor, const Claim& claim) {
    all.push_back({name, "", claim, {FindingKind::factor}, 0, 0, {}, [factor](MadeCounter& made, double, const Cases&, Random&) {
                     times(made, factor);
                   }});
  };
  add_factor("doubled FLOPs", 2, fp64);
  add_factor("halved FLOPs", 0.5, fp64);
  add_factor("doubled bytes", 2, refills);
  add_factor("halved bytes", 0.5, refills);
  all.push_back({"factor on FLOPs",
                 "distance of the factor from 1",
                 fp64,
                 {FindingKind::factor},
                 0.015,
                 1,
                 {0.002, 0.005, 0.01, 0.015, 0.02, 0.05},
                 [](MadeCounter& made, double g, const Cases&, Random& r) { times(made, r.with_probability(0.5) ? 1 + g : 1 / (1 + g)); }});
  all.push_back({"factor on bytes",
                 "distance of the factor from 1",
                 refills,
                 {FindingKind::factor},
                 0.08,
                 1,
                 {0.01, 0.02, 0.05, 0.08, 0.12, 0.2},
                 [](MadeCounter& made, double g, const Cases&, Random& r) { times(made, r.with_probability(0.5) ? 1 + g : 1 / (1 + g)); }});
  all.push_back({"packed only", "", fp64, {FindingKind::nothing}, 0, 0, {}, [](MadeCounter& made, double, const Cases&, Random&) {
                   made.count = [claim = made.counter.quantities](const TrueCase& one, Random&) {
                     return packed_part(one) * one.of(claim);
                   };
                 }});
  all.push_back(
      {"one precision", "", both_precisions, {FindingKind::nothing}, 0, 0, {}, [](MadeCounter& made, double, const Cases&, Random& r) {
         const Claim seen{r.with_probability(0.5) ? "flops.fp64" : "flops.fp32"};
         made.count = [seen](const TrueCase& one, Random&) { return one.of(seen); };
       }});
  all.push_back({"loads only",
                 "part of the stores that is missed",
                 references,
                 {FindingKind::unseen_flow, FindingKind::depends_on},
                 0.2,
                 1,
                 {0.05, 0.1, 0.2, 0.4, 0.6, 1},
                 [](MadeCounter& made, double missed, const Cases&, Random&) {
                   made.count = [missed](const TrueCase& one, Random&) {
                     return one.of({"bytes.reg-L1.load"}) + (1 - missed) * one.of({"bytes.reg-L1.store"});
                   };
                 }});
  all.push_back({"no reads for ownership",
                 "part of them that is missed",
                 refills,
                 {FindingKind::unseen_flow, FindingKind::depends_on},
                 0.2,
                 1,
                 {0.05, 0.1, 0.2, 0.4, 0.6, 1},
                 [](MadeCounter& made, double missed, const Cases&, Random&) {
                   made.count = [missed](const TrueCase& one, Random&) {
                     return one.of({"bytes.L1-L2.demand_read"}) + (1 - missed) * one.of({"bytes.L1-L2.rfo"});
                   };
                 }});
  all.push_back({"demand only",
                 "largest part of a kernel's lines that prefetchers bring",
                 reads,
                 {FindingKind::depends_on, FindingKind::factor, FindingKind::regimes},
                 0.4,
                 0.95,
                 {0.02, 0.05, 0.1, 0.2, 0.4, 0.9},
                 [](MadeCounter& made, double most, const Cases&, Random& r) { misses_prefetched(made, most, r); }});
  for (const auto& [name, claim] : {std::pair{"offset on FLOPs", fp64}, {"offset on bytes", refills}})
    all.push_back({name,
                   "offset over the median amount",
                   claim,
                   {FindingKind::offset, FindingKind::zero_test},
                   claim == fp64 ? 0.001 : 0.01,
                   3,
                   {0.001, 0.003, 0.01, 0.03, 0.1, 0.3},
                   [](MadeCounter& made, double part, const Cases& cases, Random&) {
                     const double offset = part * typical_amount(cases, made.counter.quantities);
                     made.count = [claim = made.counter.quantities, offset](const TrueCase& one, Random&) {
                       return one.of(claim) + offset;
                     };
                   }});
  all.push_back({"saturating",
                 "largest amount over the count that is not exceeded",
                 refills,
                 {FindingKind::saturates},
                 4,
                 50,
                 {1.05, 1.2, 1.5, 2, 4, 10},
                 [](MadeCounter& made, double over, const Cases& cases, Random&) {
                   double most = 0;
                   for (const auto& one : cases) most = std::max(most, one.of(made.counter.quantities));
                   made.count = [claim = made.counter.quantities, cap = most / over](const TrueCase& one, Random&) {
                     return std::min(one.of(claim), cap);
                   };
                 }});
  for (const auto& [name, claim] : {std::pair{"occasional loss of FLOPs", fp64}, {"occasional loss of bytes", refills}})
    all.push_back({name,
                   "share of repetitions",
                   claim,
                   {FindingKind::lost, FindingKind::repeatability},
                   0.01,
                   0.3,
                   {0.002, 0.005, 0.01, 0.02, 0.05, 0.2},
                   [](MadeCounter& made, double share, const Cases&, Random&) {
                     made.count = [claim = made.counter.quantities, share](const TrueCase& one, Random& r) {
                       const double kept = r.with_probability(share) ? r.between(0, 0.7) : 1;
                       return kept * one.of(claim);
                     };
                   }});
  all.push_back({"multiplex-scaled",
                 "standard deviation of the scaling",
                 refills,
                 {FindingKind::repeatability, FindingKind::repetitions},
                 0.06,
                 0.3,
                 {0.005, 0.01, 0.02, 0.04, 0.06, 0.1},
                 [](MadeCounter& made, double deviation, const Cases&, Random&) {
                   made.count = [claim = made.counter.quantities, deviation](const TrueCase& one, Random& r) {
                     return one.of(claim) *
                            std::max(0.0, std::round(100 * (1 + deviation * r.normal())) / 100);  // whole percent, as PAPI scales
                   };
                 }});
  all.push_back({"masked", "", refills, {FindingKind::always_nothing}, 0, 0, {}, [](MadeCounter& made, double, const Cases&, Random&) {
                   made.noise_free = true;
                   made.count = [](const TrueCase&, Random&) { return 0.0; };
                 }});
  all.push_back({"leaking from another thread",
                 "its counts over the median amount",
                 refills,
                 {FindingKind::zero_test, FindingKind::repeatability},
                 0.03,
                 3,
                 {0.001, 0.003, 0.01, 0.03, 0.1, 0.3},
                 [](MadeCounter& made, double part, const Cases& cases, Random&) {
                   const double most = part * typical_amount(cases, made.counter.quantities);
                   made.count = [claim = made.counter.quantities, most](const TrueCase& one, Random& r) {
                     return one.of(claim) + most * r.uniform();
                   };
                 }});
  all.push_back({"wrong when grouped",
                 "distance of the factor from 1",
                 fp64,
                 {FindingKind::grouping},
                 0.006,
                 1,
                 {0.001, 0.003, 0.006, 0.01, 0.1},
                 [](MadeCounter& made, double g, const Cases&, Random&) {
                   times(made, 1);
                   made.joint = [claim = made.counter.quantities, g](const TrueCase& one, Random&) { return one.of(claim) / (1 + g); };
                 }});
  return all;
}

}  // namespace

const std::vector<Fault>& known_faults() {
  static const std::vector<Fault> all = build_known();
  return all;
}

const std::vector<Claim>& right_claims() {
  static const std::vector<Claim> claims{
      fp64,  {"flops.fp32"},  both_precisions, references, {"bytes.reg-L1.load"}, refills, {"bytes.L1-L2"}, {"bytes.L1-L2.write_back"},
      reads, {"bytes.L2-L3"}, {"bytes.L3-mem"}};
  return claims;
}

MadeCounter right_counter(const std::string& name, const Claim& claim, Random& random) {
  MadeCounter made{.counter = claiming(name, claim), .kind = "right"};
  made.noise = noise_of(made.counter.kind, random);
  times(made, 1);
  if (random.with_probability(0.5)) made.joint = made.count;
  return made;
}

MadeCounter faulty_counter(const std::string& name, const Fault& fault, double magnitude, const Cases& cases, Random& random) {
  MadeCounter made{.counter = claiming(name, fault.claim), .kind = fault.name, .fault = &fault, .magnitude = magnitude};
  made.noise = noise_of(made.counter.kind, random);
  fault.make(made, magnitude, cases, random);
  return made;
}

double typical_amount(const Cases& cases, const Claim& claim) {
  std::vector<double> amounts;
  for (const auto& one : cases)
    if (const double amount = one.of(claim); amount > 16384) amounts.push_back(amount);
  std::nth_element(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(amounts.size() / 2), amounts.end());
  return amounts[amounts.size() / 2];
}

}  // namespace plumbline::test
