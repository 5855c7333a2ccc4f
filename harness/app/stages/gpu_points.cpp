#include "app/stages/gpu_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/team_meeting.hpp"
#include "core/error.hpp"
#include "core/gpu_device.hpp"
#include "ert/gpu_ceiling_plan.hpp"
#include "machine/gpu_watch.hpp"
#include "measure/gpu_timing.hpp"
#include "model/ceilings/gpu_limits.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

constexpr double gpu_sample_seconds = 0.002;               // what events resolve is a thousandth of it
constexpr double warm_up_seconds = 0.2;                    // of a part's first point: until an idle GPU has its clock
constexpr std::chrono::milliseconds reading_interval(50);  // while a sustained rate is sampled
constexpr int gpu_tries = 3;                               // of which the best is the sample; the rounds show the spread

}  // namespace

double gpu_part_seconds(std::span<const CeilingCase> points, const GpuProperties& gpu) {
  return warm_up_seconds + gpu_ceilings_seconds(points, gpu, 1);
}

GpuPoints::GpuPoints(const DrivenGpu& gpu, std::string session, std::string host, GpuInUse& in_use, GpuPointsWatch watch)
    : gpu_(gpu),
      session_(std::move(session)),
      host_(std::move(host)),
      in_use_(in_use),
      watch_(std::move(watch)),
      sweeps_(gpu.points.size()) {}

CeilingRow GpuPoints::described_here(const CeilingCase& ceiling, int round) const {
  CeilingRow row = described(ceiling);
  row.method = gpu_method({.flavor = std::string(ceiling.measured.flavor.name),
                           .name = gpu_.gpu.name,
                           .major = gpu_.gpu.major,
                           .minor = gpu_.gpu.minor,
                           .multiprocessors = gpu_.gpu.multiprocessors});
  row.scope = gpu_scope;
  row.device = gpu_.device;
  row.node = host_;
  row.session = session_;
  row.round = round;
  return row;
}

std::string GpuPoints::round_id(int round) const {
  std::vector<std::string> points;
  for (const CeilingCase& ceiling : gpu_.points) points.push_back(ceiling_point(described(ceiling)));
  return ceiling_round_id(gpu_rounds(gpu_.device), std::move(points), round);
}

void GpuPoints::begin(int round) {
  unit_ = {};
  unit_.outcome = round_outcome(round_id(round), host_, session_);
  hung_ = json::array();
  for (const CeilingCase& ceiling : gpu_.points) unit_.ceilings.push_back(described_here(ceiling, round));
  facts_ = in_use_.facts(gpu_.gpu);
  facts_["device"] = gpu_word(gpu_.device);
  const auto lost = in_use_.why_lost(gpu_.gpu);
  if (lost.empty()) return;
  unit_.ceilings.clear();  // rows without a failure would make the round a measured one
  unit_.outcome.status = Status::failed;
  unit_.outcome.reason = lost;
}

Finished GpuPoints::finish(int local_rank) {
  const json rank{{"rank", local_rank}, {"host", host_}, {"cpus", json::array({gpu_.driver.cpu})}, {"gpu", facts_}};
  json placement{{"ranks", json::array({rank})}, {"oversubscribed", false}};
  if (!hung_.empty()) placement["hung"] = hung_;
  unit_.outcome.placement = placement.dump();
  const auto failed = std::count_if(unit_.ceilings.begin(), unit_.ceilings.end(), [](const auto& row) { return is_failure(row.status); });
  if (failed > 0) {  // so the round is tried again
    unit_.outcome.status = Status::failed;
    unit_.outcome.reason = fmt::format("{} of {} points of {} failed", failed, unit_.ceilings.size(), gpu_word(gpu_.device));
  }
  return std::exchange(unit_, {});
}

/// Measures some points. Others wait for this rank: nothing that goes wrong here may keep it from meeting them.
void GpuPoints::measure(std::size_t first, std::size_t last, const char* conditions) {
  if (first == last || unit_.ceilings.empty()) return;
  const auto none_can = [&](Status status, const std::string& reason) {
    for (std::size_t i = first; i < last; ++i)
      if (unit_.ceilings[i].status == Status::ok && std::isnan(unit_.ceilings[i].value)) refuse(unit_.ceilings[i], status, reason);
  };
  if (const auto lost = in_use_.why_lost(gpu_.gpu); !lost.empty()) return none_can(Status::skipped, lost);
  begin_point(first);  // to open the GPU may be what hangs
  try {
    Synchronization alone;
    const BoundTeam bound({gpu_.driver.cpu}, alone);
    if (!bound.problem().empty()) return none_can(Status::failed, bound.problem());
    measure_bound(first, last, conditions);
  } catch (const std::exception& refused) {
    none_can(Status::failed, refused.what());
  }
  watch_.waits();
}

/// Hands a memory on: in the record of the round, also where another point hangs.
void GpuPoints::remember(json given_up) {
  if (std::find(hung_.begin(), hung_.end(), given_up) == hung_.end()) hung_.push_back(std::move(given_up));
  unit_.outcome.placement = json{{"hung", hung_}}.dump();
}

