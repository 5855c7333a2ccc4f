#include "app/stages/ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/stages/team_meeting.hpp"
#include "core/wrong_result.hpp"
#include "measure/clock.hpp"
#include "measure/timing.hpp"

namespace plumbline::app {
namespace {

// Long enough for the clock's 20 ns, short enough to fit between disturbances: the best of a few, and the rounds show the spread.
constexpr double sample_seconds = 0.0015;
constexpr int tries = 2;  // of small data; a pass over large data is long enough by itself
// Larger data are made anew in every round, once for all points that lie within them.
constexpr double kept_bytes = 4.0 * (1 << 20);
constexpr double unlimited = 1e30;

double data_bytes(const CeilingCase& ceiling) {
  return std::isfinite(ceiling.working_set_bytes) ? ceiling.working_set_bytes / ceiling.share : 0;
}

bool is_within(const CeilingCase& point, const CeilingCase& other) { return point.data_id() == other.data_id(); }

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
  const bool elsewhere = team.any(timed.wrong_result) && !timed.wrong_result;
  row.status = timed.status;
  row.method += ": " + (elsewhere ? std::string(wrong_result_words) + " on another rank of the team" : timed.reason);
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
  return fmt::format("{}/{}/{}/r{}t{}", row.name, row.precision, row.level, row.ranks, row.threads);
}

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

int rounds_of(const CeilingsWish& wish) { return wish.rounds.value_or(wish.mode == CeilingsMode::full ? 5 : 4); }

double ceilings_seconds(const std::vector<CeilingCase>& plan, int rounds) {
  constexpr double looks_seconds = 0.0004;    // at clock and sentinel, before and after
  constexpr double first_seconds = 0.008;     // what is small: data, the check of the result, calibration
  constexpr double prepare_seconds = 1.5e-9;  // a byte: pages, values, a first sweep
  constexpr double sweep_seconds = 0.2e-9;    // a byte
  double first = 0, round = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const double threads = plan[i].measured.team.threads, bytes = data_bytes(plan[i]);
    const bool small = bytes <= kept_bytes, made_before = i > 0 && is_within(plan[i - 1], plan[i]);
    round += (small ? tries + 1 : 1) * (1.2 * sample_seconds + looks_seconds) + sweep_seconds * bytes * plan[i].share / threads;
    if (small)
      first += first_seconds;
    else if (!made_before)
      round += prepare_seconds * bytes / threads;
  }
  return first + round * rounds;
}

std::uint64_t ceilings_bytes(const std::vector<CeilingCase>& plan) {
  constexpr double huge_page = 2.0 * (1 << 20);  // of which even the smallest data take one
  double kept = 0, largest_alone = 0, largest = 0;
  for (const CeilingCase& one : plan) {
    const Team& team = one.measured.team;
    const double bytes = (std::floor(data_bytes(one) / huge_page) + 1) * huge_page * team.ranks;
    if (data_bytes(one) <= kept_bytes)
      kept += bytes;
    else if (team.ranks * team.threads == 1)
      largest_alone = std::max(largest_alone, bytes);
    else
      largest = std::max(largest, bytes);
  }
  return static_cast<std::uint64_t>(kept + largest_alone + largest);
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
      row.method += ": " + bound.problem();
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
  if (data_bytes(ceiling) <= kept_bytes || !in_one_domain) return nullptr;
  if (!arena_) {
    std::size_t most = 0;
    for (const Point& point : points_) most = std::max(most, Prepared::arena_size(point.ceiling->measured));
    arena_ = std::make_unique<Arena>(most);
  }
  return arena_.get();
}

void CeilingsStage::release(Point& point) {
  if (data_bytes(*point.ceiling) > kept_bytes) point.data.reset();
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
  const bool small = data_bytes(ceiling) <= kept_bytes;
  if (small || ceiling.warm_sweeps != 0) watch.measure(std::max<std::uint64_t>(1, ceiling.warm_sweeps));
  if (point.sweeps == 0) point.sweeps = watch.calibrate(sample_seconds);
  Repetition best{};
  best.seconds = unlimited;
  for (int attempt = 0; attempt < (small ? tries : 1); ++attempt)
    if (const Repetition repetition = watch.measure(point.sweeps); repetition.seconds < best.seconds) best = repetition;
  take_sample(row, ceiling, best);
}

}  // namespace plumbline::app
