#include "app/stages/form_contests_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/team_meeting.hpp"
#include "measure/stopwatch.hpp"
#include "measure/timing.hpp"
#include "model/ceilings/ceiling_limits.hpp"

namespace plumbline::app {
namespace {

constexpr double contest_seconds = 0.0008;
constexpr double small_bytes = 4.0 * (1 << 20);  // data that a sweep before the sample warms up
constexpr double long_bytes = 64.0 * (1 << 20);  // of a thread: one sweep of them is a sample
constexpr int turns_of_small = 3, turns_of_large = 2;

bool is_small(const CeilingCase& one) { return data_bytes(one) <= small_bytes; }
bool is_long(const CeilingCase& one) { return one.share * data_bytes(one) >= long_bytes * one.measured.team.threads; }
int turns_of(const CeilingCase& one) { return is_small(one) ? turns_of_small : turns_of_large; }

CeilingRow row_of(const CeilingCase& candidate) {
  CeilingRow row = described(candidate);
  row.level = CeilingKind::choice;
  return row;
}

const Team& team_of(const ContestPlan& contest) { return contest.candidates.front().measured.team; }

std::size_t arena_size(std::span<const ContestPlan> contests) {
  std::size_t most = 0;
  for (const auto& contest : contests) most = std::max(most, Prepared::arena_size(contest.candidates.front().measured));
  return most;
}

/// A team's contests, one after the other; those of large data share it, and lie in the same pages, which only the first of them has to
/// clear. (Where a team spans domains of memory, all candidates of a contest find the same pages in the same domains.)
class TeamContests {
 public:
  TeamContests(std::span<const ContestPlan> contests, const FormContestsStage::PartOfLimit& part_of_limit, const ThreadTeam& threads,
               Synchronization& team)
      : part_of_limit_(part_of_limit), threads_(threads), team_(team), arena_(arena_size(contests)) {}

  /// Measures a contest. Once the plan's own loop is at the limit of the core, no other shape of it is tried any more.
  void measure(const ContestPlan& contest, std::vector<CeilingRow>& rows) {
    std::vector<std::uint64_t> sweeps(rows.size(), 0);
    const CeilingCase& own = contest.candidates.front();
    bool at_limit = false;
    const bool only_shapes = std::all_of(contest.candidates.begin() + 1, contest.candidates.end(),
                                         [&](const CeilingCase& one) { return is_other_shape(one, own); });
    for (int turn = 0; turn < turns_of(own) && !(at_limit && only_shapes); ++turn)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (at_limit && is_other_shape(contest.candidates[i], own)) continue;
        if (turn == 0) check(contest.candidates[i], rows[i]);
        if (rows[i].status == Status::ok) take_turn(contest.candidates[i], sweeps[i], rows[i]);
        if (i == 0) at_limit = team_.any(is_at_limit(rows[i]));
      }
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (rows[i].status == Status::ok && !std::isfinite(rows[i].value)) leave_out(rows[i], rows.front());
  }

 private:
  /// Whether a sample is at the limit. What is above the limit is no rate: then the clock beside it was another.
  bool is_at_limit(const CeilingRow& row) const {
    constexpr double nearly = 0.99;
    const double part = row.status == Status::ok ? part_of_limit_(row) : absent;
    return part >= nearly && part <= most_of_limit;
  }

  void leave_out(CeilingRow& row, const CeilingRow& own) const {
    row.status = Status::skipped;
    row.reason = fmt::format("not tried, for the plan's own loop reached {:.3f} of its limit", part_of_limit_(own));
  }

  /// A loop once, however many contests it is in.
  void check(const CeilingCase& candidate, CeilingRow& row) {
    const std::string loop = small_case(candidate).id();
    if (right_.contains(loop)) return;
    if (check_small(candidate, threads_, team_, row)) right_.insert(loop);
  }

  void take_turn(const CeilingCase& candidate, std::uint64_t& sweeps, CeilingRow& row) {
    if (!take_data(candidate, row)) return;
    data_->sweep_only(candidate.share);
    Stopwatch watch(*data_, threads_, team_);
    if (is_small(candidate)) watch.measure(1);
    if (sweeps == 0) sweeps = is_long(candidate) ? 1 : watch.calibrate(contest_seconds);
    CeilingRow sample = row;
    take_sample(sample, candidate, watch.measure(sweeps));
    if (!(sample.value <= row.value)) row = sample;
  }

  /// Takes the data of the candidate before where that is possible, else makes them anew.
  bool take_data(const CeilingCase& candidate, CeilingRow& row) {
    if (data_ && data_id_ == candidate.data_id()) {
      data_ = Prepared::over(std::move(data_), candidate.measured);
      return true;
    }
    data_.reset();  // before there is more
    Timed timed;
    data_ = prepare_case(candidate.measured, false, threads_, team_, timed, is_small(candidate) ? nullptr : &arena_);
    data_id_ = candidate.data_id();
    if (data_) return true;
    row.status = timed.status;
    row.reason = timed.reason;
    return false;
  }

