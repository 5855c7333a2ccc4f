#include "app/stages/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/stages/count_rows.hpp"
#include "app/stages/pass_outcome.hpp"
#include "core/gpu_device.hpp"
#include "counters/perf_event/perf_event.hpp"
#include "gpu/gpu_caches.hpp"
#include "machine/binding.hpp"
#include "machine/gpu_watch.hpp"
#include "measure/clock.hpp"
#include "measure/gpu_counting.hpp"
#include "measure/gpu_timing.hpp"
#include "measure/repeating.hpp"
#include "model/placement/launch_crossover.hpp"
#include "store/record_json.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

json rank_placement(int rank, const std::string& host, const std::vector<int>& cpus) {
  return {{"rank", rank}, {"host", host}, {"cpus", cpus}};
}

/// The reason of the first reading that is not ok, or the note on one that is; empty where there is neither, but for those that nobody
/// wanted.
std::string first_reason(const CountedCase& counted) {
  for (const auto& repetition : counted.repetitions)
    for (const auto* region : {&repetition.kernel, &repetition.empty})
      for (const auto& thread : *region)
        for (const Reading& reading : thread)
          if (!reading.reason.empty() && reading.status != Status::skipped)
            return reading.status == Status::ok ? reading.reason : fmt::format("{}: {}", reading.event, reading.reason);
  return "";
}

/// Takes in what another rank measured, and its outcome where that one is to tell what became of the pass.
void absorb(Finished& all, Finished&& part, bool tells) {
  if (tells) {
    all.outcome.status = part.outcome.status;
    all.outcome.reason = part.outcome.reason;
  }
  std::move(part.times.begin(), part.times.end(), std::back_inserter(all.times));
  std::move(part.counts.begin(), part.counts.end(), std::back_inserter(all.counts));
}

Finished from_text(const std::string& text) {
  std::string why;
  auto parsed = from_payload(text, why);
  if (!parsed || !std::holds_alternative<Finished>(*parsed)) throw io_error("a rank's record could not be read back: " + why);
  return std::get<Finished>(std::move(*parsed));
}

std::vector<ModelRow> rows_of(const Case& measured, const Counts& counts, const std::string& phase = "") {
  std::vector<ModelRow> rows;
  for (const auto& [quantity, amount] : counts)
    rows.push_back({measured.id(), quantity, static_cast<double>(amount.lo), static_cast<double>(amount.hi), phase});
  return rows;
}

/// The names of a case's phases in their order; none of a kernel.
std::vector<std::string> phases_of(const Case& measured) {
  std::vector<std::string> names;
  if (const auto application = measured.application())
    for (const Phase& phase : application->phases) names.push_back(phase.name);
  return names;
}

/// The threads among which the team's own loops are divided: those of a GPU's team are for what is left to the host.
int threads_in(const Team& team) { return team.gpus > 0 ? 1 : team.threads; }

/// The steps of a sweep that the host does.
std::uint64_t entries_of_host(const ApplicationWork& sweep) {
  std::uint64_t entries = 0;
  for (const Phase& phase : sweep.phases) entries += phase.on_host ? phase.entries : 0;
  return entries;
}

