#include "machine.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/link_name.hpp"
#include "schedule/node_pairing.hpp"
#include "store/journal.hpp"

namespace plumbline::scale {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::int64_t begun_unix_ns = 1'700'000'000'000'000'000;
constexpr const char* session = "login-1700000000000";

/// A number from 0 to 1, by SplitMix64: results that no compression makes small.
double chance(std::uint64_t what) {
  std::uint64_t z = what * 0x9e3779b97f4a7c15U + 0x632be59bd9b4e019U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

NodePairing pairing(int nodes) { return NodePairing(nodes, automatic_partners(nodes), seed); }

Finished timing(const Case& measured, const std::string& node, int repetitions, std::uint64_t what) {
  Finished unit;
  unit.case_row = measured.row();
  unit.outcome = {.case_id = unit.case_row.id,
                  .pass = "time",
                  .status = Status::ok,
                  .reason = "",
                  .node = node,
                  .placement = fmt::format(R"({{"ranks":[{{"rank":0,"host":"{}","cpus":[0]}}],"oversubscribed":false,"error":0}})", node),
                  .started_unix_ns = begun_unix_ns,
                  .session = session};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const std::uint64_t which = what * 1000 + static_cast<std::uint64_t>(repetition);
    unit.times.push_back({.case_id = unit.case_row.id,
                          .node = node,
                          .session = session,
                          .repetition = repetition,
                          .rank = -1,
                          .seconds = 1e-3 * (1 + 0.02 * chance(which)),
                          .clock_hz = 2.5e9 * (1 + 0.001 * chance(which + 1))});
  }
  unit.model = {{unit.case_row.id, "flops.fp64", 1e6, 1e6}, {unit.case_row.id, "bytes.reg-L1", 8e6, 8e6}};
  return unit;
}

}  // namespace

Machine::Machine(const Size& size)
    : size_(size),
      kernel_{.name = "validation/scale",
              .summary = "",
              .parameters = {},
              .precisions = {},
              .model = {},
              .prepare = {},
              .count = {},
              .flavors = {}} {
  for (int node = 0; node < size.nodes; ++node)
    nodes_.push_back({name(node), "cpu/64 cores/L1=32768/L2=1048576/L3=33554432", 64, {"v2", "v3"}});
  const NodePairing pairs = pairing(size.nodes);
  const int first = 2 * size.nodes / 3;
  for (int turn = 0; turn < pairs.turns(); ++turn)
    if (const auto peer = pairs.partner(first, turn); peer && *peer != size.nodes / 3) bad_link_ = {first, *peer};
}

std::string Machine::name(int node) { return fmt::format("n{:05}", node); }

std::pair<std::string, std::string> Machine::bad_link() const { return {name(bad_link_.first), name(bad_link_.second)}; }

std::vector<Case> Machine::cases(int count) const {
  std::vector<Case> all;
  for (int n = 0; n < count; ++n) {
    Case one{&kernel_, {}, "fp64", {"gcc12-O3-v3", "fp64", nullptr}, {1, 1}};
    one.parameters = {{"n", Value(std::int64_t{n})}};
    all.push_back(one);
  }
  return all;
}

std::vector<std::string> Machine::ids() const {
  std::vector<std::string> all;
  for (const Case& one : cases(size_.cases)) all.push_back(one.id());
  return all;
}

double Machine::times_worse(int node, int peer) const {
  const bool bad_node = node == size_.nodes / 3 || peer == size_.nodes / 3;
  const bool bad_link = std::pair(node, peer) == bad_link_ || std::pair(peer, node) == bad_link_;
  return bad_link ? 3 : bad_node ? 2 : 1;
}

void Machine::write_journal(const std::filesystem::path& folder, int node) const {
  const std::string host = name(node);
  const auto number = static_cast<std::uint64_t>(node);
  Journal journal(folder, host,
                  {.campaign = "schema = \"plumbline-campaign/1\"\nname = \"scale\"\n",
                   .provenance = R"({"program":"0123456789abcdef","git":"0123456","compiler":"gcc 12"})",
                   .session = session,
                   .started_unix_ns = begun_unix_ns,
                   .machines = {{host, fmt::format(R"({{"node":"{}","kind":"cpu/64 cores","note":"{:x^600}"}})", host, "")}}});
  const auto measured = cases(size_.cases);
  for (std::size_t which = 0; which < measured.size(); ++which)
    journal.append(timing(measured[which], host, size_.repetitions, number * measured.size() + which));
  const NodePairing pairs = pairing(size_.nodes);
  for (int round = 0; round < size_.link_rounds; ++round) {
    Finished unit;
    unit.outcome = {.case_id = fmt::format("ceilings/link/0123456789abcdef/round={}", round),
                    .pass = "time",
                    .status = Status::ok,
                    .reason = "",
                    .node = host,
                    .placement = "{}",
                    .started_unix_ns = begun_unix_ns,
                    .session = session};
    for (int turn = 0; turn < pairs.turns(); ++turn) {
      const auto peer = pairs.partner(node, turn);
      if (!peer || !pairs.leads(node, *peer)) continue;
      CeilingRow row{.name = link_name("MPI link latency", name(*peer)),
                     .precision = "-",
                     .level = "link",
                     .pattern = "latency",
                     .ranks = 2,
                     .threads = 1,
                     .node = host,
                     .session = session,
                     .round = round,
                     .unit = "seconds",
                     .method = "half a round trip",
                     .peer = name(*peer)};
      const std::uint64_t which = (number * 64 + static_cast<std::uint64_t>(turn)) * 64 + static_cast<std::uint64_t>(round);
      row.value = 2e-6 * times_worse(node, *peer) * (1 + 0.05 * chance(which));
      row.working_set_bytes = 8;
      unit.ceilings.push_back(row);
    }
    if (!unit.ceilings.empty()) journal.append(unit);
  }
}

}  // namespace plumbline::scale
