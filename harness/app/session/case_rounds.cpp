#include "app/session/case_rounds.hpp"

#include <algorithm>
#include <iterator>

#include "counters/registry.hpp"

namespace plumbline::app {
namespace {

/// The protocol shares what is left of the budget among what is left to do; when it is spent, cases get their fewest repetitions. So
/// they do long before their deadline.
TimingProtocol protocol_of(const RunContext& run, const Case& measured, std::size_t rounds_left) {
  const Timing& wanted = run.campaign().timing;
  TimingProtocol protocol{.min_seconds = wanted.min_seconds, .ci_relative = wanted.ci_relative, .max_repetitions = wanted.max_repetitions};
  protocol.min_repetitions = std::min(protocol.min_repetitions, protocol.max_repetitions);
  if (const auto left = run.budget_left()) protocol.budget_seconds = *left / static_cast<double>(rounds_left);
  protocol.budget_seconds = std::min(protocol.budget_seconds, run.deadlines.time_seconds(measured) / 2);
  return protocol;
}

std::string why_not_counted(const RunContext& run, const Case& measured) {
  if (measured.team.gpus == 0 || run.campaign().counters == "none") return "the campaign's counters are \"none\"";
  const auto& skipped = run.input.counting.skipped;
  CountingPlan of_gpus;
  std::copy_if(skipped.begin(), skipped.end(), std::back_inserter(of_gpus.skipped),
               [](const CountingSkip& skip) { return find_backend(skip.backend)->of_gpu; });
  return of_gpus.skipped.empty() ? "counters of CPUs see nothing of a GPU's work" : of_gpus.why_skipped();
}

void time_case(RunContext& run, std::size_t index, const TeamCpus& placement, std::size_t rounds_left) {
  const Case& measured = run.plan.cases[index];
  if (!run.campaign().time || run.is_finished(measured.id(), time_pass)) return;
  run.deadlines.begin_pass(run.plan, index, std::string(time_pass));
  run.accept(run.runner.time(measured, placement, protocol_of(run, measured, rounds_left)));
}

void count_case(RunContext& run, std::size_t index, const TeamCpus& placement) {
  const Case& measured = run.plan.cases[index];
  if (!run.campaign().count) return;
  const auto counting = keys_for(measured.team.space(), run.input.counting.keys());
  if (!is_counted(measured, run.campaign(), counting)) {
    if (run.leads())
      run.keep([&] { run.record.append(run.runner.skip(measured, std::string(count_pass), why_not_counted(run, measured))); });
  } else if (const int repetitions = run.campaign().counting.repetitions_on(measured.team.space());
             !counting_is_finished(run.record.earlier(), measured.id(), run.ranks.host(), counting, repetitions)) {
    run.deadlines.begin_pass(run.plan, index, std::string(count_pass));
    run.accept(run.runner.count(measured, placement, run.campaign().timing.min_seconds, run.deadlines.worker_seconds(measured)));
  }
}

/// Ranks outside the team wait at the end of the round.
void measure_case(RunContext& run, std::size_t index, std::size_t rounds_left) {
  const Case& measured = run.plan.cases[index];
  const TeamCpus placement = run.plan.place(measured.team);
  if (!placement.refusal.empty()) {
    run.fate.refusal = placement.refusal;
    if (run.leads()) run.keep_skipped(measured, placement.refusal);
    return;
  }
  run.fate.placed_any = true;
  if (run.ranks.local().rank() >= measured.team.ranks) return;
  time_case(run, index, placement, rounds_left);
  count_case(run, index, placement);
}

}  // namespace

void measure_cases(RunContext& run) {
  double done_seconds = 0;
  run.progress.begin();
  for (std::size_t round = 0; round < run.plan.rounds.size() && !run.stop_here(); ++round) {
    const auto& index = run.plan.rounds[round].here;
    run.deadlines.begin_round(run.plan, round);
    run.progress.round(round, index ? run.plan.cases[*index].id() : "(another node)", done_seconds);
    if (!index) continue;
    measure_case(run, *index, run.plan.rounds.size() - round);
    run.deadlines.wait_for_round();
    done_seconds += run.plan.case_seconds[*index];
  }
}

}  // namespace plumbline::app
