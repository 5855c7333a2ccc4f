// The kinds of fault here are crossed from three axes.
#include "adversary_kinds.hpp"

namespace plumbline::test {
namespace {

using Cases = std::vector<TrueCase>;

struct How {
  const char* name;
  double factor;
};

struct What {
  const char* name;
  Claim claim;
  std::vector<How> hows;
};

const std::vector<What>& whats() {
  static const std::vector<What> all{
      {"FLOPs", {"flops.fp64"}, {{"x2", 2}, {"x0.5", 0.5}, {"x1.1", 1.1}, {"no", 0}}},
      {"refills", {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}, {{"x2", 2}, {"x0.5", 0.5}, {"x1.3", 1.3}, {"no", 0}}}};
  return all;
}

struct Where {
  const char* name;
  std::function<Place(const Cases&, const Claim&, Random&)> draw;
  const char* grades = "C";
};

const std::vector<Where>& wheres() {
  static const std::vector<Where> all{{"at O0", [](const Cases&, const Claim&, Random&) { return at_level("O0"); }},
                                      {"by clang", [](const Cases&, const Claim&, Random&) { return of_compiler("clang"); }},
                                      {"by v2", [](const Cases&, const Claim&, Random&) { return of_isa("v2"); }},
                                      {"in one kernel", of_some_kernel},
                                      {"beyond L2", [](const Cases&, const Claim&, Random&) { return beyond_L2(); }},
                                      {"with two threads", [](const Cases&, const Claim&, Random&) { return with_threads(); }},
                                      {"with two ranks", [](const Cases&, const Claim&, Random&) { return with_ranks(); }},
                                      {"in one case in 64", single_cases, "BC"}};
  return all;
}

AttackKind in_some_cases(const What& what, const How& how, const Where& where) {
  return {std::string(how.name) + " " + what.name + " " + where.name, false, [what, how, where](const Cases& cases, Random& random) {
            const Place place = where.draw(cases, what.claim, random);
            Attack attack =
                attack_on(what.claim, random, [holds = place.holds, factor = how.factor](double amount, const TrueCase& one, Random&) {
                  return holds(one) ? factor * amount : amount;
                });
            attack.wanted = {where.grades, place.says};
            return attack;
          }};
}

/// The fault in some of ten repetitions of each case, so that there are some to see.
AttackKind in_some_repetitions(const What& what, const How& how) {
  return {std::string(how.name) + " " + what.name + " in one repetition in 100", false, [what, how](const Cases&, Random& random) {
            Attack attack = attack_on(what.claim, random, [factor = how.factor](double amount, const TrueCase&, Random& r) {
              return r.with_probability(0.01) ? factor * amount : amount;
            });
            attack.made.times = 10;
            attack.wanted = {"BCD", {"repetition", "lose", "repeat"}, true};
            return attack;
          }};
}

}  // namespace

std::vector<AttackKind> crossed_kinds() {
  std::vector<AttackKind> kinds;
  for (const What& what : whats())
    for (const How& how : what.hows) {
      for (const Where& where : wheres()) kinds.push_back(in_some_cases(what, how, where));
      if (how.factor == 0.5 || how.factor == 2) kinds.push_back(in_some_repetitions(what, how));
    }
  return kinds;
}

}  // namespace plumbline::test
