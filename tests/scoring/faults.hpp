// Counters that are wrong in a known way.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "model/scoring/finding.hpp"

namespace plumbline::test {

using Claim = std::vector<std::string>;

// Several kinds of faulty counters claim these.
inline const Claim fp64{"flops.fp64"}, both_precisions{"flops.fp64", "flops.fp32"}, references{"bytes.reg-L1"},
    refills{"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}, reads{"bytes.L2-L3.demand_read"}, memory{"bytes.L3-mem"};

struct Fault {
  std::string name;
  std::string measure;  // what its magnitude is
  Claim claim;
  /// The findings by one of which the fault is caught: told in the reason of a grade that is not A.
  std::vector<FindingKind> findings;
  double limit, largest;      // magnitudes from the stated detection limit up to which counters are made
  std::vector<double> curve;  // magnitudes of the detection curve; empty: the fault has no magnitude
  /// The counts of a counter with the fault so strong. `cases` tells what is typical.
  std::function<void(MadeCounter&, double magnitude, const std::vector<TrueCase>& cases, Random&)> make;
};

/// The kinds that the scorer was written and tuned with.
const std::vector<Fault>& known_faults();

/// The faults of counters of loads and stores (register_faults.cpp).
const std::vector<Fault>& register_faults();

/// The kinds that the scorer was not tuned with (unseen_faults.cpp).
const std::vector<Fault>& unseen_faults();

/// The claims of right counters.
const std::vector<Claim>& right_claims();

MadeCounter right_counter(const std::string& name, const Claim& claim, Random& random);
/// The fault must outlive the counter.
MadeCounter faulty_counter(const std::string& name, const Fault& fault, double magnitude, const std::vector<TrueCase>& cases,
                           Random& random);

/// The median over the cases in which there is something to count.
double typical_amount(const std::vector<TrueCase>& cases, const Claim& claim);

}  // namespace plumbline::test
