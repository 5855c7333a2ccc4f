// Counters of loads and stores that are wrong in the ways such counters are: what the machine code executes is known, so they can be
// caught.
#include "faults.hpp"

namespace plumbline::test {
namespace {

using Cases = std::vector<TrueCase>;

/// The bytes that an optimized loop loads and stores at a time: a vector of 32 bytes, or single elements where it did not become one.
double bytes_an_instruction(const TrueCase& one) {
  const double element = one.row.precision == "fp64" ? 8 : 4;
  return one.level() == "O0" || one.row.kernel == "validation/series" ? element : 32;
}

std::vector<Fault> build_of_registers() {
  std::vector<Fault> all;
  const auto add = [&](const char* name, std::vector<FindingKind> findings, auto count) {
    all.push_back({name, "", references, std::move(findings), 0, 0, {}, [count](MadeCounter& made, double, const Cases&, Random&) {
                     made.count = [count](const TrueCase& one, Random&) { return count(one); };
                   }});
  };
  add("references doubled", {FindingKind::factor}, [](const TrueCase& one) { return 2 * one.of(references); });
  add("vector stores missed", {FindingKind::unseen_flow, FindingKind::depends_on, FindingKind::regimes},
      [](const TrueCase& one) { return one.of(references) - (bytes_an_instruction(one) > 8 ? one.of({"bytes.reg-L1.store"}) : 0); });
  add("variables on the stack not counted", {FindingKind::depends_on, FindingKind::regimes},
      [](const TrueCase& one) { return one.level() == "O0" ? one.model.at("bytes.reg-L1").first : one.of(references); });
  add("16 bytes for each instruction", {FindingKind::depends_on, FindingKind::regimes, FindingKind::look_up},
      [](const TrueCase& one) { return 16 / bytes_an_instruction(one) * one.of(references); });
  // Every loop loads, so the smallest sizes show it most: it may be named by them.
  all.push_back({"offset on references",
                 "offset over the median amount",
                 references,
                 {FindingKind::offset, FindingKind::depends_on, FindingKind::regimes},
                 0.1,
                 3,
                 {},
                 [](MadeCounter& made, double part, const Cases& cases, Random&) {
                   const double offset = part * typical_amount(cases, references);
                   made.count = [offset](const TrueCase& one, Random&) { return one.of(references) + offset; };
                 }});
  return all;
}

}  // namespace

const std::vector<Fault>& register_faults() {
  static const std::vector<Fault> all = build_of_registers();
  return all;
}

}  // namespace plumbline::test
