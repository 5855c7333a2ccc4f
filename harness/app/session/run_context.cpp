#include "app/session/run_context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/interruption.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {

bool RunContext::compares_nodes() const { return campaign().placement == Placement::every_node && campaign().time && ranks.nodes() > 1; }

bool RunContext::is_finished(const std::string& id, std::string_view pass) const {
  return record.earlier().finished.contains({id, ranks.host(), std::string(pass)});
}

std::optional<double> RunContext::budget_left() const {
  if (!campaign().budget_seconds) return std::nullopt;
  return std::max(0.0, *campaign().budget_seconds - (now_seconds() - began));
}

bool RunContext::stop_here() {
  constexpr double interrupted = 1, lost = 2;
  if (fate.stopped) return true;
  const double worst = ranks.world().max(fate.lost ? lost : signal_received() != 0 ? interrupted : 0);
  fate.interrupted = worst == interrupted;
  fate.stopped = worst > 0;
  return fate.stopped;
}

void RunContext::accept(const std::optional<Finished>& unit) {
  if (!unit) return;
  if (is_failure(unit->outcome.status)) note_failure(unit->outcome.status, unit->outcome.case_id, unit->outcome.reason);
  keep([&] { record.append(*unit); });
}

void RunContext::accept_ceilings(const Finished& unit) {
  for (const auto& row : unit.ceilings)
    if (is_failure(row.status)) note_failure(row.status, row.name, how_and_why(row));
  keep([&] { record.append(unit); });
}

void RunContext::keep_skipped(const Case& what, const std::string& reason) {
  if (campaign().time) keep([&] { record.append(runner.skip(what, std::string(time_pass), reason)); });
  if (campaign().count) keep([&] { record.append(runner.skip(what, std::string(count_pass), reason)); });
}

void RunContext::note_failure(Status status, const std::string& what, const std::string& reason) {
  note_finding(status == Status::wrong_result ? Exit::wrong_result : Exit::io_or_failed_case, fmt::format("{}: {}", what, reason));
}

void RunContext::note_finding(Exit code, const std::string& finding) {
  fate.code = worse(fate.code, code);
  fate.notes += fmt::format("{}{}", fate.notes.empty() ? "" : "; ", finding);
}

}  // namespace plumbline::app
