#include "app/session/opening.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "app/results/uncounted.hpp"
#include "app/session/session_header.hpp"
#include "machine/cpu.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {

void tell_notes(RunContext& run) {
  for (const auto* notes : {&run.record.notes(), &std::as_const(run.plan.notes)})
    for (const auto& note : *notes) run.progress.say("note: " + note);
  if (const auto& counting = run.input.counting; !counting.groups.empty() && !counting.skipped.empty())
    run.progress.say("note: not counted with: " + counting.why_skipped());
  else if (run.counts_nothing())
    run.progress.say(fmt::format("note: nothing can be counted here: {}. {}", counting.why_skipped(),
                                 without_counts(run.campaign().time, !run.plan.ceilings.empty(), true)));
  if (run.input.counter_set && !run.input.counter_set->chosen_on(this_cpu().name))
    run.progress.say(
        fmt::format("note: the counter set was chosen on {}, and this is {}: its grades were not found here; score this run's "
                    "file to see whether they hold",
                    run.input.counter_set->machine, this_cpu().name));
}

void note_given_up(RunContext& run) {
  if (run.ranks.rank() != 0) return;
  for (const auto& [key, overdue] : run.record.earlier().overdue)
    if (overdue.given_up)
      run.note_failure(
          Status::failed, fmt::format("{} on {} ({} pass)", std::get<0>(key), std::get<1>(key), std::get<2>(key)),
          fmt::format("not tried again after {} deadlines, unless [deadline] grants more ({})", overdue.times, overdue.reason));
}

void open_teams(RunContext& run) {
  std::set<int> sizes;
  for (const auto& one : run.plan.cases) sizes.insert(one.team.ranks);
  for (const auto& one : run.plan.ceilings) sizes.insert(one.measured.team.ranks);
  for (const int size : sizes)
    if (size <= run.ranks.local().size()) run.ranks.team(size);
}

void open_journal(RunContext& run) {
  const JournalHeader header{.campaign = run.campaign().text,
                             .provenance = provenance_of_node(run.input, run.ranks),
                             .session = run.session,
                             .started_unix_ns = run.record.earlier().start_after(unix_nanoseconds()),
                             .machines = {{run.ranks.host(), machine_of_node(run.input, run.plan.part, run.ranks)}}};
  run.record.require_one_folder(run.session, run.ranks);
  run.keep([&] { run.record.open(header, run.ranks.host()); });
  run.deadlines.record_in(run.record, run.plan, header);
  if (run.stop_here()) return;
  for (const auto& skipped : run.plan.skipped)
    if (!run.is_finished(skipped.what.id(), time_pass)) run.keep_skipped(skipped.what, skipped.reason);
}

}  // namespace plumbline::app
