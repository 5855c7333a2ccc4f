#include "app/session/closing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/nodes/node_report.hpp"
#include "app/session/run_findings.hpp"

namespace plumbline::app {
namespace {

std::vector<std::string> case_ids(const RunPlan& plan) {
  std::vector<std::string> ids;
  for (const auto& one : plan.cases) ids.push_back(one.id());
  for (const auto& one : plan.skipped) ids.push_back(one.what.id());
  return ids;
}

/// Meets all ranks, collectively: then all that was measured is on the disk, and rank 0 sees it.
void meet_at_the_end(RunContext& run) {
  run.keep([&] { run.record.sync(); });
  run.stop_here();
  run.ranks.world().wait_for_all();
}

/// Tells, collectively, whether no case of any rank found its place.
bool placed_none(RunContext& run) { return !run.ranks.world().any(run.fate.placed_any || run.fate.refusal.empty()); }

/// Says on rank 0 of a whole run, collectively, what nodes look like side by side: from the journals, which will go.
std::optional<NodeReport> report_on_nodes(RunContext& run) {
  const auto written = run.ranks.world().gather(run.record.written());
  std::optional<NodeReport> nodes;
  if (run.ranks.rank() != 0 || run.fate.stopped) return nodes;
  run.keep([&] { run.record.require_all(written); });
  if (!run.fate.lost && run.compares_nodes())
    run.keep([&] { nodes = judge_nodes(seen_in_run(run.record.files()), run.record.files().store.string(), {}); });
  return nodes;
}

/// Puts all together, on rank 0, and tells what did not come out well.
Consolidated write_result(RunContext& run) {
  Consolidated made;
  if (run.ranks.rank() == 0 && !run.fate.lost) made = run.record.consolidate(!run.fate.stopped, case_ids(run.plan));
  for (const auto& [reason, units] : made.reasons) {
    const bool told = run.counts_nothing() && reason.ends_with(run.input.counting.why_skipped());
    run.progress.say(fmt::format("{} x {}", units, told ? "unavailable: nothing can be counted here, as noted above" : reason));
  }
  return made;
}

/// Tells what was found of the nodes, on rank 0, when all is written.
void tell_of_nodes(RunContext& run, const NodeReport& report) {
  for (const auto& line : summary_lines(report)) run.progress.say(line);
  for (const auto& finding : slower_nodes(report)) run.note_finding(Exit::regression, finding);
  for (const auto& finding : wrong_on_nodes(report))
    run.note_finding(Exit::wrong_result, finding);  // of an earlier session, or another node too
}

/// Wrong results of earlier sessions, which stay; this one's are noted already.
void tell_of_earlier(RunContext& run, const Consolidated& made) {
  constexpr std::size_t most = 5;
  for (const auto& [session, found] : made.wrong) {
    if (session == run.session) continue;
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
    run.note_finding(Exit::wrong_result, fmt::format("session {} found what stays in the file ({} in all): {}", session, found.size(),
                                                     fmt::join(found.begin(), end, "; ")));
  }
}

Exit exit_of(const RunContext& run, bool placed_none) {
  const RunFate& fate = run.fate;
  if (fate.lost) throw *fate.lost;
  if (fate.interrupted)
    throw Error(Exit::stopped_early,
                fmt::format("stopped at a case boundary by a signal; go on with --resume (so far: {})", run.record.files().store.string()));
  if (fate.code != Exit::ok) throw RunFindings(fate.code, fate.notes);
  if (placed_none && run.plan.ceilings.empty() && !wants_gpu_ceilings(run.campaign()) && run.record.earlier().finished.empty())
    throw user_error(fmt::format("no case could be placed, so nothing was measured: {}", fate.refusal));
  return fate.code;
}

}  // namespace

Exit close_run(RunContext& run) {
  run.deadlines.begin_end(run.plan);
  meet_at_the_end(run);
  const bool none = placed_none(run);  // before any rank throws alone
  const auto nodes = report_on_nodes(run);
  const Consolidated made = write_result(run);
  if (nodes && !run.fate.lost)
    tell_of_nodes(run, *nodes);
  else
    tell_of_earlier(run, made);
  return exit_of(run, none);
}

}  // namespace plumbline::app
