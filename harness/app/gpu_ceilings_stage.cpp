#include "app/gpu_ceilings_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "app/ceiling_names.hpp"
#include "app/ceilings_stage.hpp"
#include "app/gpus.hpp"
#include "app/team_meeting.hpp"
#include "core/error.hpp"
#include "ert/gpu_ceiling_plan.hpp"
#include "measure/gpu_timing.hpp"
#include "model/gpu_ceilings.hpp"
#include "model/gpu_limits.hpp"

namespace plumbline::app {
namespace {

constexpr double sample_seconds = 0.002;  // what events resolve is a thousandth of it
constexpr double warm_up_seconds = 0.2;   // of a round's first point: until an idle GPU has its clock
constexpr int tries = 3;                  // of which the best is the sample; the rounds show the spread

/// Without these sweeps no working set of another one has a level.
bool shows_levels(const CeilingCase& ceiling) {
  return ceiling.level == "sweep" && (ceiling.pattern == gpu_load || ceiling.pattern == gpu_load_own);
}

GpuProperties made_up_gpu(const std::string& flavor) {
  GpuProperties gpu;
  gpu.flavor = flavor;
  gpu.multiprocessors = 100;
  gpu.memory_bytes = std::uint64_t{1} << 35;
  gpu.peers = 1;
  return gpu;
}

}  // namespace

bool wants_gpu_ceilings(const Campaign& campaign) {
  return campaign.time && campaign.ceilings.mode != CeilingsMode::none && campaign.ceilings.gpus.value_or(wants_gpus(campaign));
}

std::vector<CeilingCase> gpu_ceilings_of(const CeilingsWish& wish, const GpuProperties& gpu) {
  if (module_for_gpus().module == nullptr) return {};
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  auto all = plan_gpu_ceilings(mode, gpu, module_for_gpus().module->kernels());
  const bool sweeps =
      std::any_of(all.begin(), all.end(), [&](const CeilingCase& one) { return one.level == "sweep" && is_wanted(wish, one.name); });
  std::vector<CeilingCase> wanted;
  std::copy_if(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()), std::back_inserter(wanted),
               [&](const CeilingCase& one) { return is_wanted(wish, one.name) || (sweeps && shows_levels(one)); });
  return wanted;
}

std::vector<std::string> lacking_gpu_ceilings(const CeilingsWish& wish, const GpuProperties& gpu) {
  if (module_for_gpus().module == nullptr) return {};
  std::vector<std::string> reasons;
  std::map<std::string, std::set<std::string>> names;
  for (const AbsentFlavor& one : absent_gpu_ceilings(gpu, module_for_gpus().module->kernels()))
    if (is_wanted(wish, one.name)) {
      if (!names.contains(one.reason)) reasons.push_back(one.reason);
      names[one.reason].insert(one.name);
    }
  std::vector<std::string> lines;
  for (const std::string& reason : reasons) lines.push_back(fmt::format("{}: {}", fmt::join(names[reason], ", "), reason));
  return lines;
}

std::vector<CeilingCase> ceilings_of_flavor(CeilingMode mode, const std::string& flavor) {
  if (module_for_gpus().module == nullptr) return {};
  return plan_gpu_ceilings(mode, made_up_gpu(flavor), module_for_gpus().module->kernels());
}

std::vector<CeilingCase> ceilings_of_any_gpu(CeilingMode mode) {
  std::vector<CeilingCase> all;
  std::set<std::string> known;
  for (const std::string& flavor : flavors_of_module()) {
    std::set<std::string> names;
    for (CeilingCase& one : ceilings_of_flavor(mode, flavor)) {
      names.insert(one.name);
      if (!known.contains(one.name)) all.push_back(std::move(one));
    }
    known.merge(names);
  }
  return all;
}

std::set<std::string> ceilings_of_no_gpu() {
  std::set<std::string> names;
  for (const std::string& flavor : flavors_of_module())
    for (const AbsentFlavor& one : absent_gpu_ceilings(made_up_gpu(flavor), module_for_gpus().module->kernels())) names.insert(one.name);
  return names;
}

GpuCeilingsStage::GpuCeilingsStage(const std::vector<CeilingCase>& plan, TeamCpus place, std::string session, const std::string& host,
                                   GpuInUse& gpus)
    : plan_(plan), place_(std::move(place)), session_(std::move(session)), host_(host), gpus_(gpus), sweeps_(plan.size()) {}

