#include "app/stages/ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/team_meeting.hpp"
#include "core/status.hpp"
#include "measure/clock.hpp"
#include "measure/stopwatch.hpp"
#include "measure/timing.hpp"

namespace plumbline::app {
namespace {

constexpr double unlimited = 1e30;

}  // namespace

struct CeilingsStage::Point {
  const CeilingCase* ceiling;
  std::unique_ptr<Prepared> data;  // between rounds only where it is small
  std::uint64_t sweeps = 0;        // 0: not calibrated yet
  bool checked = false;
};

namespace {

/// Tells a team's failure in the first rank's row, which is kept, whichever rank failed.
void tell_failure(CeilingRow& row, const Timed& timed, Synchronization& team) {
  const bool wrong_here = timed.status == Status::wrong_result, elsewhere = team.any(wrong_here) && !wrong_here;
  row.status = elsewhere ? Status::wrong_result : timed.status;
  row.reason = (elsewhere ? fmt::format("{} on {}", wrong_result_words, another_rank_words) : timed.reason);
}

}  // namespace

bool check_small(const CeilingCase& ceiling, const ThreadTeam& threads, Synchronization& team, CeilingRow& row) {
  Timed timed;
  if (prepare_case(small_case(ceiling), true, threads, team, timed)) return true;
  tell_failure(row, timed, team);
  return false;
}

CeilingRow described(const CeilingCase& ceiling) {
  const Team& team = ceiling.measured.team;
  CeilingRow row{.name = ceiling.name,
                 .precision = ceiling.precision,
                 .level = ceiling.level,
                 .pattern = ceiling.pattern,
                 .ranks = team.ranks,
                 .threads = team.threads,
                 .node = {},
                 .session = {},
                 .unit = ceiling.unit,
                 .method = std::string(ceiling.measured.flavor.name),
                 .form = ceiling.form};
  if (!ceiling.form.empty()) row.method += ", " + ceiling.form;
  row.working_set_bytes = ceiling.working_set_bytes * team.ranks;
  return row;
}

void take_sample(CeilingRow& row, const CeilingCase& ceiling, const Repetition& best) {
  const double amount = ceiling.amount_per_sweep;
  row.value = ceiling.unit == "seconds" ? best.seconds / amount : amount * static_cast<double>(row.ranks) / best.seconds * 1e-9;
  row.clock_hz = best.clock_hz;
  row.sentinel = best.sentinel;
  row.cpu_share = best.cpu_share;
  row.involuntary_switches = best.involuntary_switches;
}

double seconds_per_sweep(const CeilingRow& row, const CeilingCase& ceiling) {
  const double amount = ceiling.amount_per_sweep;
  return ceiling.unit == "seconds" ? row.value * amount : amount * static_cast<double>(row.ranks) / row.value * 1e-9;
}

// The name leaves the working set out: the largest one follows the memory that happens to be free.
std::string ceiling_point(const CeilingRow& row) {
  return fmt::format("{}/{}/{}/r{}t{}", row.name, row.precision, row.level.word(), row.ranks, row.threads);
}

std::string gpu_point(const CeilingRow& row) { return fmt::format("ceilings/{}/{}", gpu_rounds(row.device), ceiling_point(row)); }

// The digest is FNV-1a.
std::string ceiling_round_id(std::string_view where, std::vector<std::string> points, int round) {
  std::sort(points.begin(), points.end());
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const auto& point : points)
    for (const char c : point + "\n") digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("ceilings/{}/{:016x}/round={}", where, digest, round);
}

OutcomeRow round_outcome(std::string round_id, const std::string& node, const std::string& session) {
  return {.case_id = std::move(round_id),
          .pass = "time",
          .status = Status::ok,
          .reason = "",
          .node = node,
          .placement = "{}",
          .started_unix_ns = unix_nanoseconds(),
          .session = session};
}

LastCaches last_caches_of(const Topology& topology) {
  if (topology.caches.empty()) return {};
  const CacheFacts& last = topology.caches.back();
  const int sharers = std::max(1, last.shared_by_cpus);
  return {.bytes = last.bytes, .count = std::max(1, (topology.pus + sharers - 1) / sharers)};
}

CeilingsStage::CeilingsStage(const std::vector<CeilingCase>& plan, std::string session, Communicator& ranks,
                             std::function<TeamCpus(const Team&)> place)
    : session_(std::move(session)), ranks_(ranks), place_(std::move(place)) {
  for (const CeilingCase& ceiling : plan) points_.push_back({.ceiling = &ceiling, .data = nullptr});
}

CeilingsStage::~CeilingsStage() = default;

