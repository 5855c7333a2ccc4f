#include "app/session/run_session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "app/nodes/node_report.hpp"
#include "app/results/uncounted.hpp"
#include "app/session/form_agreement.hpp"
#include "app/session/last_cache_stage.hpp"
#include "app/session/remeasuring_stage.hpp"
#include "app/session/run_deadlines.hpp"
#include "app/session/run_plan.hpp"
#include "app/session/run_record.hpp"
#include "app/session/session_header.hpp"
#include "app/stages/case_runner.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/form_contests_stage.hpp"
#include "app/stages/gpu_ceilings_stage.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "app/stages/node_links_stage.hpp"
#include "app/stages/numa_stage.hpp"
#include "app/terminal/interruption.hpp"
#include "app/terminal/progress.hpp"
#include "campaign/counter_set_file.hpp"
#include "core/wrong_result.hpp"
#include "counters/registry.hpp"
#include "machine/cpu.hpp"
#include "measure/clock.hpp"
#include "model/ceilings/ceiling_limits.hpp"
#include "store/result_store.hpp"
#include "store/session_list.hpp"

namespace plumbline::app {
namespace {

constexpr std::string_view time_pass = "time", count_pass = "count";

std::string session_name(Communicator& ranks) {
  return ranks.world().broadcast(fmt::format("{}-{}", ranks.host(), unix_nanoseconds() / 1'000'000));
}

std::vector<std::size_t> indices_from(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::size_t>(words), {}};
}

/// The campaign on this rank's node, in step with the other nodes.
class Session {
 public:
  Session(const RunOptions& options, RunInput& input, Communicator& ranks)
      : input_(input),
        ranks_(ranks),
        deadlines_(input, ranks),
        record_(options, input.campaign, output_of(options, input.campaign), ranks),
        plan_(plan_run(input, ranks, record_, Planning::to_run)),
        session_(session_name(ranks)),
        runner_(ranks, {session_, input.caches, input.counting, input.worker.get()}),
        progress_(plan_.rounds.size(), plan_.seconds, ranks.rank() == 0) {}

  Exit measure() {
    for (const auto* notes : {&record_.notes(), &std::as_const(plan_.notes)})
      for (const auto& note : *notes) progress_.say("note: " + note);
    if (const auto& counting = input_.counting; !counting.groups.empty() && !counting.skipped.empty())
      progress_.say("note: not counted with: " + counting.why_skipped());
    else if (cannot_count())
      progress_.say(fmt::format("note: nothing can be counted here: {}. {}", counting.why_skipped(), without_counts));
    tell_what_was_given_up();
    if (input_.counter_set && !input_.counter_set->chosen_on(this_cpu().name))
      progress_.say(
          fmt::format("note: the counter set was chosen on {}, and this is {}: its grades were not found here; score this run's "
                      "file to see whether they hold",
                      input_.counter_set->machine, this_cpu().name));
    open_teams();
    open_journal();
    measure_ceilings_in_rounds();
    settle_last_cache();
    measure_cases();
    if (compares_nodes()) measure_suspicious_again();
    return finish();
  }

 private:
  bool cannot_count() const { return input_.counting.groups.empty() && !input_.counting.skipped.empty(); }
  bool leads() const { return ranks_.local().rank() == 0; }
  bool is_finished(const std::string& id, std::string_view pass) const {
    return record_.finished().contains({id, ranks_.host(), std::string(pass)});
  }

  /// Teams come into being by all ranks of the node together; later only their members speak to each other.
  void open_teams() {
    std::set<int> sizes;
    for (const auto& one : plan_.cases) sizes.insert(one.team.ranks);
    for (const auto& one : plan_.ceilings) sizes.insert(one.measured.team.ranks);
    for (const int size : sizes)
      if (size <= ranks_.local().size()) ranks_.team(size);
  }

