#include "app/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/team_meeting.hpp"
#include "machine/binding.hpp"
#include "measure/clock.hpp"
#include "store/record_json.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

json rank_placement(int rank, const std::string& host, const std::vector<int>& cpus) {
  return {{"rank", rank}, {"host", host}, {"cpus", cpus}};
}

std::vector<CountRow> count_rows(const Case& measured, const std::string& node, const std::string& session, int rank,
                                 const RegionCounts& counts) {
  std::vector<CountRow> rows;
  if (counts.kernel.empty()) return rows;
  const auto row = [&](int thread, const Reading& kernel, const Reading& empty) {
    CountRow r{.case_id = measured.id(), .node = node, .session = session, .event = std::string(kernel.event), .backend = "emulated"};
    r.rank = rank;
    r.thread = thread;
    r.raw = kernel.raw;
    r.enabled_ns = kernel.enabled_ns;
    r.running_ns = kernel.running_ns;
    r.status = kernel.status;
    if (r.status != Status::ok) return r;
    if (kernel.raw >= empty.raw)
      r.net = static_cast<double>(kernel.raw - empty.raw) / static_cast<double>(counts.entries);
    else
      r.status = Status::negative, r.raw = 0;
    return r;
  };
  const std::size_t threads = counts.kernel.size(), events = counts.kernel.front().size();
  for (std::size_t e = 0; e < events; ++e) {
    Reading kernel = counts.kernel[0][e], empty = counts.empty[0][e];
    for (std::size_t t = 1; t < threads; ++t) {
      kernel.raw += counts.kernel[t][e].raw;
      empty.raw += counts.empty[t][e].raw;
    }
    rows.push_back(row(-1, kernel, empty));
    for (std::size_t t = 0; threads > 1 && t < threads; ++t)
      rows.push_back(row(static_cast<int>(t), counts.kernel[t][e], counts.empty[t][e]));
  }
  return rows;
}

void absorb(Finished& all, Finished&& part) {
  if (all.outcome.status == Status::ok && part.outcome.status != Status::ok) {
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

}  // namespace

std::vector<ModelRow> model_rows(const Case& measured, std::span<const CacheLevel> caches) {
  std::vector<ModelRow> rows;
  for (const auto& [quantity, amount] : expected_counts(measured.work(), caches, measured.team.threads))
    rows.push_back({measured.id(), quantity, static_cast<double>(amount.lo), static_cast<double>(amount.hi)});
  return rows;
}

/// As one thread of the team sees them.
std::vector<CacheLevel> CaseRunner::caches_of(const TeamCpus& placement) const {
  std::vector<CacheLevel> caches = setting_.caches;
  for (auto& level : caches)
    if (level.shared) level.bytes = part_of(level, placement.ranks_per_l3);
  return caches;
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
  Finished unit{.case_row = measured.row(),
                .outcome = outcome(measured, pass),
                .times = {},
                .counts = {},
                .model = model_rows(measured, setting_.caches),
                .ceilings = {}};
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
  if (!bound.problem().empty()) {
    timed.status = Status::failed;
    timed.reason = bound.problem();
  } else {
    timed = time_case(measured, protocol, threads, meeting);
  }
  mine.outcome.status = timed.status;
  mine.outcome.reason = timed.reason;
  for (std::size_t i = 0; i < timed.repetitions.size(); ++i) {
    const Repetition& r = timed.repetitions[i];
    const TimeRow row{.case_id = mine.case_row.id, .node = ranks_.host(), .session = setting_.session, .repetition = static_cast<int>(i)};
    const auto add = [&](int rank, double seconds, double clock_hz) {
      mine.times.push_back(row);
      mine.times.back().rank = rank;
      mine.times.back().seconds = seconds;
      mine.times.back().clock_hz = clock_hz;
    };
    if (team.rank() == 0) add(-1, r.seconds, r.clock_hz);
    if (team.size() > 1) add(team.rank(), r.rank_seconds, r.rank_clock_hz);
  }
  json facts = rank_placement(team.rank(), ranks_.host(), cpus);
  facts["error"] = timed.error;
  facts["tolerance"] = timed.tolerance;
  facts["wrong_result"] = timed.wrong_result;
  return gather(measured, std::move(mine), facts.dump(), placement);
}

std::optional<Finished> CaseRunner::count(const Case& measured, const TeamCpus& placement, double patience_seconds) {
  Finished mine{.case_row = measured.row(), .outcome = outcome(measured, "count"), .times = {}, .counts = {}, .model = {}, .ceilings = {}};
  Group& team = ranks_.team(measured.team.ranks);
  constexpr std::uint64_t entries = 1;  // simulated counts repeat exactly: more entries say nothing more
  if (!setting_.worker) {
    mine.outcome.status = Status::unavailable;
    mine.outcome.reason = setting_.no_worker;
  } else {
    const WorkerAnswer answer = setting_.worker->count(measured, entries, placement.ranks_per_l3, patience_seconds);
    mine.outcome.status = answer.status;
    mine.outcome.reason = answer.reason;
    mine.counts = count_rows(measured, ranks_.host(), setting_.session, team.rank(), answer.counts);
  }
  const auto& cpus = placement.cpus[static_cast<std::size_t>(team.rank())];
  return gather(measured, std::move(mine), rank_placement(team.rank(), ranks_.host(), cpus).dump(), placement);
}

std::optional<Finished> CaseRunner::gather(const Case& measured, Finished mine, const std::string& rank_facts,
                                           const TeamCpus& placement) {
  Group& team = ranks_.team(measured.team.ranks);
  mine.outcome.placement = rank_facts;
  const std::vector<std::string> texts = team.gather(to_payload(mine));
  if (team.rank() != 0) return std::nullopt;
  json where{{"ranks", json::array()}, {"oversubscribed", placement.oversubscribed}, {"ranks_per_l3", placement.ranks_per_l3}};
  Finished all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Finished part = from_text(texts[rank]);
    where["ranks"].push_back(json::parse(part.outcome.placement));
    if (rank == 0)
      all = std::move(part);
    else
      absorb(all, std::move(part));
  }
  all.outcome.placement = where.dump();
  all.model = model_rows(measured, caches_of(placement));
  return all;
}

}  // namespace plumbline::app