void GpuPoints::begin_point(std::size_t point) {
  watch_.begins(gpu_point(unit_.ceilings[point]), gpu_part_seconds({&gpu_.points[point], 1}, gpu_.gpu), unit_);
}

void GpuPoints::measure_bound(std::size_t first, std::size_t last, const char* conditions) {
  in_use_.use(gpu_.gpu);
  GpuWatch watch(in_use_.nvml(), gpu_.gpu.pci);
  measure_each(first, last);
  facts_[conditions] = json::parse(watch.end().json());
}

/// Points of one case lie next to each other and share its data.
void GpuPoints::measure_each(std::size_t first, std::size_t last) {
  std::unique_ptr<PreparedOnGpu> data;
  double warm_up = warm_up_seconds;
  for (std::size_t i = first; i < last; ++i) {
    CeilingRow& row = unit_.ceilings[i];
    const bool same = i > first && gpu_.points[i].measured.id() == gpu_.points[i - 1].measured.id();
    if (const auto lost = in_use_.why_lost(gpu_.gpu); !lost.empty()) {
      refuse(row, Status::skipped, lost);
      continue;
    }
    if (!same) data.reset();  // before the next takes its memory
    if (json given_up = watch_.given_up(gpu_point(row)); !given_up.is_null()) {
      refuse(row, Status::failed,
             fmt::format("not tried again after {} deadlines: {}", given_up["times"].get<int>(), given_up["reason"].get<std::string>()));
      remember(std::move(given_up));
      continue;
    }
    begin_point(i);
    if (!same || !data) data = prepared(gpu_.points[i], row);
    if (!data) continue;
    try {
      sample(i, *data, std::exchange(warm_up, 0), row);
    } catch (const std::exception& failure) {
      data.reset();
      fail(row, Status::failed, failure.what());
    }
  }
}

/// Prepares a point's data; null where that cannot be: `row` says why. A result is checked until it was right once.
std::unique_ptr<PreparedOnGpu> GpuPoints::prepared(const CeilingCase& ceiling, CeilingRow& row) {
  Timed timed;
  const std::string id = ceiling.measured.id();
  auto data = prepare_on_gpu(ceiling.measured, !checked_.contains(id), in_use_.use(gpu_.gpu), timed);
  if (data)
    checked_.insert(id);
  else if (is_failure(timed.status))
    fail(row, timed.status, timed.reason);
  else
    refuse(row, timed.status, timed.reason);
  return data;
}

void GpuPoints::sample(std::size_t point, PreparedOnGpu& data, double warm_up, CeilingRow& row) {
  const CeilingCase& ceiling = gpu_.points[point];
  data.sweep_only(ceiling.share);
  for (std::uint64_t i = 0; i < ceiling.warm_sweeps; ++i) data.sweep();
  if (ceiling.sample_seconds > 0) return sustain(ceiling, data, row);
  if (sweeps_[point] == 0 || warm_up > 0) sweeps_[point] = data.calibrate(gpu_sample_seconds, warm_up);
  Repetition best{};
  for (int attempt = 0; attempt < gpu_tries; ++attempt) {
    Repetition one = data.measure(sweeps_[point]);
    if (const double inside = data.gpu().clock_of_last_sweep(); std::isfinite(inside)) one.clock_hz = inside;
    if (attempt == 0 || one.seconds < best.seconds) best = one;
  }
  take_sample(row, ceiling, best);
}

/// The clock is the mean that the driver tells, for the kernel's own is that of the last sweep alone, and power moves it; where the driver
/// tells nothing, it is that one. A sample that ends early, since the sweeps that it was sized by were disturbed, is taken again.
void GpuPoints::sustain(const CeilingCase& ceiling, PreparedOnGpu& data, CeilingRow& row) {
  constexpr double hz = 1e6, slower = 1.02, early = 0.9;
  constexpr int most_tries = 3;
  Repetition one = data.measure(data.calibrate(gpu_sample_seconds, ceiling.sample_seconds / 4));
  GpuWatched seen;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    GpuWatch watch(in_use_.nvml(), gpu_.gpu.pci, reading_interval);
    one = data.measure(static_cast<std::uint64_t>(std::ceil(slower * ceiling.sample_seconds / one.seconds)));
    seen = watch.end();
    if (one.seconds * static_cast<double>(one.sweeps) >= early * ceiling.sample_seconds) break;
  }
  for (const double clock : {data.gpu().clock_of_last_sweep(), hz * seen.mean("sm_clock_mhz")})
    if (std::isfinite(clock)) one.clock_hz = clock;
  take_sample(row, ceiling, one);
  row.power_watts = seen.mean("power_watts");
  row.sample_seconds = one.seconds * static_cast<double>(one.sweeps);
}

void GpuPoints::refuse(CeilingRow& row, Status status, const std::string& reason) {
  row.status = status;
  row.reason = reason;
}

void GpuPoints::fail(CeilingRow& row, Status status, const std::string& reason) {
  in_use_.look_for_loss("the ceiling " + row.name, reason);
  refuse(row, status, reason);
}

}  // namespace plumbline::app