  void tell_what_was_given_up() {
    if (ranks_.rank() != 0) return;
    for (const auto& [key, overdue] : record_.overdue())
      if (overdue.given_up)
        note_failure(fmt::format("{} on {} ({} pass)", std::get<0>(key), std::get<1>(key), std::get<2>(key)),
                     fmt::format("not tried again after {} deadlines, unless [deadline] grants more ({})", overdue.times, overdue.reason));
  }

  void open_journal() {
    const JournalHeader header{.campaign = input_.campaign.text,
                               .provenance = provenance_of_node(input_, ranks_),
                               .session = session_,
                               .started_unix_ns = record_.start_after_earlier(unix_nanoseconds()),
                               .machines = {{ranks_.host(), machine_of_node(input_, plan_.part, ranks_)}}};
    record_.require_one_folder(session_, ranks_);
    keep([&] { record_.open(header, ranks_.host()); });
    deadlines_.record_in(record_, plan_, header);
    if (stop_here()) return;
    for (const auto& skipped : plan_.skipped)
      if (!is_finished(skipped.what.id(), time_pass)) keep_skipped(skipped.what, skipped.reason);
  }

  void keep_skipped(const Case& what, const std::string& reason) {
    if (input_.campaign.time) keep([&] { record_.append(runner_.skip(what, std::string(time_pass), reason)); });
    if (input_.campaign.count) keep([&] { record_.append(runner_.skip(what, std::string(count_pass), reason)); });
  }

  void measure_ceilings_in_rounds() {
    const bool any_here = !plan_.ceilings.empty() || wants_gpu_ceilings(input_.campaign) || wants_mpi_ceilings(input_.campaign) ||
                          wants_node_links(input_.campaign);
    if (!ranks_.world().any(any_here)) return;  // a node whose CPU has none of them goes through the rounds of the others
    const std::string_view mode = to_string(input_.campaign.ceilings.mode);
    choose_forms();
    CeilingsStage stage(plan_.ceilings, session_, ranks_, plan_.place);
    GpuCeilingsStage gpus(plan_.gpus, session_, ranks_, runner_.gpu_in_use());
    MpiCeilingsStage messages(input_.campaign, session_, ranks_, plan_.place);
    NodeLinksStage links(input_.campaign, session_, ranks_, plan_.place);
    for (int round = 0; round < plan_.ceiling_rounds && !stop_here(); ++round) {
      const int in_turn = input_.campaign.nodes.turns ? ranks_.nodes() : 1;
      deadlines_.begin_ceilings(plan_, stage.round_id(round), in_turn);
      if (!plan_.ceilings.empty() && !is_finished(stage.round_id(round), time_pass))
        progress_.say(fmt::format("ceilings ({}), round {} of {}: {} kernels and working sets", mode, round + 1, plan_.ceiling_rounds,
                                  plan_.ceilings.size()));
      for (int turn = 0; turn < in_turn; ++turn) {
        if (in_turn == 1 || turn == ranks_.node()) {
          measure_ceilings(stage, round);
          measure_gpu_ceilings(gpus, round, in_turn);
        }
        if (in_turn > 1) ranks_.world().wait_for_all();
      }
      deadlines_.begin_ceilings(plan_, messages.round_id(round), 1);
      const bool finished = is_finished(messages.round_id(round), time_pass);
      if (const auto unit = messages.measure(round, finished)) accept_ceilings(*unit);
      if (links.turns() == 0) continue;
      deadlines_.begin_ceilings(plan_, links.round_id(round), 1);
      progress_.say(
          fmt::format("links between {} nodes, round {} of {}: {} turns", ranks_.nodes(), round + 1, plan_.ceiling_rounds, links.turns()));
      if (const auto unit = links.measure(round, is_finished(links.round_id(round), time_pass))) accept_ceilings(*unit);
    }
  }

