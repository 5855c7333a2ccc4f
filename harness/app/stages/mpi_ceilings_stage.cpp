#include "app/stages/mpi_ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/message_rows.hpp"
#include "machine/binding.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

std::string name_of(ExchangeTraffic traffic, Reach reach) {
  const std::string_view where = reach == Reach::between_nodes ? "between nodes" : "inside a node";
  return fmt::format("MPI {} {}{}", to_string(traffic), where, reach == Reach::farthest ? ", farthest" : "");
}

/// Latency from the smallest message, the best rate wherever it is, and the size at which half of it is reached: full, every power of two;
/// quick, what these need.
std::vector<Exchange> exchanges_of(CeilingsMode mode) {
  constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
  if (mode == CeilingsMode::none) return {};
  std::vector<Exchange> exchanges;
  if (mode == CeilingsMode::full) {
    for (const ExchangeTraffic traffic : {ExchangeTraffic::ping_pong, ExchangeTraffic::one_way, ExchangeTraffic::both_ways})
      for (std::size_t bytes = 8; bytes <= 4 * MiB; bytes *= 2) exchanges.push_back({traffic, bytes});
    return exchanges;
  }
  exchanges.push_back({ExchangeTraffic::ping_pong, 8});
  for (const std::size_t bytes : {std::size_t{8}, 512 * std::size_t{1}, 2 * KiB, 8 * KiB, 32 * KiB, 128 * KiB, 1 * MiB, 4 * MiB})
    exchanges.push_back({ExchangeTraffic::one_way, bytes});
  for (const std::size_t bytes : {std::size_t{8}, 2 * KiB, 8 * KiB, 32 * KiB, 128 * KiB, 1 * MiB})
    exchanges.push_back({ExchangeTraffic::both_ways, bytes});
  return exchanges;
}

ExchangeProtocol protocol_of(CeilingsMode mode) {
  if (mode == CeilingsMode::full) return {.sample_seconds = 0.001, .samples = 2, .patience_seconds = 0.05};
  return {.sample_seconds = 0.001, .samples = 1, .patience_seconds = 0.03};
}

/// Places the ranks of a node that talk to another: as in a team of all of them, else as in a smaller one.
TeamCpus place_talkers(const std::function<TeamCpus(const Team&)>& place, int local_ranks) {
  TeamCpus placed = place({local_ranks, 1});
  for (const int fewer : {2, 1})
    if (!placed.refusal.empty() && fewer < local_ranks)
      if (TeamCpus smaller = place({fewer, 1}); smaller.refusal.empty()) return smaller;
  return placed;
}

}  // namespace

std::vector<MpiCeilingPlan> plan_mpi_ceilings(CeilingsMode mode) {
  std::vector<MpiCeilingPlan> plans;
  const auto exchanges = exchanges_of(mode);
  for (const Reach reach : {Reach::nearest, Reach::farthest, Reach::between_nodes})
    for (const ExchangeTraffic traffic : {ExchangeTraffic::ping_pong, ExchangeTraffic::one_way, ExchangeTraffic::both_ways}) {
      const auto points = std::count_if(exchanges.begin(), exchanges.end(), [&](const Exchange& what) { return what.traffic == traffic; });
      if (points > 0)
        plans.push_back(
            {name_of(traffic, reach), std::string(to_string(traffic)), unit_of(traffic), reach, static_cast<std::size_t>(points)});
    }
  return plans;
}

bool wants_mpi_ceilings(const Campaign& campaign) {
  const auto plans = plan_mpi_ceilings(campaign.ceilings.mode);
  return campaign.time &&
         std::any_of(plans.begin(), plans.end(), [&](const MpiCeilingPlan& plan) { return is_wanted(campaign.ceilings, plan.name); });
}

double mpi_ceilings_seconds(const Campaign& campaign, int rounds, int nodes, int most_ranks_of_node) {
  if (!wants_mpi_ceilings(campaign)) return 0;
  const int inside = std::clamp(most_ranks_of_node - 1, 0, 2), between = nodes < 3 ? nodes - 1 : nodes % 2 == 0 ? 2 : 3;
  const ExchangeProtocol protocol = protocol_of(campaign.ceilings.mode);
  // calibrating and checking cost about as much as two samples
  const double seconds =
      static_cast<double>(exchanges_of(campaign.ceilings.mode).size()) * (protocol.samples + 2) * protocol.sample_seconds;
  return seconds * (inside + between) * rounds;
}

MpiCeilingsStage::MpiCeilingsStage(const Campaign& campaign, std::string session, Communicator& ranks,
                                   const std::function<TeamCpus(const Team&)>& place)
    : campaign_(campaign), session_(std::move(session)), ranks_(ranks) {
  if (ranks.size() == 1 || !wants_mpi_ceilings(campaign)) return;
  exchanges_ = exchanges_of(campaign.ceilings.mode);
  meet_ranks(place);
  std::vector<std::vector<int>> nodes(static_cast<std::size_t>(ranks.nodes()));
  for (int number = 0; number < ranks.size(); ++number) {
    auto& local = nodes[static_cast<std::size_t>(rank(number).node)];
    local.resize(std::max(local.size(), static_cast<std::size_t>(rank(number).local) + 1));
    local[static_cast<std::size_t>(rank(number).local)] = number;
  }
  pairs_ = pair_ranks(nodes);
  keeps_samples_ = std::any_of(pairs_.begin(), pairs_.end(), [&](const RankPair& pair) { return pair.first == ranks.rank(); });
}