std::string CeilingsStage::round_id(int round) const {
  std::map<std::string, bool> placed;
  std::vector<std::string> points;
  for (const Point& point : points_) {
    const Team& team = point.ceiling->measured.team;
    if (!placed.contains(team.name())) placed[team.name()] = place_(team).refusal.empty();
    if (placed[team.name()]) points.push_back(ceiling_point(described(*point.ceiling)));
  }
  return ceiling_round_id("node", std::move(points), round);
}

std::optional<Finished> CeilingsStage::measure(int round) {
  Finished unit;
  unit.outcome = round_outcome(round_id(round), ranks_.host(), session_);
  for (std::size_t first = 0, last = 0; first < points_.size(); first = last) {
    const Team& team = points_[first].ceiling->measured.team;
    while (last < points_.size() && points_[last].ceiling->measured.team == team) ++last;
    measure_team(first, last, round, unit);
  }
  ranks_.local().wait_for_all();
  if (ranks_.local().rank() != 0) return std::nullopt;
  return unit;
}

void CeilingsStage::measure_team(std::size_t first, std::size_t last, int round, Finished& unit) {
  const Team& size = points_[first].ceiling->measured.team;
  const TeamCpus placement = place_(size);
  if (!placement.refusal.empty() || ranks_.local().rank() >= size.ranks) return;
  Group& group = ranks_.team(size.ranks);
  TeamMeeting team(group);
  const BoundTeam bound(placement.cpus[static_cast<std::size_t>(group.rank())], team);
  for (std::size_t i = first; i < last; ++i) {
    CeilingRow row = described(*points_[i].ceiling);
    if (i > first) hand_on(points_[i - 1], points_[i]);
    if (bound.problem().empty()) {
      sample(points_[i], row, bound.threads(), team, placement.in_one_domain);
    } else {
      row.status = Status::failed;
      row.reason = bound.problem();
    }
    row.node = ranks_.host();
    row.session = session_;
    row.round = round;
    row.scope = placement.scope;
    unit.ceilings.push_back(std::move(row));
  }
  release(points_[last - 1]);
}

void CeilingsStage::hand_on(Point& from, Point& to) {
  if (is_within(*from.ceiling, *to.ceiling)) {
    to.data = std::move(from.data);
    const bool same_loop = from.ceiling->measured.id() == to.ceiling->measured.id();
    to.checked = to.checked || (same_loop && from.checked);
    if (to.data && !same_loop) to.data = Prepared::over(std::move(to.data), to.ceiling->measured);
  }
  release(from);
}

/// Pages of a team that spans domains would lie where other parts of other arrays were swept: such a team begins with new ones each time.
Arena* CeilingsStage::arena_for(const CeilingCase& ceiling, bool in_one_domain) {
  if (data_bytes(ceiling) <= CeilingSampling::kept_bytes || !in_one_domain) return nullptr;
  if (!arena_) {
    std::size_t most = 0;
    for (const Point& point : points_) most = std::max(most, Prepared::arena_size(point.ceiling->measured));
    arena_ = std::make_unique<Arena>(most);
  }
  return arena_.get();
}

void CeilingsStage::release(Point& point) {
  if (data_bytes(*point.ceiling) > CeilingSampling::kept_bytes) point.data.reset();
}

/// The result is checked until it was right once: on data of its own, or on little where it takes over another loop's.
void CeilingsStage::sample(Point& point, CeilingRow& row, const ThreadTeam& threads, Synchronization& team, bool in_one_domain) {
  const CeilingCase& ceiling = *point.ceiling;
  if (!point.data) {
    Timed timed;
    point.data = prepare_case(ceiling.measured, !point.checked, threads, team, timed, arena_for(ceiling, in_one_domain));
    point.checked = point.data != nullptr;
    if (!point.data) {
      tell_failure(row, timed, team);
      return;
    }
  }
  if (!point.checked && !check_small(ceiling, threads, team, row)) return;
  point.checked = true;
  point.data->sweep_only(ceiling.share);
  Stopwatch watch(*point.data, threads, team);
  // A core that meets wide vectors may lower its clock for a millisecond: the clock beside a sample must be of a core that has met them.
  const bool small = data_bytes(ceiling) <= CeilingSampling::kept_bytes;
  if (small || ceiling.warm_sweeps != 0) watch.measure(std::max<std::uint64_t>(1, ceiling.warm_sweeps));
  if (point.sweeps == 0) point.sweeps = watch.calibrate(CeilingSampling::seconds);
  Repetition best{};
  best.seconds = unlimited;
  for (int attempt = 0; attempt < (small ? CeilingSampling::tries : 1); ++attempt)
    if (const Repetition repetition = watch.measure(point.sweeps); repetition.seconds < best.seconds) best = repetition;
  take_sample(row, ceiling, best);
}

}  // namespace plumbline::app