  /// Settles the last cache: the ceilings' sweeps decide what the cases are counted with. Without cases there is nothing to decide.
  void settle_last_cache() {
    const auto rule = last_cache_rule(input_.campaign);
    const bool any_on_cpus = std::any_of(plan_.cases.begin(), plan_.cases.end(), [](const Case& one) { return one.team.gpus == 0; });
    if (!rule || plan_.rounds.empty() || !any_on_cpus || stop_here()) return;
    deadlines_.begin_ceilings(plan_, std::string(last_cache_unit), 1);
    std::vector<CeilingRow> sweeps;
    keep([&] { sweeps = record_.sweeps(ranks_.host()); });
    LastCacheStage stage(input_, session_, ranks_, plan_.place);
    const LastCache last = stage.settle(*rule, record_, sweeps);
    runner_.set_last_cache(last);
    if (const auto unit = stage.unit()) accept(*unit);
    if (!last.name.empty() || *rule == LastCacheRule::measured) progress_.say("note: " + line_of(last));
  }

  /// Chooses the loop for each ceiling on this node and its like: by contests, or as an earlier session chose.
  void choose_forms() {
    if (stop_here()) return;
    const auto to_do = unchosen(plan_.contests, record_.chosen_forms(), ranks_.host());
    const Cpu& cpu = this_cpu();
    const CoreIdentity core{cpu.vendor, cpu.family, cpu.model, cpu.name, cpu.stepping};
    FormContestsStage stage(to_do, session_, ranks_, plan_.place,
                            [&](const CeilingRow& sample) { return fraction_of_limit(sample, core); });
    const int in_turn = input_.campaign.nodes.turns ? ranks_.nodes() : 1;
    deadlines_.begin_ceilings(plan_, stage.id(), in_turn);
    if (!to_do.empty()) progress_.say(fmt::format("ceilings: {} contests between loops for the same", to_do.size()));
    std::vector<CeilingRow> measured;
    for (int turn = 0; turn < in_turn; ++turn) {
      if (!to_do.empty() && (in_turn == 1 || turn == ranks_.node()))
        if (const auto unit = stage.measure()) {
          accept_ceilings(*unit);
          measured = unit->ceilings;
        }
      if (in_turn > 1) ranks_.world().wait_for_all();
    }
    const std::string kind = kind_of(input_, plan_.part);
    const auto chosen = agree_on_forms(measured, kind, record_, ranks_);
    const auto winners = leads() ? winners_of(plan_.contests, chosen, kind) : std::vector<std::size_t>();
    plan_.ceilings =
        with_winners(plan_.ceilings, plan_.contests, indices_from(ranks_.local().broadcast(fmt::format("{}", fmt::join(winners, " ")))));
  }

  void measure_ceilings(CeilingsStage& stage, int round) {
    if (is_finished(stage.round_id(round), time_pass)) return;
    auto unit = stage.measure(round);
    if (unit) add_numa_samples(round, *unit);
    ranks_.local().wait_for_all();
    if (unit) accept_ceilings(*unit);
  }

  /// Measures by the ranks that drive the node's GPUs, while the others wait.
  void measure_gpu_ceilings(GpuCeilingsStage& stage, int round, int in_turn) {
    if (plan_.gpus.all.empty()) return;
    const auto to_do = stage.to_do(round, [this](const std::string& id) { return is_finished(id, time_pass); });
    if (to_do.empty()) return;
    std::size_t points = 0;
    for (const auto& one : to_do) points += one.gpu->count;
    progress_.say(fmt::format("ceilings of {} ({}), round {} of {}: {} kernels and working sets",
                              to_do.size() == 1 ? "the GPU" : fmt::format("{} GPUs", to_do.size()),
                              to_string(input_.campaign.ceilings.mode), round + 1, plan_.ceiling_rounds, points));
    for (int turn = 0; turn < plan_.gpus.turns; ++turn) {
      std::vector<GpuCeilingsStage::ToDo> now;
      std::copy_if(to_do.begin(), to_do.end(), std::back_inserter(now), [&](const auto& one) { return one.gpu->driver.turn == turn; });
      if (now.empty()) continue;
      deadlines_.begin_gpu_ceilings(plan_, now, in_turn);
      for (const auto& unit : stage.measure(round, now)) accept_ceilings(unit);
    }
    ranks_.local().wait_for_all();
  }

