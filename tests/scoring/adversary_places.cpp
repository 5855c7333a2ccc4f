// Faults have places, and counters are made of them.
#include <algorithm>
#include <set>

#include "adversary_kinds.hpp"

namespace plumbline::test {
namespace {

/// The amount that is surely told from what surrounds a sweep.
constexpr double something = 1 << 17;

double least_of(const Claim& claim) { return claim.front().starts_with("flops.") ? 1000 : something; }

std::string short_name(const std::string& kernel) { return kernel.substr(kernel.find('/') + 1); }

}  // namespace

Place at_level(const std::string& level) {
  return {level, {"level"}, [level](const TrueCase& one) { return one.level() == level; }};
}

Place of_compiler(const std::string& compiler) {
  return {compiler, {"compiler"}, [compiler](const TrueCase& one) { return one.compiler().starts_with(compiler); }};
}

Place of_isa(const std::string& isa) {
  return {isa, {"isa"}, [isa](const TrueCase& one) { return one.row.flavor.ends_with("-" + isa); }};
}

Place of_precision(const std::string& precision) {
  return {precision, {"precision", "fp32"}, [precision](const TrueCase& one) { return one.row.precision == precision; }};
}

Place of_kernel(const std::string& kernel) {
  return {kernel, {kernel}, [kernel](const TrueCase& one) { return short_name(one.row.kernel) == kernel; }};
}

Place of_some_kernel(const std::vector<TrueCase>& cases, const Claim& claim, Random& random) {
  std::multiset<std::string> kernels;
  for (const auto& one : cases)
    if (one.of(claim) > least_of(claim)) kernels.insert(short_name(one.row.kernel));
  std::vector<std::string> names;
  for (const auto& name : std::set(kernels.begin(), kernels.end()))
    if (kernels.count(name) >= 2) names.push_back(name);
  return of_kernel(names[random.next() % names.size()]);
}

Place with_threads() {
  return {"two threads", {"team", "r1t2", "thread"}, [](const TrueCase& one) { return one.row.threads > 1; }};
}

Place with_ranks() {
  return {"two ranks", {"team", "r2t1", "rank"}, [](const TrueCase& one) { return one.row.ranks > 1; }};
}

Place beyond_L2() {
  return {"data beyond L2", {"regime", "size", "n=", "L2", "L3", "mem"}, [](const TrueCase& one) {
            return one.of({"bytes.L2-L3.demand_read"}) > something;
          }};
}

Place single_cases(const std::vector<TrueCase>& cases, const Claim& claim, Random& random) {
  std::vector<std::string> eligible;
  for (const auto& one : cases)
    if (one.of(claim) > least_of(claim)) eligible.push_back(one.row.id);
  Place place{"one case in 64", {}, {}};
  for (std::size_t i = 0; i < std::max<std::size_t>(1, cases.size() / 64); ++i)
    place.says.push_back(eligible[random.next() % eligible.size()]);
  place.holds = [ids = place.says](const TrueCase& one) { return std::find(ids.begin(), ids.end(), one.row.id) != ids.end(); };
  return place;
}

Attack attack_on(const Claim& claim, Random& random, std::function<double(double, const TrueCase&, Random&)> change) {
  Attack attack;
  attack.made.counter = claiming("", claim);
  attack.made.noise = noise_of(attack.made.counter.kind, random);
  attack.made.times = 3;
  attack.made.count = [claim, change = std::move(change)](const TrueCase& one, Random& r) { return change(one.of(claim), one, r); };
  return attack;
}

const std::vector<AttackKind>& attack_kinds() {
  static const std::vector<AttackKind> all = [] {
    std::vector<AttackKind> kinds = named_kinds();
    for (auto& kind : crossed_kinds()) kinds.push_back(std::move(kind));
    return kinds;
  }();
  return all;
}

}  // namespace plumbline::test