/// The rows of an application's sweep: the whole, then each phase.
std::vector<ModelRow> application_rows(const Case& measured, const ApplicationWork& application, std::span<const CacheLevel> caches,
                                       std::span<const CacheLevel> host_caches) {
  const int threads = threads_in(measured.team), host_threads = measured.team.threads;
  const auto counts_with_steps = [&](Counts counts, const ApplicationWork& some) {
    if (measured.team.gpus == 0) return counts;
    counts["launches"] = launches_of(some);
    if (const std::uint64_t entries = entries_of_host(some); entries > 0) counts[host_entries] = entries;
    return counts;
  };
  std::vector<ModelRow> rows =
      rows_of(measured, counts_with_steps(expected_counts(application, caches, threads, host_caches, host_threads), application));
  for (const Phase& phase : application.phases) {
    const Counts counts = expected_counts(application, phase, caches, threads, host_caches, host_threads);
    std::ranges::move(rows_of(measured, counts_with_steps(counts, {.phases = {phase}}), phase.name), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

std::vector<ModelRow> model_rows(const Case& measured, std::span<const CacheLevel> caches, std::span<const CacheLevel> host_caches) {
  const auto application = measured.application();
  std::vector<ModelRow> rows = application ? application_rows(measured, *application, caches, host_caches)
                                           : rows_of(measured, expected_counts(measured.work(), caches, threads_in(measured.team)));
  if (measured.team.gpus > 0) return rows;
  const Amount touched = working_set(measured.work(), measured.team.threads);
  rows.push_back({measured.id(), "working_set", static_cast<double>(touched.lo), static_cast<double>(touched.hi)});
  if (!caches.empty() && caches.back().shared) {
    const auto bytes = static_cast<double>(caches.back().bytes);
    rows.push_back({measured.id(), "last_cache", bytes, bytes});
  }
  return rows;
}

std::vector<CacheLevel> CaseRunner::caches_of(const TeamCpus& placement, std::uint64_t last_bytes) const {
  return placement.gpus.empty() ? cpu_caches_of(placement, last_bytes) : cache_levels(placement.gpus.front().gpu);
}

std::vector<CacheLevel> CaseRunner::cpu_caches_of(const TeamCpus& placement, std::uint64_t last_bytes) const {
  std::vector<CacheLevel> caches = with_last_cache(setting_.caches, last_, last_bytes);
  for (auto& level : caches)
    if (level.shared) level.bytes = part_of(level, placement.ranks_per_l3);
  return caches;
}

std::vector<ModelRow> CaseRunner::modelled(const Case& measured, const TeamCpus& placement) const {
  const auto application = measured.application();
  const bool host_works = placement.gpus.empty() || (application && std::ranges::any_of(application->phases, &Phase::on_host));
  const auto rows_with = [&](std::uint64_t bytes) {
    return model_rows(measured, caches_of(placement, bytes), cpu_caches_of(placement, bytes));
  };
  std::vector<ModelRow> rows = rows_with(last_.bytes);
  const auto widen = [&rows](const std::vector<ModelRow>& other) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].lo = std::min(rows[i].lo, other[i].lo);
      rows[i].hi = std::max(rows[i].hi, other[i].hi);
    }
  };
  if (setting_.cold_l2 && !placement.gpus.empty()) {
    std::vector<CacheLevel> cold = caches_of(placement, last_.bytes);
    cold.back().policy.empty_at_start = true;
    const std::vector<ModelRow> from_cold = model_rows(measured, cold, cpu_caches_of(placement, last_.bytes));
    // The first phases of an application alone find it so.
    application ? widen(from_cold) : rows.assign(from_cold.begin(), from_cold.end());
  }
  if (last_.is_sure() || !host_works) return rows;
  for (const std::uint64_t bytes : {last_.lo, last_.hi}) widen(rows_with(bytes));
  return rows;
}

OutcomeRow CaseRunner::outcome(const Case& measured, const std::string& pass) const {
  return {.case_id = measured.id(),
          .pass = pass,
          .status = Status::ok,
          .reason = "",
          .node = ranks_.host(),
          .placement = "{}",
          .started_unix_ns = unix_nanoseconds(),
          .session = setting_.session};
}

Finished CaseRunner::skip(const Case& measured, const std::string& pass, const std::string& reason) const {
  const std::vector<CacheLevel> of_no_gpu;  // that a case was not measured on
  Finished unit{.case_row = measured.row(), .outcome = outcome(measured, pass), .times = {}, .counts = {}, .model = {}, .ceilings = {}};
  try {
    unit.model = measured.team.gpus > 0 ? model_rows(measured, of_no_gpu) : modelled(measured, {});
  } catch (const std::invalid_argument&) {  // values that are no case together have no model either
  }
  unit.outcome.status = Status::skipped;
  unit.outcome.reason = reason;
  return unit;
}