  /// Adds samples by the leader, while the other ranks of the node wait.
  void add_numa_samples(int round, Finished& unit) const {
    if (round >= plan_.numa_rounds) return;
    for (auto& row : measure_numa(input_.topology, plan_.last_caches, ranks_.host(), session_, round))
      unit.ceilings.push_back(std::move(row));
  }

  void measure_cases() {
    double done_seconds = 0;
    progress_.begin();
    for (std::size_t round = 0; round < plan_.rounds.size() && !stop_here(); ++round) {
      const auto& index = plan_.rounds[round].here;
      deadlines_.begin_round(plan_, round);
      progress_.round(round, index ? plan_.cases[*index].id() : "(another node)", done_seconds);
      if (index) {
        run_case(*index, plan_.rounds.size() - round);
        deadlines_.wait_for_round();
        done_seconds += plan_.case_seconds[*index];
      }
    }
  }

  /// Ranks outside the team wait at the end of the round.
  void run_case(std::size_t index, std::size_t rounds_left) {
    const Case& measured = plan_.cases[index];
    const TeamCpus placement = plan_.place(measured.team);
    if (!placement.refusal.empty()) {
      refusal_ = placement.refusal;
      if (leads()) keep_skipped(measured, placement.refusal);
      return;
    }
    placed_any_ = true;
    if (ranks_.local().rank() >= measured.team.ranks) return;
    if (input_.campaign.time && !is_finished(measured.id(), time_pass)) {
      deadlines_.begin_pass(plan_, index, std::string(time_pass));
      accept(runner_.time(measured, placement, protocol(measured, rounds_left)));
    }
    const auto counting = keys_for(measured.team.space(), input_.counting.keys());
    if (input_.campaign.count && !is_counted(measured, input_.campaign, counting)) {
      if (leads()) keep([&] { record_.append(runner_.skip(measured, std::string(count_pass), why_not_counted(measured))); });
    } else if (input_.campaign.count && !counting_is_finished(record_.finished(), measured.id(), ranks_.host(), counting)) {
      deadlines_.begin_pass(plan_, index, std::string(count_pass));
      accept(runner_.count(measured, placement, input_.campaign.timing.min_seconds, deadlines_.worker_seconds(measured)));
    }
  }

  std::string why_not_counted(const Case& measured) const {
    if (measured.team.gpus == 0 || input_.campaign.counters == "none") return "the campaign's counters are \"none\"";
    CountingPlan of_gpus;
    std::copy_if(input_.counting.skipped.begin(), input_.counting.skipped.end(), std::back_inserter(of_gpus.skipped),
                 [](const CountingSkip& skip) { return find_backend(skip.backend)->of_gpu; });
    return of_gpus.skipped.empty() ? "counters of CPUs see nothing of a GPU's work" : of_gpus.why_skipped();
  }

  bool compares_nodes() const { return input_.campaign.placement == Placement::every_node && input_.campaign.time && ranks_.nodes() > 1; }

