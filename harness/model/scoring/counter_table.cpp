// The emulator's counters are scored by this table. Hardware counters come from event tables (counters/events).
#include "model/scoring/accuracy.hpp"

namespace plumbline {
namespace {

std::vector<Term> flops_of(const std::string& precision) {
  const std::string flops = "flops." + precision + ".";
  return {{flops + "add", 1, "add"}, {flops + "mul", 1, "mul"}, {flops + "fma", 2, "fma"}, {flops + "div", 1}, {flops + "sqrt", 1}};
}

std::vector<Term> flows_of(const std::string& boundary, std::initializer_list<const char*> flows) {
  std::vector<Term> terms;
  for (const char* flow : flows) terms.push_back({"bytes." + boundary + "." + flow, 1});
  return terms;
}

std::vector<Term> joined(std::vector<Term> terms, const std::vector<Term>& more) {
  terms.insert(terms.end(), more.begin(), more.end());
  return terms;
}

void add_emulated_bytes(std::vector<Counter>& table, const std::string& boundary, std::initializer_list<const char*> flows) {
  const std::string total = "bytes." + boundary;
  table.push_back({.name = "emulated." + total, .backend = "emulated", .terms = flows_of(boundary, flows), .quantities = {total}});
  for (const char* flow : flows) {
    const std::string event = total + "." + flow;
    table.push_back({.name = "emulated." + event, .backend = "emulated", .terms = {{event, 1}}, .quantities = {event}});
  }
}

// The counters that paper 004 tried, from the emulator's events. A refill there is 64 bytes; an access counts as one 16-byte vector.
const Counter refills{.name = "refills x 64 B",
                      .backend = "emulated",
                      .terms = flows_of("L1-L2", {"demand_read", "rfo"}),
                      .quantities = {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}};
const Counter accesses{
    .name = "accesses x 16 B", .backend = "emulated", .terms = {{"loads", 16}, {"stores", 16}}, .quantities = {"bytes.L1-L2"}};

Counter held_against_paper(Counter counter, const std::string& quantity) {
  counter.quantities = {quantity};
  counter.convention = Convention::paper;
  counter.exact = false;
  return counter;
}

std::vector<Counter> build_table() {
  std::vector<Counter> table;
  for (const char* precision : {"fp64", "fp32"}) {
    const std::string flops = std::string("flops.") + precision;
    table.push_back({.name = "emulated." + flops,
                     .backend = "emulated",
                     .terms = flops_of(precision),
                     .quantities = {flops},
                     .kind = Kind::flops,
                     .exact = true});
    // Additions and multiplications are not scored by kind: a compiler may fuse them, and only the total is then the same.
    for (const char* kind : {".div", ".sqrt"})
      table.push_back({.name = "emulated." + flops + kind,
                       .backend = "emulated",
                       .terms = {{flops + kind, 1}},
                       .quantities = {flops + kind},
                       .kind = Kind::flops});
  }
  add_emulated_bytes(table, "reg-L1", {"load", "store", "nt_store"});
  for (const char* boundary : {"L1-L2", "L2-L3", "L3-mem"})
    add_emulated_bytes(table, boundary, {"demand_read", "rfo", "write_back", "nt_store"});
  table.push_back(refills);
  table.push_back(accesses);

  const Counter flops{.name = "emulated.flops",
                      .backend = "emulated",
                      .terms = joined(flops_of("fp64"), flops_of("fp32")),
                      .quantities = {},
                      .kind = Kind::flops};
  table.push_back(held_against_paper(flops, "paper.flops"));
  const Counter references{
      .name = "emulated.bytes.reg-L1", .backend = "emulated", .terms = flows_of("reg-L1", {"load", "store", "nt_store"}), .quantities = {}};
  for (const auto& candidate : {refills, accesses, references}) table.push_back(held_against_paper(candidate, "paper.bytes"));
  return table;
}

}  // namespace

std::span<const Counter> known_counters() {
  static const std::vector<Counter> table = build_table();
  return table;
}

}  // namespace plumbline