  const FormContestsStage::PartOfLimit& part_of_limit_;
  const ThreadTeam& threads_;
  Synchronization& team_;
  Arena arena_;
  std::unique_ptr<Prepared> data_;
  std::string data_id_;
  std::set<std::string> right_;
};

}  // namespace

double contests_seconds(std::span<const ContestPlan> contests) {
  constexpr double looks_seconds = 0.0004, check_seconds = 0.001;
  constexpr double prepare_seconds = 1.5e-9, sweep_seconds = 0.2e-9;  // a byte
  double seconds = 0;
  std::string data;
  for (const auto& contest : contests) {
    const CeilingCase& own = contest.candidates.front();
    const double threads = own.measured.team.threads, bytes = data_bytes(own);
    const double sample = (is_small(own) ? 2 : 1) * (contest_seconds + looks_seconds) + sweep_seconds * bytes * own.share / threads;
    const int samples = turns_of(own) + (is_long(own) ? 0 : 1);
    seconds += static_cast<double>(contest.candidates.size()) * (check_seconds + samples * sample);
    if (own.data_id() != data) seconds += prepare_seconds * bytes / threads;
    data = own.data_id();
  }
  return seconds;
}

std::vector<std::size_t> winners_of(std::span<const ContestPlan> contests, std::span<const ChosenForm> chosen, const std::string& node) {
  std::vector<std::size_t> winners;
  for (const auto& contest : contests) {
    CeilingRow own = described(contest.candidates.front());
    own.node = node;
    const std::string form = form_chosen_for(chosen, own);
    const auto won = std::find_if(contest.candidates.begin(), contest.candidates.end(), [&](const auto& one) { return one.form == form; });
    winners.push_back(won == contest.candidates.end() ? 0 : static_cast<std::size_t>(won - contest.candidates.begin()));
  }
  return winners;
}

std::vector<ContestPlan> unchosen(std::span<const ContestPlan> contests, std::span<const ChosenForm> chosen, const std::string& node) {
  using Which = std::tuple<std::string, std::string, int, int>;  // name and precision of the ceiling, its team
  const auto which = [](const CeilingRow& row) {
    return Which{name_without_form(row), row.precision, static_cast<int>(row.ranks), static_cast<int>(row.threads)};
  };
  std::set<Which> open;
  for (const auto& contest : contests) {
    CeilingRow own = described(contest.candidates.front());
    own.node = node;
    if (form_chosen_for(chosen, own).empty()) open.insert(which(own));
  }
  for (const auto& one : chosen)
    if (one.node == node && !one.complete)
      open.insert({one.name, one.precision, static_cast<int>(one.ranks), static_cast<int>(one.threads)});
  std::vector<ContestPlan> left;
  std::copy_if(contests.begin(), contests.end(), std::back_inserter(left),
               [&](const ContestPlan& contest) { return open.contains(which(described(contest.candidates.front()))); });
  return left;
}

std::string FormContestsStage::id() const {
  std::vector<std::string> points;
  for (const auto& contest : contests_)
    if (place_(team_of(contest)).refusal.empty())
      for (const auto& candidate : contest.candidates) points.push_back(ceiling_point(row_of(candidate)));
  return ceiling_round_id("form", std::move(points), 0);
}

std::optional<Finished> FormContestsStage::measure() {
  Finished unit;
  unit.outcome = round_outcome(id(), ranks_.host(), session_);
  for (std::size_t first = 0, last = 0; first < contests_.size(); first = last) {
    while (last < contests_.size() && team_of(contests_[last]) == team_of(contests_[first])) ++last;
    measure_team(first, last, unit);
  }
  ranks_.local().wait_for_all();
  if (ranks_.local().rank() != 0) return std::nullopt;
  return unit;
}

std::vector<CeilingRow> FormContestsStage::rows_of(const ContestPlan& contest, const TeamCpus& placement) const {
  std::vector<CeilingRow> rows;
  for (const auto& candidate : contest.candidates) {
    rows.push_back(row_of(candidate));
    rows.back().node = ranks_.host();
    rows.back().session = session_;
    rows.back().scope = placement.scope;
  }
  return rows;
}

void FormContestsStage::measure_team(std::size_t first, std::size_t last, Finished& unit) {
  const Team& size = team_of(contests_[first]);
  const TeamCpus placement = place_(size);
  if (!placement.refusal.empty() || ranks_.local().rank() >= size.ranks) return;
  Group& group = ranks_.team(size.ranks);
  TeamMeeting meeting(group);
  const BoundTeam bound(placement.cpus[static_cast<std::size_t>(group.rank())], meeting);
  TeamContests contests(std::span<const ContestPlan>(contests_).subspan(first, last - first), part_of_limit_, bound.threads(), meeting);
  for (std::size_t i = first; i < last; ++i) {
    auto rows = rows_of(contests_[i], placement);
    if (bound.problem().empty())
      contests.measure(contests_[i], rows);
    else
      for (auto& row : rows) {
        row.status = Status::failed;
        row.reason = bound.problem();
      }
    std::move(rows.begin(), rows.end(), std::back_inserter(unit.ceilings));
  }
}

}  // namespace plumbline::app