  /// Measures again what is suspicious. All nodes' measurements lie in their journals: rank 0 judges from there, as `plumbline nodes` does
  /// later.
  void measure_suspicious_again() {
    if (!input_.campaign.nodes.remeasure) return;
    keep([&] { record_.sync(); });
    if (stop_here()) return;
    deadlines_.begin_judging(plan_);
    const auto hosts = ranks_.world().gather(ranks_.host());
    RemeasuringPlan again;
    if (ranks_.rank() == 0) keep([&] { again = plan_remeasuring_of(record_, hosts, budget_left()); });
    for (const auto& line : again.left_out) progress_.say(line);
    again = remeasuring_plan_from(ranks_.world().broadcast(ranks_.rank() == 0 ? to_text(again) : ""));
    if (again.groups.empty()) return;
    std::vector<RemeasuredRow> earlier;
    keep([&] { earlier = record_.remeasured(ranks_.host()); });
    RemeasuringStage stage({plan_, ranks_, runner_, deadlines_, input_.campaign, session_, std::move(earlier)});
    agree_on(
        again, [&](const std::string& id) { return stage.turn_seconds(id); }, input_.campaign.nodes.turns, ranks_.world());
    if (again.groups.empty()) return;
    for (const auto& line : to_lines(again)) progress_.say(line);
    for (const auto& step : steps_of(again.groups, again.taken, again.turns, input_.campaign.nodes.turns))
      if (!stage.measure(again, step, [this] { return stop_here(); })) break;
    // A run that stops keeps each turn that a case's nodes have finished: a resumed one goes on from there, however short it is.
    for (const auto& unit : stage.finished()) accept(unit);
  }

  std::optional<double> budget_left() const {
    if (!input_.campaign.budget_seconds) return std::nullopt;
    return std::max(0.0, *input_.campaign.budget_seconds - (now_seconds() - began_));
  }

  /// The protocol of a case. The rest of the budget is shared by what is left to do; when it is spent, cases get their fewest repetitions.
  /// So they do long before their deadline.
  TimingProtocol protocol(const Case& measured, std::size_t rounds_left) const {
    const Timing& wanted = input_.campaign.timing;
    TimingProtocol protocol{
        .min_seconds = wanted.min_seconds, .ci_relative = wanted.ci_relative, .max_repetitions = wanted.max_repetitions};
    protocol.min_repetitions = std::min(protocol.min_repetitions, protocol.max_repetitions);
    if (const auto left = budget_left()) protocol.budget_seconds = *left / static_cast<double>(rounds_left);
    protocol.budget_seconds = std::min(protocol.budget_seconds, deadlines_.time_seconds(measured) / 2);
    return protocol;
  }

  void accept(const std::optional<Finished>& unit) {
    if (!unit) return;
    if (unit->outcome.status == Status::failed) note_failure(unit->outcome.case_id, unit->outcome.reason);
    keep([&] { record_.append(*unit); });
  }

  void accept_ceilings(const Finished& unit) {
    for (const auto& row : unit.ceilings)  // of a failed sample, `method` ends with the reason
      if (row.status == Status::failed) note_failure(row.name, row.method);
    keep([&] { record_.append(unit); });
  }

  void note_failure(const std::string& what, const std::string& reason) {
    code_ = worse(code_, tells_of_wrong_result(reason) ? Exit::wrong_result : Exit::io_or_failed_case);
    notes_ += fmt::format("{}{}: {}", notes_.empty() ? "" : "; ", what, reason);
  }

  /// Runs `write` on the leader; what goes wrong ends the run at the next boundary, on all ranks alike.
  template <class Write>
  void keep(Write write) {
    if (!leads() || lost_) return;
    try {
      write();
    } catch (const Error& error) {
      lost_ = error;
    }
  }

  /// A boundary: all ranks agree whether to go on, by one collective.
  bool stop_here() {
    constexpr double interrupted = 1, lost = 2;
    if (stopped_) return true;
    const double worst = ranks_.world().max(lost_ ? lost : signal_received() != 0 ? interrupted : 0);
    interrupted_ = worst == interrupted;
    stopped_ = worst > 0;
    return stopped_;
  }