std::optional<Finished> CaseRunner::time(const Case& measured, const TeamCpus& placement, const TimingProtocol& protocol) {
  Finished mine{.case_row = measured.row(), .outcome = outcome(measured, "time"), .times = {}, .counts = {}, .model = {}, .ceilings = {}};
  Group& team = ranks_.team(measured.team.ranks);
  TeamMeeting meeting(team);
  const auto& cpus = placement.cpus[static_cast<std::size_t>(team.rank())];
  const BoundTeam bound(cpus, meeting);
  const ThreadTeam& threads = bound.threads();
  Timed timed;
  json facts = rank_placement(team.rank(), ranks_.host(), cpus);
  if (!bound.problem().empty()) {
    timed.status = Status::failed;
    timed.reason = bound.problem();
    timed.failed_at = bound.failed_at();
  } else if (!placement.gpus.empty()) {
    timed = time_on_gpu_of(measured, placement.gpus[static_cast<std::size_t>(team.rank())], protocol, meeting, threads, facts);
  } else {
    TimingProtocol as_placed = protocol;
    as_placed.quiet = !placement.oversubscribed;
    timed = time_case(measured, as_placed, threads, meeting);
  }
  mine.outcome.status = timed.status;
  mine.outcome.reason = timed.reason;
  const std::vector<std::string> phases = phases_of(measured);
  for (std::size_t i = 0; i < timed.repetitions.size(); ++i) {
    const Repetition& r = timed.repetitions[i];
    TimeRow row{.case_id = mine.case_row.id, .node = ranks_.host(), .session = setting_.session, .repetition = static_cast<int>(i)};
    row.sweeps = static_cast<std::int64_t>(r.sweeps);
    const auto add = [&](int rank, double seconds, double clock_hz, double cpu_share, double steal_seconds) {
      row.rank = rank;
      row.seconds = seconds;
      row.clock_hz = clock_hz;
      row.cpu_share = cpu_share;
      row.steal_seconds = steal_seconds;
      mine.times.push_back(row);
    };
    const auto add_both = [&](double team_seconds, double rank_seconds) {
      if (team.rank() == 0) add(-1, team_seconds, r.clock_hz, r.mean_cpu_share, r.steal_seconds);
      if (team.size() > 1) add(team.rank(), rank_seconds, r.rank_clock_hz, r.rank_cpu_share, r.rank_steal_seconds);
    };
    add_both(r.seconds, r.rank_seconds);
    for (std::size_t phase = 0; phase < r.phases.size(); ++phase) {
      row.phase = phases[phase];
      add_both(r.phases[phase].seconds, r.phases[phase].rank_seconds);
    }
  }
  if (!timed.why_no_steal.empty()) facts["no_steal_seconds"] = timed.why_no_steal;
  facts["error"] = timed.error;
  facts["tolerance"] = timed.tolerance;
  facts["wrong_result"] = timed.status == Status::wrong_result;
  return gather(measured, std::move(mine), timed.failed_at, facts.dump(), placement);
}

Timed CaseRunner::time_on_gpu_of(const Case& measured, const TeamGpu& own, const TimingProtocol& protocol, TeamMeeting& team,
                                 const ThreadTeam& threads, json& facts) {
  const GpuProperties& gpu = own.gpu;
  facts["gpu"] = gpu_.facts(gpu);
  facts["gpu"]["device"] = gpu_word(own.device);
  facts["gpu"]["cold_l2"] = setting_.cold_l2;
  if (team.ranks() > 1) facts["gpu"]["messages"] = {{"from_device", team.take_device_addresses()}, {"reason", device_addresses().why}};
  Timed timed;
  if (auto lost = gpu_.why_lost(gpu); !lost.empty()) timed = {.status = Status::skipped, .reason = std::move(lost), .repetitions = {}};
  try {
    if (timed.status == Status::ok) gpu_.use(gpu);
  } catch (const Error& refused) {
    timed = {.status = Status::failed, .reason = refused.what(), .repetitions = {}};
  }
  if (fails_with_team(timed, team)) return timed;
  GpuWatch watch(gpu_.nvml(), gpu.pci);
  TimingProtocol here = protocol;
  here.cold_l2 = setting_.cold_l2;
  timed = time_on_gpu(measured, here, gpu_.use(gpu), team, threads);
  if (is_failure(timed.status)) gpu_.look_for_loss("case " + measured.id(), timed.reason);
  facts["gpu"]["conditions"] = json::parse(watch.end().json());
  if (!timed.host_flavor.empty()) facts["gpu"]["host_flavor"] = timed.host_flavor, facts["gpu"]["host_threads"] = threads.size();
  const TheoreticalOccupancy& occupancy = timed.occupancy;
  facts["gpu"]["theoretical_occupancy"] =
      occupancy.is_known() ? json{{"least", occupancy.least}, {"most", occupancy.most}} : json{{"reason", occupancy.reason}};
  return timed;
}

