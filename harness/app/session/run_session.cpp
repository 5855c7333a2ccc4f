#include "app/session/run_session.hpp"

#include <fmt/format.h>

#include "app/session/case_rounds.hpp"
#include "app/session/ceiling_rounds.hpp"
#include "app/session/closing.hpp"
#include "app/session/dry_run.hpp"
#include "app/session/opening.hpp"
#include "app/session/remeasuring.hpp"
#include "app/session/run_context.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

std::string session_name(Communicator& ranks) {
  return ranks.world().broadcast(fmt::format("{}-{}", ranks.host(), unix_nanoseconds() / 1'000'000));
}

Exit tell_plan(const RunOptions& options, const RunInput& input, Communicator& ranks) {
  const RunRecord record(options, input.campaign, output_of(options, input.campaign), ranks);
  return print_plan(plan_run(input, ranks, record, Planning::to_tell), input, ranks);
}

Exit measure(const RunOptions& options, const RunInput& input, Communicator& ranks) {
  RunDeadlines deadlines(input, ranks);
  RunRecord record(options, input.campaign, output_of(options, input.campaign), ranks);
  RunPlan plan = plan_run(input, ranks, record, Planning::to_run);
  const std::string session = session_name(ranks);
  CaseRunner runner(ranks, {session, input.caches, input.counting, input.worker.get(), input.backends, input.campaign.timing.cold_l2,
                            input.campaign.counting});
  Progress progress(plan.rounds.size(), plan.seconds, ranks.rank() == 0);
  RunContext run{input, ranks, deadlines, record, plan, runner, progress, session, now_seconds()};

  tell_notes(run);
  note_given_up(run);
  open_teams(run);
  open_journal(run);
  measure_ceilings(run);
  settle_last_cache(run);
  measure_cases(run);
  measure_suspicious_again(run);
  return close_run(run);
}

}  // namespace

Exit run_session(const RunOptions& options, RunInput& input, Communicator& ranks) {
  if (input.error) throw *input.error;
  input.counting = counting_plan_from(ranks.local().broadcast(ranks.local().rank() == 0 ? to_text(input.counting) : ""));
  return options.dry_run ? tell_plan(options, input, ranks) : measure(options, input, ranks);
}

}  // namespace plumbline::app
