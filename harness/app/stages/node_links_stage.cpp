#include "app/stages/node_links_stage.hpp"

#include <fmt/format.h>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/message_rows.hpp"
#include "comm/told.hpp"
#include "core/link_name.hpp"
#include "machine/binding.hpp"

namespace plumbline::app {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeLinksStage::Node, host, refusal)

NodeLinksStage::NodeLinksStage(const Campaign& campaign, std::string session, Communicator& ranks,
                               const std::function<TeamCpus(const Team&)>& place)
    : session_(std::move(session)), ranks_(ranks) {
  if (ranks.nodes() == 1 || !wants_node_links(campaign)) return;
  pairing_ = link_pairing(campaign, ranks.nodes());
  if (ranks.leaders().member()) meet_nodes(place);
}

void NodeLinksStage::meet_nodes(const std::function<TeamCpus(const Team&)>& place) {
  const TeamCpus placed = place({1, 1});
  std::string refusal = placed.refusal;
  if (refusal.empty()) refusal = bind_this_thread(placed.cpus.front().front());
  if (refusal.empty()) cpu_ = placed.cpus.front().front();
  nodes_ = all_gather(ranks_.leaders(), Node{ranks_.host(), refusal});
  for (int turn = 0; turn < turns(); ++turn)
    if (const auto peer = pairing_->partner(ranks_.node(), turn)) keeps_samples_ = keeps_samples_ || pairing_->leads(ranks_.node(), *peer);
}

std::string NodeLinksStage::round_id(int round) const {
  std::vector<std::string> points;
  for (int turn = 0; ranks_.leaders().member() && turn < turns(); ++turn)
    if (const auto peer = pairing_->partner(ranks_.node(), turn); peer && pairing_->leads(ranks_.node(), *peer))
      for (const Exchange& what : link_exchanges) points.push_back(ceiling_point(described(*peer, what)));
  return ceiling_round_id("link", std::move(points), round);
}

std::optional<Finished> NodeLinksStage::measure(int round, bool finished) {
  if (!pairing_) return std::nullopt;
  std::optional<Finished> unit;
  if (Group& leaders = ranks_.leaders(); leaders.member() && leaders.any(keeps_samples_ && !finished)) {
    unit = Finished{};
    unit->outcome = round_outcome(round_id(round), ranks_.host(), session_);
    if (cpu_ >= 0) static_cast<void>(bind_this_thread(cpu_));  // teams have moved it since it was tried
    for (int turn = 0; turn < pairing_->turns(); ++turn) {
      leaders.wait_for_all();  // nobody talks to two nodes at a time
      if (const auto peer = pairing_->partner(ranks_.node(), turn)) measure_link(*peer, round, *unit);
    }
    leaders.wait_for_all();
  }
  ranks_.local().wait_for_all();
  if (finished || !keeps_samples_) return std::nullopt;
  return unit;
}

CeilingRow NodeLinksStage::described(int peer, const Exchange& what) const {
  CeilingRow row{.name = link_name(is_latency(what.traffic) ? "MPI link latency" : "MPI link bandwidth", node(peer).host),
                 .precision = "-",
                 .level = CeilingKind::link,
                 .pattern = std::string(to_string(what.traffic)),
                 .ranks = 2,
                 .threads = 1,
                 .node = ranks_.host(),
                 .session = session_,
                 .unit = unit_of(what.traffic),
                 .method = fmt::format("{}, {}", how(what.traffic), Communicator::library_version())};
  row.working_set_bytes = static_cast<double>(what.message_bytes);
  row.peer = node(peer).host;
  return row;
}

/// Measures a link; both nodes know whether either refuses.
void NodeLinksStage::measure_link(int peer, int round, Finished& unit) {
  const bool times = pairing_->leads(ranks_.node(), peer);
  const Node& refusing = node(ranks_.node()).refusal.empty() ? node(peer) : node(ranks_.node());
  for (const Exchange& what : link_exchanges) {
    CeilingRow row = described(peer, what);
    row.round = round;
    if (!refusing.refusal.empty()) {
      row.status = Status::skipped;
      row.reason = fmt::format("{}: {}", refusing.host, refusing.refusal);
    } else {
      const ExchangeTiming timing = exchange(ranks_.leaders(), peer, times ? End::timing : End::answering, what, link_protocol);
      take_timing(row, what, timing);
    }
    if (times) unit.ceilings.push_back(std::move(row));
  }
}

}  // namespace plumbline::app
