#include "app/run_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/case_runner.hpp"
#include "app/ceilings_stage.hpp"
#include "app/interruption.hpp"
#include "app/mpi_ceilings_stage.hpp"
#include "app/numa_stage.hpp"
#include "app/progress.hpp"
#include "app/run_plan.hpp"
#include "app/run_record.hpp"
#include "app/streams.hpp"
#include "machine/machine_json.hpp"
#include "campaign/counter_set_file.hpp"
#include "machine/provenance.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

constexpr std::string_view time_pass = "time", count_pass = "count";

std::string session_name(Communicator& ranks) {
  return ranks.world().broadcast(fmt::format("{}-{}", ranks.host(), unix_nanoseconds() / 1'000'000));
}

/// Where the results come from, and the caches whose traffic was simulated: those of a geometry file are known nowhere else.
std::string provenance_of(const RunInput& input) {
  auto provenance = nlohmann::json::parse(provenance_json(Communicator::library_version()));
  auto& caches = provenance["simulated_caches"] = nlohmann::json::array();
  if (input.worker && input.campaign.emulated.caches.value != "none")
    for (const auto& level : input.caches)
      caches.push_back({{"name", level.name}, {"bytes", level.bytes}, {"ways", level.ways}, {"line_bytes", level.line_bytes}});
  if (input.counter_set) provenance["counter_set"] = counter_set_toml(*input.counter_set);
  return provenance.dump();
}

/// The campaign on this rank's node, in step with the other nodes.
class Session {
 public:
  Session(const RunOptions& options, RunInput& input, Communicator& ranks)
      : input_(input),
        ranks_(ranks),
        record_(options, output_of(options, input.campaign), ranks),
        plan_(plan_run(input, ranks, record_.finished())),
        session_(session_name(ranks)),
        runner_(ranks, {session_, input.caches, input.counting, input.worker.get()}),
        progress_(plan_.rounds.size(), plan_.seconds, ranks.rank() == 0) {}

  Exit measure() {
    for (const auto& note : plan_.notes) progress_.say("note: " + note);
    if (const auto& counting = input_.counting; !counting.groups.empty() && !counting.skipped.empty())
      progress_.say("note: not counted with: " + counting.why_skipped());
    open_teams();
    open_journal();
    measure_ceilings_in_rounds();
    measure_cases();
    return finish();
  }

 private:
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

  void open_journal() {
    keep([&] {
      record_.open({.campaign = input_.campaign.text,
                    .provenance = provenance_of(input_),
                    .session = session_,
                    .started_unix_ns = unix_nanoseconds(),
                    .machines = {{ranks_.host(), machine_json(ranks_.host(), input_.topology, this_cpu(), this_node_state())}}},
                   ranks_.host());
    });
    if (stop_here()) return;
    for (const auto& skipped : plan_.skipped)
      if (!is_finished(skipped.what.id(), time_pass)) keep_skipped(skipped.what, skipped.reason);
  }

  void keep_skipped(const Case& what, const std::string& reason) {
    if (input_.campaign.time) keep([&] { record_.append(runner_.skip(what, std::string(time_pass), reason)); });
    if (input_.campaign.count) keep([&] { record_.append(runner_.skip(what, std::string(count_pass), reason)); });
  }

  void measure_ceilings_in_rounds() {
    if (plan_.ceilings.empty() && !wants_mpi_ceilings(input_.campaign)) return;
    const std::string_view mode = to_string(input_.campaign.ceilings.mode);
    CeilingsStage stage(plan_.ceilings, session_, ranks_, plan_.place);
    MpiCeilingsStage messages(input_.campaign, session_, ranks_, plan_.place);
    for (int round = 0; round < plan_.ceiling_rounds && !stop_here(); ++round) {
      if (!is_finished(stage.round_id(round), time_pass)) {
        progress_.say(fmt::format("ceilings ({}), round {} of {}: {} kernels and working sets", mode, round + 1, plan_.ceiling_rounds,
                                  plan_.ceilings.size()));
        auto unit = stage.measure(round);
        if (unit) add_numa_samples(round, *unit);
        ranks_.local().wait_for_all();
        if (unit) accept_ceilings(*unit);
      }
      const bool finished = is_finished(messages.round_id(round), time_pass);
      if (const auto unit = messages.measure(round, finished)) accept_ceilings(*unit);
    }
  }

