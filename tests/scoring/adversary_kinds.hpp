// The judge is tried with right counters and wrong ones, and with the verdict that each kind should get, as data.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "faults.hpp"

namespace plumbline::test {

/// The score that a counter should get.
struct Wanted {
  std::string grades = {};             // any of these letters
  std::vector<std::string> says = {};  // the reason has one of these; empty: whatever it says
  bool never_trusted = false;          // A is wrong though medians of repetitions are right: single repetitions are not
};

/// A counter of one seed, its claim and its counts; and what its score should be.
struct Attack {
  MadeCounter made = {};
  Wanted wanted = {};
};

struct AttackKind {
  std::string name = {};
  bool is_right = false;
  std::function<Attack(const std::vector<TrueCase>&, Random&)> make = {};
};

/// Right counters, and the faults that were found by hand or that counters are known for.
std::vector<AttackKind> named_kinds();

/// Faults by how (a factor, nothing counted) x of what (FLOPs, refills) x where (a level, a compiler, a kernel, ..., one case in 64).
std::vector<AttackKind> crossed_kinds();

/// The named and the crossed kinds, in that order.
const std::vector<AttackKind>& attack_kinds();

// ------------------------------------------------------------------------------------------------ what kinds are made of

/// Cases that a fault is confined to, and the words by which a reason names them.
struct Place {
  std::string name = {};
  std::vector<std::string> says = {};
  std::function<bool(const TrueCase&)> holds = {};
};

Place at_level(const std::string& level);
Place of_compiler(const std::string& compiler);
Place of_isa(const std::string& isa);
Place of_precision(const std::string& precision);
/// The place of one kernel; its word is "gpp" for "proxies/gpp".
Place of_kernel(const std::string& kernel);
/// A kernel drawn among those that have something of the claim in two cases or more.
Place of_some_kernel(const std::vector<TrueCase>& cases, const Claim& claim, Random& random);
Place with_threads();
Place with_ranks();
/// Data that L2 does not hold.
Place beyond_L2();
/// The place of one of every 64 cases, or the nearest to it, that have something of the claim.
Place single_cases(const std::vector<TrueCase>& cases, const Claim& claim, Random& random);

/// Counts what it claims, with the noise of its kind, three times; `change` is what it makes of the amount.
Attack attack_on(const Claim& claim, Random& random, std::function<double(double amount, const TrueCase&, Random&)> change);

}  // namespace plumbline::test
