#include "app/ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plumbline::app {
namespace {

// A sample is short: the best of a few, and the rounds show the spread.
constexpr TimingProtocol sample{.min_seconds = 0.004, .ci_relative = 0.05, .max_repetitions = 3, .min_repetitions = 3, .budget_seconds = 5};

/// Distinct bytes of one rank's sweep.
double footprint_bytes(const Case& measured) {
  double bytes = 0;
  for (const auto& stream : measured.work().streams) bytes += static_cast<double>(stream.footprint_bytes);
  return bytes;
}

CeilingRow row_of(const CeilingCase& ceiling, const Finished& timed, int round) {
  const Team& team = ceiling.measured.team;
  CeilingRow row{.name = ceiling.name,
                 .precision = ceiling.precision,
                 .level = ceiling.level,
                 .pattern = ceiling.pattern,
                 .ranks = team.ranks,
                 .threads = team.threads,
                 .node = timed.outcome.node,
                 .session = timed.outcome.session,
                 .round = round,
                 .unit = ceiling.unit,
                 .status = timed.outcome.status,
                 .method = std::string(ceiling.measured.flavor.name)};
  row.working_set_bytes = footprint_bytes(ceiling.measured) * team.ranks;
  double best = 0;
  for (const TimeRow& time : timed.times)
    if (time.rank == -1 && (best == 0 || time.seconds < best)) {
      best = time.seconds;
      row.clock_hz = time.clock_hz;
    }
  if (best > 0) row.value = ceiling.amount_per_sweep * team.ranks / best * 1e-9;
  if (row.status != Status::ok) row.method += ": " + timed.outcome.reason;
  return row;
}

Finished round_unit(std::string_view mode, int round, const Finished& first) {
  Finished unit;
  unit.outcome = first.outcome;
  unit.outcome.case_id = ceiling_round_id(mode, round);
  unit.outcome.pass = "time";
  unit.outcome.status = Status::ok;
  unit.outcome.reason.clear();
  return unit;
}

}  // namespace

std::string ceiling_round_id(std::string_view mode, int round) { return fmt::format("ceilings/{}/round={}", mode, round); }

std::optional<Finished> measure_ceilings(const std::vector<CeilingCase>& plan, std::string_view mode, int round, CaseRunner& runner,
                                         Communicator& ranks, const std::function<TeamCpus(const Team&)>& place) {
  std::optional<Finished> unit;
  for (const CeilingCase& ceiling : plan) {
    const Team& team = ceiling.measured.team;
    const TeamCpus placement = place(team);
    if (!placement.refusal.empty() || ranks.local().rank() >= team.ranks) continue;
    const auto timed = runner.time(ceiling.measured, placement, sample);
    if (!timed) continue;
    if (!unit) unit = round_unit(mode, round, *timed);
    unit->ceilings.push_back(row_of(ceiling, *timed, round));
  }
  ranks.local().wait_for_all();
  return unit;
}

}  // namespace plumbline::app