  Exit finish() {
    deadlines_.begin_end(plan_);
    keep([&] { record_.sync(); });
    stop_here();
    ranks_.world().wait_for_all();
    const bool placed_none = !ranks_.world().any(placed_any_ || refusal_.empty());  // before any rank throws alone
    const auto written = ranks_.world().gather(record_.written());
    if (ranks_.rank() == 0 && !stopped_) keep([&] { record_.require_all(written); });
    std::optional<NodeReport> nodes;
    if (ranks_.rank() == 0 && !stopped_ && !lost_ && compares_nodes())
      keep([&] { nodes = judge_nodes(seen_in_run(record_.store()), record_.store().string(), {}); });  // the journals will go
    Consolidated made;
    if (ranks_.rank() == 0 && !lost_) made = record_.consolidate(!stopped_, case_ids());
    for (const auto& [reason, units] : made.reasons) {
      const bool told = cannot_count() && reason.ends_with(input_.counting.why_skipped());
      progress_.say(fmt::format("{} x {}", units, told ? "unavailable: nothing can be counted here, as noted above" : reason));
    }
    if (nodes && !lost_)
      tell_of_nodes(*nodes);
    else
      tell_of_earlier(made);
    if (lost_) throw *lost_;
    if (interrupted_)
      throw Error(Exit::stopped_early,
                  fmt::format("stopped at a case boundary by a signal; go on with --resume (so far: {})", record_.store().string()));
    if (code_ != Exit::ok) throw RunFindings(code_, notes_);
    if (placed_none && plan_.ceilings.empty() && !wants_gpu_ceilings(input_.campaign) && record_.finished().empty())
      throw user_error(fmt::format("no case could be placed, so nothing was measured: {}", refusal_));
    return code_;
  }

  /// Tells of the nodes, on rank 0, when all is written.
  void tell_of_nodes(const NodeReport& report) {
    for (const auto& line : summary_lines(report)) progress_.say(line);
    for (const auto& finding : slower_nodes(report)) note_finding(Exit::regression, finding);
    for (const auto& finding : wrong_on_nodes(report))
      note_finding(Exit::wrong_result, finding);  // of an earlier session, or another node too
  }

  /// Wrong results of earlier sessions, which stay; this one's are noted already.
  void tell_of_earlier(const Consolidated& made) {
    constexpr std::size_t most = 5;
    for (const auto& [session, found] : made.wrong) {
      if (session == session_) continue;
      const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
      note_finding(Exit::wrong_result, fmt::format("session {} found what stays in the file ({} in all): {}", session, found.size(),
                                                   fmt::join(found.begin(), end, "; ")));
    }
  }

  void note_finding(Exit code, const std::string& finding) {
    code_ = worse(code_, code);
    notes_ += fmt::format("{}{}", notes_.empty() ? "" : "; ", finding);
  }

  std::vector<std::string> case_ids() const {
    std::vector<std::string> ids;
    for (const auto& one : plan_.cases) ids.push_back(one.id());
    for (const auto& one : plan_.skipped) ids.push_back(one.what.id());
    return ids;
  }

  RunInput& input_;
  Communicator& ranks_;
  RunDeadlines deadlines_;
  RunRecord record_;
  RunPlan plan_;
  std::string session_;
  CaseRunner runner_;
  Progress progress_;
  double began_ = now_seconds();
  Exit code_ = Exit::ok;
  std::string notes_;
  std::optional<Error> lost_;
  std::string refusal_;  // of a case's team by this node
  bool placed_any_ = false;
  bool interrupted_ = false, stopped_ = false;
};

}  // namespace

Exit run_session(const RunOptions& options, RunInput& input, Communicator& ranks) {
  if (input.error) throw *input.error;
  input.counting = counting_plan_from(ranks.local().broadcast(ranks.local().rank() == 0 ? to_text(input.counting) : ""));
  if (options.dry_run) {
    const RunRecord record(options, input.campaign, output_of(options, input.campaign), ranks);
    return print_plan(plan_run(input, ranks, record, Planning::to_tell), input, ranks);
  }
  return Session(options, input, ranks).measure();
}

}  // namespace plumbline::app