std::optional<Finished> CaseRunner::count(const Case& measured, const TeamCpus& placement, double min_seconds, double patience_seconds) {
  Finished mine{.case_row = measured.row(), .outcome = outcome(measured, "count"), .times = {}, .counts = {}, .model = {}, .ceilings = {}};
  Group& team = ranks_.team(measured.team.ranks);
  TeamMeeting meeting(team);
  std::vector<CountingGroup> groups = setting_.counting.groups;
  std::erase_if(groups, [&](const CountingGroup& group) { return !counts_there(group, measured.team.space()); });
  const auto& cpus = placement.cpus[static_cast<std::size_t>(team.rank())];
  std::optional<BoundTeam> bound;
  if (std::any_of(groups.begin(), groups.end(), [](const CountingGroup& group) { return !group.what.emulated; }))
    bound.emplace(cpus, meeting);
  const std::vector<std::string> phases = phases_of(measured);
  std::vector<GroupOutcome> outcomes;
  std::optional<CountingOnGpu> on_gpu;
  for (const CountingGroup& group : groups) {
    const int repetitions = repetitions_of(group);
    const CountedCase counted =
        group.what.emulated
            ? setting_.worker->count(
                  measured, {group.backend, group.what.events, repetitions, placement.ranks_per_l3, last_.is_measured ? last_.bytes : 0},
                  patience_seconds)
        : placement.gpus.empty()
            ? count_here(measured, group, *bound, placement, meeting, min_seconds)
            : count_on_gpu_of(measured, placement.gpus[static_cast<std::size_t>(team.rank())].gpu, group, *bound, meeting, on_gpu);
    CountRow row{.case_id = mine.case_row.id, .node = ranks_.host(), .session = setting_.session, .event = "", .backend = group.backend};
    row.group = group.number;
    row.rank = team.rank();
    add_count_rows(mine.counts, row, counted.repetitions);
    for (std::size_t phase = 0; phase < counted.phases.size(); ++phase) {
      row.phase = phases[phase];
      add_count_rows(mine.counts, row, counted.phases[phase]);
    }
    outcomes.push_back(
        {group.backend, counted.status, counted.status == Status::ok ? first_reason(counted) : counted.reason, counted.failed_at});
  }
  if (outcomes.empty())
    outcomes.push_back(
        {"counters", Status::unavailable,
         setting_.counting.groups.empty() ? setting_.counting.why_skipped() : "counters of GPUs see nothing of a CPU's work"});
  conclude(mine.outcome, outcomes);
  const FailedAt where = where_failed(mine.outcome, outcomes);
  return gather(measured, std::move(mine), where, rank_placement(team.rank(), ranks_.host(), cpus).dump(), placement);
}

CountedCase CaseRunner::ready_on_gpu(const GpuProperties& gpu, const CountingGroup& group, const BoundTeam& bound) {
  if (!bound.problem().empty()) return {Status::failed, bound.problem(), {}, bound.failed_at()};
  if (auto lost = gpu_.why_lost(gpu); !lost.empty()) return {Status::skipped, std::move(lost), {}};
  try {
    gpu_.use_to_count(gpu);
  } catch (const Error& refused) {
    return {Status::failed, refused.what(), {}};
  }
  auto& backend = backends_[group.key()];
  if (!backend) backend = make_backend(group.backend, group.what.events, setting_.backends);  // in the context that is now current
  if (backend->groups().size() != 1 || backend->groups().front().events != group.what.events)
    return {Status::unavailable,
            backend->availability().ok() ? "the GPU cannot count these events together" : backend->availability().reason,
            {}};
  return {};
}

CountedCase CaseRunner::count_on_gpu_of(const Case& measured, const GpuProperties& gpu, const CountingGroup& group, const BoundTeam& bound,
                                        TeamMeeting& team, std::optional<CountingOnGpu>& counting) {
  const CountedCase ready = ready_on_gpu(gpu, group, bound);
  if (team.any(ready.status != Status::ok)) {
    if (ready.status != Status::ok) return ready;
    return {Status::failed, another_rank("cannot count on its GPU"), {}, FailedAt::another_rank};
  }
  if (!counting) counting.emplace(measured, gpu_.use_to_count(gpu), empties_, team, bound.threads(), setting_.cold_l2);
  Backend& backend = *backends_[group.key()];
  gpu_.is_counted_by(backend);
  CountedCase counted = counting->count(backend, 0, repetitions_of(group));
  if (counted.status == Status::failed) gpu_.look_for_loss("case " + measured.id(), counted.reason);
  return counted;
}