CeilingRow GpuCeilingsStage::described_here(const CeilingCase& ceiling, int round) const {
  CeilingRow row = described(ceiling);
  row.method = gpu_method({.flavor = std::string(ceiling.measured.flavor.name),
                           .name = place_.gpu->name,
                           .major = place_.gpu->major,
                           .minor = place_.gpu->minor,
                           .multiprocessors = place_.gpu->multiprocessors});
  row.scope = gpu_scope;
  row.node = host_;
  row.session = session_;
  row.round = round;
  return row;
}

std::string GpuCeilingsStage::round_id(int round) const {
  std::vector<std::string> points;
  for (const CeilingCase& ceiling : plan_) points.push_back(ceiling_point(described(ceiling)));
  return ceiling_round_id(gpu_rounds, std::move(points), round);
}

Finished GpuCeilingsStage::measure(int round) {
  Finished unit;
  unit.outcome = round_outcome(round_id(round), host_, session_);
  for (const CeilingCase& ceiling : plan_) unit.ceilings.push_back(described_here(ceiling, round));
  const auto none_can = [&](Status status, const std::string& reason) {
    for (CeilingRow& row : unit.ceilings) refuse(row, status, reason);
    return unit;
  };
  if (!place_.refusal.empty()) return none_can(Status::skipped, place_.refusal);
  Synchronization alone;
  const BoundTeam bound(place_.cpus.front(), alone);
  if (!bound.problem().empty()) return none_can(Status::failed, bound.problem());
  try {
    gpus_.use(*place_.gpu);
  } catch (const Error& refused) {
    return none_can(Status::failed, refused.what());
  }
  measure_all(unit.ceilings);
  return unit;
}

/// Points of one case lie next to each other and share its data.
void GpuCeilingsStage::measure_all(std::vector<CeilingRow>& rows) {
  std::unique_ptr<PreparedOnGpu> data;
  double warm_up = warm_up_seconds;
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const bool same = i > 0 && plan_[i].measured.id() == plan_[i - 1].measured.id();
    if (const auto lost = gpus_.why_lost(*place_.gpu); !lost.empty()) {
      refuse(rows[i], Status::skipped, lost);
      continue;
    }
    if (!same) data.reset();  // before the next takes its memory
    if (!same || !data) data = prepared(plan_[i], rows[i]);
    if (!data) continue;
    try {
      sample(i, *data, std::exchange(warm_up, 0), rows[i]);
    } catch (const std::exception& failure) {
      data.reset();
      fail(rows[i], failure.what());
    }
  }
}

/// Null where it cannot be: `row` says why. A result is checked until it was right once.
std::unique_ptr<PreparedOnGpu> GpuCeilingsStage::prepared(const CeilingCase& ceiling, CeilingRow& row) {
  Timed timed;
  const std::string id = ceiling.measured.id();
  auto data = prepare_on_gpu(ceiling.measured, !checked_.contains(id), gpus_.use(*place_.gpu), timed);
  if (data)
    checked_.insert(id);
  else if (timed.status == Status::failed)
    fail(row, timed.reason);
  else
    refuse(row, timed.status, timed.reason);
  return data;
}

void GpuCeilingsStage::sample(std::size_t point, PreparedOnGpu& data, double warm_up, CeilingRow& row) {
  const CeilingCase& ceiling = plan_[point];
  data.sweep_only(ceiling.share);
  for (std::uint64_t i = 0; i < ceiling.warm_sweeps; ++i) data.sweep();
  if (sweeps_[point] == 0 || warm_up > 0) sweeps_[point] = data.calibrate(sample_seconds, warm_up);
  Repetition best{};
  for (int attempt = 0; attempt < tries; ++attempt) {
    Repetition one = data.measure(sweeps_[point]);
    if (const double inside = data.gpu().clock_of_last_sweep(); std::isfinite(inside)) one.clock_hz = inside;
    if (attempt == 0 || one.seconds < best.seconds) best = one;
  }
  take_sample(row, ceiling, best);
}

void GpuCeilingsStage::refuse(CeilingRow& row, Status status, const std::string& reason) {
  row.status = status;
  row.method += ": " + reason;
}

void GpuCeilingsStage::fail(CeilingRow& row, const std::string& reason) {
  gpus_.look_for_loss("the ceiling " + row.name, reason);
  refuse(row, Status::failed, reason);
}

}  // namespace plumbline::app
