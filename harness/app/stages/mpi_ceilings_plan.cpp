#include "app/stages/mpi_ceilings_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/stages/message_rows.hpp"
#include "app/stages/wanted_ceilings.hpp"

namespace plumbline::app {

std::string mpi_ceiling_name(ExchangeTraffic traffic, Reach reach) {
  const std::string_view where = reach == Reach::between_nodes ? "between nodes" : "inside a node";
  return fmt::format("MPI {} {}{}", to_string(traffic), where, reach == Reach::farthest ? ", farthest" : "");
}

std::vector<Exchange> mpi_exchanges(CeilingsMode mode) {
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

ExchangeProtocol mpi_protocol(CeilingsMode mode) {
  if (mode == CeilingsMode::full) return {.sample_seconds = 0.001, .samples = 2, .patience_seconds = 0.05};
  return {.sample_seconds = 0.001, .samples = 1, .patience_seconds = 0.03};
}

std::vector<MpiCeilingPlan> plan_mpi_ceilings(CeilingsMode mode) {
  std::vector<MpiCeilingPlan> plans;
  const auto exchanges = mpi_exchanges(mode);
  for (const Reach reach : {Reach::nearest, Reach::farthest, Reach::between_nodes})
    for (const ExchangeTraffic traffic : {ExchangeTraffic::ping_pong, ExchangeTraffic::one_way, ExchangeTraffic::both_ways}) {
      const auto points = std::count_if(exchanges.begin(), exchanges.end(), [&](const Exchange& what) { return what.traffic == traffic; });
      if (points > 0)
        plans.push_back(
            {mpi_ceiling_name(traffic, reach), std::string(to_string(traffic)), unit_of(traffic), reach, static_cast<std::size_t>(points)});
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
  const ExchangeProtocol protocol = mpi_protocol(campaign.ceilings.mode);
  // calibrating and checking cost about as much as two samples
  const double seconds =
      static_cast<double>(mpi_exchanges(campaign.ceilings.mode).size()) * (protocol.samples + 2) * protocol.sample_seconds;
  return seconds * (inside + between) * rounds;
}

}  // namespace plumbline::app