CountedCase CaseRunner::count_here(const Case& measured, const CountingGroup& group, const BoundTeam& bound, const TeamCpus& placement,
                                   TeamMeeting& team, double min_seconds) {
  if (!bound.problem().empty()) return {Status::failed, bound.problem(), {}, bound.failed_at()};
  auto& backend = backends_[group.key()];
  if (group.what.whole_team) {  // which rank reads a socket's counters is another matter for each team
    std::vector<RankCpus> ranks;
    for (const auto& cpus : placement.cpus) ranks.push_back({static_cast<int>(ranks.size()), cpus});
    BackendFacts of_team = setting_.backends;
    of_team.perf = facts_of_team(std::move(of_team.perf), ranks, ranks_.team(measured.team.ranks).rank());
    backend = make_backend(group.backend, group.what.events, of_team);
  } else if (!backend) {
    backend = make_backend(group.backend, group.what.events, setting_.backends);
  }
  const bool same = backend->groups().size() == 1 && backend->groups().front().events == group.what.events;
  if (team.any(!same)) {
    if (same) return {Status::unavailable, another_rank("cannot count these events"), {}, FailedAt::another_rank};
    return {Status::unavailable, backend->availability().reason, {}};
  }
  return count_case(measured, *backend, 0, bound.threads(), {.repetitions = repetitions_of(group), .min_seconds = min_seconds}, team);
}

int CaseRunner::repetitions_of(const CountingGroup& group) const {
  const Space space = counts_there(group, Space::cuda) ? Space::cuda : Space::cpu;
  return group.what.repeats_exactly ? 1 : setting_.repetitions.repetitions_on(space);
}

void CaseRunner::add_counted_with(Space space, json& placement) const {
  placement["counted_with"] = keys_for(space, setting_.counting.keys());
  for (const CountingGroup& group : setting_.counting.groups)
    if (counts_there(group, space) && !group.what.repeats_exactly) placement["count_repetitions"][group.key()] = repetitions_of(group);
}

std::vector<ModelRow> CaseRunner::executed_rows(const Case& measured, json& placement) {
  const auto [found, is_new] = executed_.try_emplace(measured.id());
  Executed& executed = found->second;
  if (is_new) executed = executed_references(measured);
  if (!executed.references) {
    placement["no_executed_references"] = executed.why_none;
    return {};
  }
  std::vector<ModelRow> rows = rows_of(measured, executed_counts(*executed.references));
  const std::vector<std::string> phases = phases_of(measured);
  for (std::size_t i = 0; i < executed.phases.size(); ++i)
    std::ranges::move(rows_of(measured, executed_counts(executed.phases[i]), phases[i]), std::back_inserter(rows));
  return rows;
}

std::optional<Finished> CaseRunner::gather(const Case& measured, Finished mine, FailedAt failed_at, const std::string& rank_facts,
                                           const TeamCpus& placement) {
  Group& team = ranks_.team(measured.team.ranks);
  mine.outcome.placement = rank_facts;
  const bool failed_here = mine.outcome.status != Status::ok && failed_at == FailedAt::this_rank;
  const auto teller = static_cast<std::size_t>(team.min(failed_here ? team.rank() : team.size()));
  const std::vector<std::string> texts = team.gather(to_payload(mine));
  if (team.rank() != 0) return std::nullopt;
  json where{{"ranks", json::array()}, {"oversubscribed", placement.oversubscribed}, {"ranks_per_l3", placement.ranks_per_l3}};
  if (mine.outcome.pass == "count") add_counted_with(measured.team.space(), where);
  Finished all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Finished part = from_text(texts[rank]);
    where["ranks"].push_back(json::parse(part.outcome.placement));
    if (rank == 0)
      all = std::move(part);
    else
      absorb(all, std::move(part), rank == teller);
  }
  all.model = modelled(measured, placement);
  if (placement.gpus.empty()) std::ranges::move(executed_rows(measured, where), std::back_inserter(all.model));
  all.outcome.placement = where.dump();
  return all;
}

}  // namespace plumbline::app