void MpiCeilingsStage::meet_ranks(const std::function<TeamCpus(const Team&)>& place) {
  const int local = ranks_.local().rank();
  const TeamCpus placed = place_talkers(place, ranks_.local().size());
  const bool has_cpu = static_cast<std::size_t>(local) < placed.cpus.size();
  int cpu = has_cpu ? placed.cpus[static_cast<std::size_t>(local)].front() : -1;
  std::string refusal = has_cpu ? bind_this_thread(cpu) : !placed.refusal.empty() ? placed.refusal : "the node has more ranks than cores";
  if (!refusal.empty()) cpu = -1;
  const json mine{{"node", ranks_.node()}, {"local", local}, {"host", ranks_.host()}, {"cpu", cpu}, {"refusal", refusal}};
  const auto texts = ranks_.world().gather(mine.dump());
  for (const auto& text : json::parse(ranks_.world().broadcast(ranks_.rank() == 0 ? json(texts).dump() : ""))) {
    const json told = json::parse(text.get<std::string>());
    all_.push_back({told["node"], told["local"], told["host"], told["cpu"], told["refusal"]});
  }
}

std::string MpiCeilingsStage::round_id(int round) const {
  std::vector<std::string> points;
  for (const RankPair& pair : pairs_)
    for (const Exchange& what : exchanges_)
      if (const CeilingRow row = described(pair, what); pair.first == ranks_.rank() && is_wanted(campaign_.ceilings, row.name))
        points.push_back(ceiling_point(row));
  return ceiling_round_id("mpi", std::move(points), round);
}

std::optional<Finished> MpiCeilingsStage::measure(int round, bool finished) {
  if (pairs_.empty() || !ranks_.world().any(keeps_samples_ && !finished)) return std::nullopt;
  Finished unit;
  unit.outcome = round_outcome(round_id(round), ranks_.host(), session_);
  int turn = 0;
  for (const RankPair& pair : pairs_) {
    for (; turn < pair.turn; ++turn) ranks_.world().wait_for_all();
    if (pair.first == ranks_.rank() || pair.second == ranks_.rank()) measure_pair(pair, round, unit);
  }
  ranks_.world().wait_for_all();
  if (!keeps_samples_ || finished) return std::nullopt;
  return unit;
}

CeilingRow MpiCeilingsStage::described(const RankPair& pair, const Exchange& what) const {
  const auto where = [&](int number) {
    const Rank& end = rank(number);
    return fmt::format("{} rank {} ({})", end.host, number, end.cpu < 0 ? "not bound" : fmt::format("CPU {}", end.cpu));
  };
  CeilingRow row{.name = name_of(what.traffic, pair.reach),
                 .precision = "-",
                 .level = "mpi",
                 .pattern = std::string(to_string(what.traffic)),
                 .ranks = 2,
                 .threads = 1,
                 .node = rank(pair.first).host,
                 .session = session_,
                 .unit = unit_of(what.traffic),
                 .method = fmt::format("{} with {}, {}, {}", where(pair.first), where(pair.second), how(what.traffic),
                                       Communicator::library_version())};
  row.working_set_bytes = static_cast<double>(what.message_bytes);
  return row;
}

std::string MpiCeilingsStage::problem_between(const Rank& one, const Rank& other) {
  if (one.cpu < 0) return one.refusal;
  if (other.cpu < 0) return other.refusal;
  return one.cpu == other.cpu ? fmt::format("both ranks share CPU {}", one.cpu) : "";
}

/// Measures a pair. Both ends know of every pair whether and how it is measured, and what binding it needs.
void MpiCeilingsStage::measure_pair(const RankPair& pair, int round, Finished& unit) {
  const bool times = pair.first == ranks_.rank();
  const Rank& mine = rank(ranks_.rank());
  const bool inside = pair.node == pair.peer_node;
  const std::string problem = inside ? problem_between(rank(pair.first), rank(pair.second)) : "";
  if (mine.cpu >= 0) static_cast<void>(bind_this_thread(mine.cpu));  // teams have moved it since it was tried
  for (const Exchange& what : exchanges_) {
    CeilingRow row = described(pair, what);
    row.round = round;
    if (!is_wanted(campaign_.ceilings, row.name)) continue;
    if (!problem.empty()) {
      row.status = Status::skipped;
      row.method += ": " + problem;
    } else {
      const ExchangeTiming timing = exchange(ranks_.world(), times ? pair.second : pair.first, times ? End::timing : End::answering, what,
                                             protocol_of(campaign_.ceilings.mode));
      take_timing(row, what, timing);
    }
    if (times) unit.ceilings.push_back(std::move(row));
  }
}

}  // namespace plumbline::app
