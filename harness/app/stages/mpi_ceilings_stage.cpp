#include "app/stages/mpi_ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/message_rows.hpp"
#include "app/stages/wanted_ceilings.hpp"
#include "comm/told.hpp"
#include "machine/binding.hpp"

namespace plumbline::app {
namespace {

/// The CPUs where a rank of a node sits when it talks to another: as in a team of all of them, else as in a smaller one.
TeamCpus place_talkers(const std::function<TeamCpus(const Team&)>& place, int local_ranks) {
  TeamCpus placed = place({local_ranks, 1});
  for (const int fewer : {2, 1})
    if (!placed.refusal.empty() && fewer < local_ranks)
      if (TeamCpus smaller = place({fewer, 1}); smaller.refusal.empty()) return smaller;
  return placed;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MpiCeilingsStage::Rank, node, local, host, cpu, refusal)

MpiCeilingsStage::MpiCeilingsStage(const Campaign& campaign, std::string session, Communicator& ranks,
                                   const std::function<TeamCpus(const Team&)>& place)
    : campaign_(campaign), session_(std::move(session)), ranks_(ranks) {
  if (ranks.size() == 1 || !wants_mpi_ceilings(campaign)) return;
  exchanges_ = mpi_exchanges(campaign.ceilings.mode);
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
  all_ = all_gather(ranks_.world(), Rank{ranks_.node(), local, ranks_.host(), cpu, refusal});
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
  CeilingRow row{.name = mpi_ceiling_name(what.traffic, pair.reach),
                 .precision = "-",
                 .level = CeilingKind::mpi,
                 .pattern = std::string(to_string(what.traffic)),
                 .ranks = 2,
                 .threads = 1,
                 .node = rank(pair.first).host,
                 .session = session_,
                 .unit = unit_of(what.traffic),
                 .method = fmt::format("{} with {}, {}, {}", where(pair.first), where(pair.second), how(what.traffic),
                                       Communicator::library_version())};
  row.working_set_bytes = static_cast<double>(what.message_bytes);
  row.peer = rank(pair.second).host;
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
      row.reason = problem;
    } else {
      const ExchangeTiming timing = exchange(ranks_.world(), times ? pair.second : pair.first, times ? End::timing : End::answering, what,
                                             mpi_protocol(campaign_.ceilings.mode));
      take_timing(row, what, timing);
    }
    if (times) unit.ceilings.push_back(std::move(row));
  }
}

}  // namespace plumbline::app