  /// By the leader, while the other ranks of the node wait.
  void add_numa_samples(int round, Finished& unit) const {
    if (round >= plan_.numa_rounds) return;
    for (auto& row : measure_numa(input_.topology, ranks_.host(), session_, round)) unit.ceilings.push_back(std::move(row));
  }

  void measure_cases() {
    double done_seconds = 0;
    progress_.begin();
    const auto node = static_cast<std::size_t>(ranks_.node());
    for (std::size_t round = 0; round < plan_.rounds.size() && !stop_here(); ++round) {
      const auto& index = plan_.rounds[round][node];
      progress_.round(round, index ? plan_.cases[*index].id() : "(another node)", done_seconds);
      if (index) {
        run_case(plan_.cases[*index], plan_.rounds.size() - round);
        done_seconds += plan_.case_seconds[*index];
      }
    }
  }

  /// Ranks outside the team wait at the end of the round.
  void run_case(const Case& measured, std::size_t rounds_left) {
    const TeamCpus placement = plan_.place(measured.team);
    if (!placement.refusal.empty()) {
      refusal_ = placement.refusal;
      if (leads()) keep_skipped(measured, placement.refusal);
      return;
    }
    placed_any_ = true;
    if (ranks_.local().rank() >= measured.team.ranks) return;
    if (input_.campaign.time && !is_finished(measured.id(), time_pass)) accept(runner_.time(measured, placement, protocol(rounds_left)));
    if (input_.campaign.count && input_.campaign.counters == "none") {
      if (leads()) keep([&] { record_.append(runner_.skip(measured, std::string(count_pass), "the campaign's counters are \"none\"")); });
    } else if (input_.campaign.count && !counting_is_finished(record_.finished(), measured.id(), ranks_.host(), input_.counting.keys())) {
      const double patience = 120 + 20 * estimate(measured, input_.campaign).count_seconds;
      accept(runner_.count(measured, placement, input_.campaign.timing.min_seconds, patience));
    }
  }

  /// What is left of the budget is shared by what is left to do; when it is spent, cases get their fewest repetitions.
  TimingProtocol protocol(std::size_t rounds_left) const {
    const Timing& wanted = input_.campaign.timing;
    TimingProtocol protocol{
        .min_seconds = wanted.min_seconds, .ci_relative = wanted.ci_relative, .max_repetitions = wanted.max_repetitions};
    protocol.min_repetitions = std::min(protocol.min_repetitions, protocol.max_repetitions);
    if (input_.campaign.budget_seconds)
      protocol.budget_seconds =
          std::max(0.0, *input_.campaign.budget_seconds - (now_seconds() - began_)) / static_cast<double>(rounds_left);
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
    code_ = worse(code_, reason.find("wrong result") != std::string::npos ? Exit::wrong_result : Exit::io_or_failed_case);
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

  /// A boundary: all ranks agree whether to go on.
  bool stop_here() {
    if (stopped_) return true;
    interrupted_ = ranks_.world().any(signal_received() != 0);
    const bool failed = ranks_.world().any(lost_.has_value());
    stopped_ = interrupted_ || failed;
    return stopped_;
  }

  Exit finish() {
    stop_here();
    ranks_.world().wait_for_all();
    const bool placed_none = !ranks_.world().any(placed_any_ || refusal_.empty());  // before any rank throws alone
    if (ranks_.rank() == 0 && !lost_)
      for (const auto& [reason, units] : record_.consolidate(!stopped_, case_ids())) progress_.say(fmt::format("{} x {}", units, reason));
    if (lost_) throw *lost_;
    if (interrupted_)
      throw Error(Exit::stopped_early,
                  fmt::format("stopped at a case boundary by a signal; go on with --resume (so far: {})", record_.store().string()));
    if (code_ != Exit::ok) throw Error(code_, notes_);
    if (placed_none && plan_.ceilings.empty() && record_.finished().empty())
      throw user_error(fmt::format("no case could be placed, so nothing was measured: {}", refusal_));
    if (ranks_.rank() == 0) print(record_.store().string() + "\n");
    return code_;
  }

  std::vector<std::string> case_ids() const {
    std::vector<std::string> ids;
    for (const auto& one : plan_.cases) ids.push_back(one.id());
    return ids;
  }

  RunInput& input_;
  Communicator& ranks_;
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
    const RunRecord record(options, output_of(options, input.campaign), ranks);
    return print_plan(plan_run(input, ranks, record.finished()), input, ranks);
  }
  return Session(options, input, ranks).measure();
}

}  // namespace plumbline::app
