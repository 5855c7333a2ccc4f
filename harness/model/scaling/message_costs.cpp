#include "model/scaling/message_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double bytes_of_gb = 1e9;
constexpr double short_sum_bytes = 2048;  // MPICH's limit of recursive doubling

double sample_of(const Ceiling& ceiling, SampleEnd end, bool less_is_better) {
  if (end == SampleEnd::middle) return ceiling.median;
  return (end == SampleEnd::best) == less_is_better ? ceiling.min : ceiling.max;
}

/// The number of all nodes' ceilings of that name: their middle, or that of the best or the worst of them.
double of_all(std::span<const Ceiling> ceilings, const std::string& name, SampleEnd end, bool less_is_better) {
  std::vector<double> found;
  for (const auto& one : ceilings)
    if (one.level == CeilingKind::mpi && one.status == Status::ok && one.name == name && std::isfinite(sample_of(one, end, less_is_better)))
      found.push_back(sample_of(one, end, less_is_better));
  if (found.empty()) return absent;
  if (end == SampleEnd::middle) return median_of(found);
  return (end == SampleEnd::best) == less_is_better ? std::ranges::min(found) : std::ranges::max(found);
}

const MessageLink& between(const MessageLinks& links) {
  if (!links.between) throw user_error("messages between nodes were not measured, so nothing is told of more than one node");
  return *links.between;
}

}  // namespace

std::optional<MessageLink> link_of(std::span<const Ceiling> ceilings, const std::string& place, SampleEnd end) {
  const auto of = [&](const std::string& what, bool less_is_better) {
    return of_all(ceilings, "MPI " + what + place, end, less_is_better);
  };
  MessageLink link{.latency_seconds = of("latency ", true), .one_way_gbs = of("one way ", false), .both_ways_gbs = of("both ways ", false)};
  if (!(link.latency_seconds > 0) || !(link.one_way_gbs > 0)) return std::nullopt;
  if (!(link.both_ways_gbs > 0)) link.both_ways_gbs = link.one_way_gbs;
  // A stream of messages of the size that reaches half of the bandwidth spends as long between them as on their bytes (Hockney 1994).
  const double half = of_all(ceilings, "MPI one way " + place + ", half bandwidth", end, true);
  link.gap_seconds = half > 0 ? half / (bytes_of_gb * link.one_way_gbs) : link.latency_seconds;
  return link;
}

double exchange_seconds(double messages, double bytes, const Allocation& allocation, const MessageLinks& links) {
  if (messages == 0) return 0;
  if (allocation.ranks() == 1) return bytes / (bytes_of_gb * links.inside.one_way_gbs);
  const MessageLink& link = allocation.nodes > 1 ? between(links) : links.inside;
  return link.latency_seconds + (messages - 1) * link.gap_seconds + 2 * bytes / (bytes_of_gb * link.both_ways_gbs);
}

SumRounds sum_rounds(const Allocation& allocation) {
  const auto whole = [](std::uint64_t ranks) { return static_cast<double>(std::bit_width(ranks) - 1); };
  const double all = whole(allocation.ranks()) + (std::has_single_bit(allocation.ranks()) ? 0 : 2);
  if (allocation.nodes == 1) return {all, 0};
  const double inside = whole(allocation.ranks_of_node);
  return {inside, all - inside};
}

double sum_seconds(double bytes, const Allocation& allocation, const MessageLinks& links) {
  const SumRounds rounds = sum_rounds(allocation);
  double doubling = 0, halving = 0;
  const double part = 1 - 1 / static_cast<double>(allocation.ranks());
  const auto add = [&](double count, const MessageLink& link) {
    const double transfer = bytes / (bytes_of_gb * link.one_way_gbs);
    doubling += count * (link.latency_seconds + transfer);
    halving += 2 * count * link.latency_seconds + 2 * part * transfer;
  };
  if (rounds.inside > 0) add(rounds.inside, links.inside);
  if (rounds.between > 0) add(rounds.between, between(links));
  return bytes > short_sum_bytes ? std::min(doubling, halving) : doubling;
}

}  // namespace plumbline
