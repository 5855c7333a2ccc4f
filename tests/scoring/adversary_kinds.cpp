// Right counters, the faults of which the judge was once wrong, and others that counters are known for.
#include "adversary_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/fnv.hpp"

namespace plumbline::test {
namespace {

using Cases = std::vector<TrueCase>;
using Kinds = std::vector<AttackKind>;
using Change = std::function<double(double, const TrueCase&, Random&)>;

const Claim fp32{"flops.fp32"}, traffic{"bytes.L1-L2"};

double unchanged(double amount, const TrueCase&, Random&) { return amount; }

const std::vector<std::string> repetition_words{"repeat", "repetition", "scatter", "noise", "lose"};
/// Noise takes nothing away. ("loses counts in 4 of 300 repetitions" has the word repetition, too.)
const std::vector<std::string> noise_words{"repeat", "scatter", "noise"};

void add_right(Kinds& kinds) {
  for (const Claim& claim : right_claims()) {
    const std::string name = claiming("", claim).claim();
    kinds.push_back({"right " + name, true, [claim](const Cases&, Random& random) {
                       Attack attack = attack_on(claim, random, unchanged);
                       if (random.with_probability(0.5)) attack.made.joint = attack.made.count;
                       attack.wanted = {"AB"};
                       return attack;
                     }});
  }
  for (const Claim& claim : {fp64, refills})
    for (const int times : {1, 2, 20}) {
      const std::string name = "right " + claiming("", claim).claim() + ", repetitions: " + std::to_string(times);
      kinds.push_back({name, true, [claim, times](const Cases&, Random& random) {
                         Attack attack = attack_on(claim, random, unchanged);
                         attack.made.times = times;
                         attack.wanted = {"AB"};
                         return attack;
                       }});
    }
}

void add_noisy(Kinds& kinds, const std::string& name, const Claim& claim, double noise, int times, const Wanted& wanted) {
  kinds.push_back({name + ", " + std::to_string(times) + " repetitions", wanted.grades.find('A') != std::string::npos,
                   [claim, noise, times, wanted](const Cases&, Random& random) {
                     Attack attack = attack_on(claim, random, unchanged);
                     attack.made.noise = {.relative = noise, .interrupted = 0};
                     attack.made.times = times;
                     attack.wanted = wanted;
                     return attack;
                   }});
}

/// A counter that makes something else of each amount.
void add(Kinds& kinds, const std::string& name, const Claim& claim, const Wanted& wanted, const Change& change, int times = 3) {
  kinds.push_back({name, false, [claim, wanted, change, times](const Cases&, Random& random) {
                     Attack attack = attack_on(claim, random, change);
                     attack.made.times = times;
                     attack.wanted = wanted;
                     return attack;
                   }});
}

Change times_in(const Place& place, double factor) {
  return [place, factor](double amount, const TrueCase& one, Random&) { return place.holds(one) ? factor * amount : amount; };
}

Change lost(double share) {
  return [share](double amount, const TrueCase&, Random& r) { return r.with_probability(share) ? 0.5 * amount : amount; };
}

/// The rows of the table by which the judge was first tried.
void add_found_by_hand(Kinds& kinds) {
  add_noisy(kinds, "0.5 % noise, FLOPs", fp64, 0.005, 3, {"AB"});
  add_noisy(kinds, "0.8 % noise, FLOPs", fp64, 0.008, 20, {"BC", noise_words, true});
  add_noisy(kinds, "0.8 % noise, FLOPs", fp64, 0.008, 3, {"BC", noise_words, true});
  add_noisy(kinds, "0.8 % noise, FLOPs", fp64, 0.008, 10, {"BC", noise_words, true});
  add_noisy(kinds, "3 % noise, FLOPs", fp64, 0.03, 5, {"BCD", noise_words, true});
  for (const int times : {3, 5}) add_noisy(kinds, "8 % noise, refills", refills, 0.08, times, {"BCD", noise_words, true});
  add_noisy(kinds, "10 % noise, refills", refills, 0.1, 5, {"BCD", noise_words, true});
  for (const char* kernel : {"stencil7c", "series", "gpp"})
    add(kinds, std::string("x2 refills only in ") + kernel, refills, {"C", {kernel}}, times_in(of_kernel(kernel), 2));
  add(kinds, "x2 FLOPs only in gpp", fp64, {"C", {"gpp"}}, times_in(of_kernel("gpp"), 2));
  add(kinds, "divisions unseen", fp64, {"C", {"gpp", "div"}},
      [](double amount, const TrueCase& one, Random&) { return amount - one.of({"flops.fp64.div"}); });
  for (const auto& [what, claim] : {std::pair{"FLOPs", fp64}, {"refills", refills}, {"memory", memory}})
    for (const double cap : {1e6, 1e7})
      add(kinds, std::string(what) + " saturate at " + (cap == 1e6 ? "1e6" : "1e7"), claim,
          {claim == memory ? "D" : "C", {"beyond"}},  // there is more than that in every case from memory
          [cap](double amount, const TrueCase&, Random&) { return std::min(amount, cap); });
  for (const int times : {3, 10}) {
    const std::string of = ", " + std::to_string(times) + " repetitions";
    add(kinds, "half lost in 1 % of repetitions, FLOPs" + of, fp64, {"BCD", repetition_words, true}, lost(0.01), times);
    add(kinds, "half lost in 10 % of repetitions, refills" + of, refills, {"BCD", repetition_words, true}, lost(0.1), times);
  }
}

void add_offsets(Kinds& kinds) {
  const std::vector<std::string> words{"subtract", "adds", "offset"};
  const auto add_offset = [&](const std::string& name, const Claim& claim, double offset, bool a_team) {
    add(kinds, name, claim, {"BC", words}, [offset, a_team](double amount, const TrueCase& one, Random&) {
      return amount + (a_team ? offset / static_cast<double>(one.row.ranks) : offset);
    });
  };
  add_offset("+100 FLOPs a rank", fp64, 100, false);
  add_offset("+200 FLOPs a team", fp64, 200, true);
  add_offset("+10000 FLOPs a rank", fp64, 1e4, false);
  add_offset("+10000 FLOPs a team", fp64, 1e4, true);
  add_offset("+1e6 FLOPs a rank", fp64, 1e6, false);
  add_offset("+100 kB refills a rank", refills, 1e5, false);
  add_offset("+1 MB refills a rank", refills, 1e6, false);
  add(kinds, "something more in each case, FLOPs", fp64, {"CD"},
      [](double amount, const TrueCase& one, Random&) { return amount * (1 + 0.5 * Random(fnv1a(one.row.id)).uniform()); });
}

void add_flows(Kinds& kinds) {
  const std::vector<std::string> collinear{"rfo", "write_back"};  // each line that is fetched to be written is written back
  const auto seen = [&](const std::string& name, const Claim& claim, const std::string& flow, double weight,
                        const std::vector<std::string>& words) {
    add(kinds, name, claim, {"D", words},  // where there is none of the flow it is right, and that is no regime
        [flow, weight](double amount, const TrueCase& one, Random&) { return amount + (weight - 1) * one.of({flow}); });
  };
  seen("no rfo in refills", refills, "bytes.L1-L2.rfo", 0, collinear);
  seen("half of the rfo in refills", refills, "bytes.L1-L2.rfo", 0.5, collinear);
  seen("rfo doubled in refills", refills, "bytes.L1-L2.rfo", 2, collinear);
  seen("no write-backs in L1-L2", traffic, "bytes.L1-L2.write_back", 0, collinear);
  seen("no reads in L1-L2", traffic, "bytes.L1-L2.demand_read", 0, {"demand_read"});
  seen("write-backs in refills", refills, "bytes.L1-L2.write_back", 2, collinear);
  seen("stores twice in references", references, "bytes.reg-L1.store", 2, {"store"});
  seen("no stores in references", references, "bytes.reg-L1.store", 0, {"store"});
  add(kinds, "L2-L3 for refills", refills, {"D", {"L2-L3"}}, [](double, const TrueCase& one, Random&) {
    return one.of({"bytes.L2-L3.demand_read", "bytes.L2-L3.rfo"});
  });
}

void add_instructions(Kinds& kinds) {
  add(kinds, "an FMA counts one", fp64, {"CD", {"level", "isa", "compiler", "kernel", "fma"}},
      [](double amount, const TrueCase& one, Random&) { return amount - one.of({"flops.fp64.fma"}); });
  add(kinds, "scalar instructions unseen", fp64, {"CD", {"level", "kernel", "form", "nothing"}},
      [](double amount, const TrueCase& one, Random&) { return one.of({"fp_scalar"}) > 0.5 * one.of({"fp_instructions"}) ? 0 : amount; });
  add(kinds, "vectors of 256 bits count as 128", fp64, {"CD", {"isa", "level", "kernel", "compiler"}},
      [](double amount, const TrueCase& one, Random&) {
        return one.of({"fp_256"}) > 0.5 * one.of({"fp_instructions"}) ? amount / 2 : amount;
      });
  add(kinds, "multiplications unseen", fp64, {"CD"},
      [](double amount, const TrueCase& one, Random&) { return amount - one.of({"flops.fp64.mul"}); });
  add(kinds, "fp32 unseen", both_precisions, {"C", {"precision", "fp32", "fp64"}},
      [](double, const TrueCase& one, Random&) { return one.of(fp64); });
  add(kinds, "x2 in fp32", both_precisions, {"C", {"precision", "fp32", "fp64"}}, times_in(of_precision("fp32"), 2));
}

void add_everywhere(Kinds& kinds) {
  for (const double factor : {2.0, 0.5, 1.1, 0.95})
    add(kinds, "x" + std::to_string(factor).substr(0, 4) + " FLOPs", fp64, {"B", {"multiply"}},
        [factor](double amount, const TrueCase&, Random&) { return factor * amount; });
  for (const double factor : {2.0, 0.5, 1.3})
    add(kinds, "x" + std::to_string(factor).substr(0, 4) + " refills", refills, {"B", {"multiply"}},
        [factor](double amount, const TrueCase&, Random&) { return factor * amount; });
  add(kinds, "x2 FLOPs beside other events", fp64, {"C", {"beside", "group"}}, unchanged);
  kinds.back().make = [](const Cases&, Random& random) {
    Attack attack = attack_on(fp64, random, unchanged);
    attack.made.joint = [](const TrueCase& one, Random&) { return 2 * one.of(fp64); };
    attack.wanted = {"C", {"beside", "group"}, true};
    return attack;
  };
  add(kinds, "a factor of its own in each kernel, reads", reads, {"CD", {"kernel", "moved"}},
      [](double amount, const TrueCase& one, Random&) { return amount * Random(fnv1a(one.row.kernel)).between(0.3, 1); });
  add(kinds, "nothing", refills, {"D", {"nothing"}}, [](double, const TrueCase&, Random&) { return 0.0; });
}

/// Adds the faults of the made-up campaign that are none of the above, as strong as they are there at most.
void add_known(Kinds& kinds, const std::string& name, const Wanted& wanted) {
  const std::vector<Fault>& faults = known_faults();  // the unseen ones must stay so
  const auto found = std::find_if(faults.begin(), faults.end(), [&](const Fault& one) { return one.name == name; });
  if (found == faults.end()) throw std::logic_error("no fault is called " + name);
  kinds.push_back({name, false, [fault = &*found, wanted](const Cases& cases, Random& random) {
                     const double magnitude =
                         fault->limit > 0 ? random.log_between(std::sqrt(fault->limit * fault->largest), fault->largest) : 0;
                     return Attack{faulty_counter("", *fault, magnitude, cases, random), wanted};
                   }});
}

}  // namespace

std::vector<AttackKind> named_kinds() {
  Kinds kinds;
  add_right(kinds);
  add_found_by_hand(kinds);
  add_offsets(kinds);
  add_flows(kinds);
  add_instructions(kinds);
  add_everywhere(kinds);
  add_known(kinds, "leaking from another thread", {"CD", {"zero test", "repeat", "repetition"}});
  add_known(kinds, "multiplex-scaled", {"BCD", repetition_words, true});
  return kinds;
}

}  // namespace plumbline::test
