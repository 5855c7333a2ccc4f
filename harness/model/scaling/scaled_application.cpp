#include "model/scaling/scaled_application.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "model/projecting/method.hpp"
#include "model/projecting/moved_work.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double half = 0.5;
constexpr double most_of_interval = 0.95, least_of_interval = 0.05;

/// A part of a working set finds a cache as the whole finds one that is larger by as much.
NodeSide with_caches_times(NodeSide side, double factor) {
  for (auto& level : side.levels) level.size_bytes *= factor;
  return side;
}

/// The whole sweep's computing on one rank, sample by sample.
std::vector<double> whole_samples(const CutSweep& sweep) {
  std::vector<double> all;
  for (const auto& chain : sweep.chains)
    for (const std::size_t segment : chain) {
      const auto& samples = sweep.segments[segment];
      all.resize(samples.size(), 0);
      for (std::size_t i = 0; i < samples.size(); ++i) all[i] += samples[i];
    }
  std::ranges::sort(all);
  return all;
}

}  // namespace

ScalingModel::ScalingModel(ScaledApplication application, LinkEnds links, std::uint64_t seed)
    : application_(std::move(application)), links_(std::move(links)), seed_(seed) {
  for (const auto& phase : application_.phases)
    overheads_.push_back(phase.computes() ? 0 : std::max(0.0, phase.least_seconds - message_seconds(phase, home(), SampleEnd::middle)));
  const Communication messages = communication(home(), SampleEnd::middle);
  const double simulated =
      sweep_seconds(sweep_with(std::vector<Cut>(application_.phases.size())), application_.ranks_of_node, seed_).median;
  const double left = application_.seconds - messages.exchanging - messages.summing;
  if (left > 0 && simulated > 0) calibration_ = left / simulated;
  home_seconds_ = at(home(), Scaling::weak).seconds;
}

std::optional<std::uint64_t> ScalingModel::most_nodes(Scaling scaling) const {
  if (scaling == Scaling::weak) return std::nullopt;
  if (!std::isfinite(application_.decomposition.layers)) return 0;
  return static_cast<std::uint64_t>(application_.decomposition.layers);  // as many layers on each node's ranks as on its own
}

/// The layers of the rank that has most of them, over those of a rank at home.
double ScalingModel::share_of_layers(const Allocation& allocation, Scaling scaling) const {
  if (scaling == Scaling::weak) return 1;
  const double layers = std::max(std::floor(application_.decomposition.layers), 1.0);
  const double all = layers * static_cast<double>(application_.ranks_of_node);
  return std::ceil(all / static_cast<double>(allocation.ranks())) / layers;
}

double ScalingModel::message_seconds(const ScaledPhase& phase, const Allocation& allocation, SampleEnd end) const {
  const MessageLinks& links = links_[static_cast<std::size_t>(end)];
  return phase.sums() ? sum_seconds(phase.bytes, allocation, links) : exchange_seconds(phase.messages, phase.bytes, allocation, links);
}

ScalingModel::Communication ScalingModel::communication(const Allocation& allocation, SampleEnd end) const {
  Communication all;
  for (std::size_t i = 0; i < application_.phases.size(); ++i) {
    const ScaledPhase& phase = application_.phases[i];
    if (phase.computes()) continue;
    const double seconds = phase.entries * (overheads_[i] + message_seconds(phase, allocation, end));
    (phase.sums() ? all.summing : all.exchanging) += seconds;
    double& longest = phase.sums() ? all.longest_sum : all.longest_exchange;
    if (seconds < longest) continue;
    longest = seconds;
    (phase.sums() ? all.sum : all.exchange) = phase.name;
  }
  return all;
}

/// A phase there: its share of the work and, where working sets change their level or a node's ranks are others, the time by all roofs
/// there over that by those here, with time that no roof explains (method `overlap` of projections). It may be as far off as its work alone
/// is, or as the binding roofs are.
ScalingModel::Cut ScalingModel::cut_of(const ScaledPhase& phase, double share, const Allocation& allocation,
                                       const OtherRanks& other) const {
  Cut cut{.factor = phase.is_cut ? share : 1};
  cut.lo = cut.hi = cut.factor;
  const NodeSide &here = application_.side, &there = other.side != nullptr ? *other.side : here;
  if (!phase.part || here.levels.empty() || there.levels.empty()) return cut;
  const double ranks = static_cast<double>(allocation.ranks_of_node) / static_cast<double>(application_.ranks_of_node);
  try {
    const MovedWork moved = moved_work(*phase.part, here, with_caches_times(there, 1 / (cut.factor * ranks)));
    const WorkPart part = times(moved.part, ranks);
    ProjectedPair pair{.home_seconds = mean_of(phase.seconds), .home = roof_terms(*phase.part, here), .target = roof_terms(part, there)};
    if (here.clock_hz > 0 && there.clock_hz > 0) pair.private_ratio = here.clock_hz / there.clock_hz;
    cut.ceiling = binding(pair.target, part, there).name;
    const double overlapped = overlap_seconds(pair, {}) / pair.home_seconds, bound = efficiency_seconds(pair) / pair.home_seconds;
    cut.lo *= std::min({1.0, overlapped, bound});
    cut.hi *= std::max({1.0, overlapped, bound});
    cut.factor *= overlapped;
    if (other.side != nullptr) widen_by_record(cut, phase, ranks * share, other);
  } catch (const Error&) {  // nothing that has a ceiling bounds it: then it goes with its work alone
  }
  return cut;
}

/// Opens what a phase may take on other cores, which do `work` times the work together, by how far such projections of other applications
/// erred.
void ScalingModel::widen_by_record(Cut& cut, const ScaledPhase& phase, double work, const OtherRanks& other) const {
  const ProjectedPair pair = pair_of({.part = *phase.part, .kernel = application_.kernel, .seconds = mean_of(phase.seconds)},
                                     application_.side, *other.side, work);
  const RecordClass learned =
      class_of(other.record, pair.kind, pair.bound_class(), [&](const RecordRow& row) { return row.kernel != application_.kernel; });
  const double error = std::exp(plain_error_quantile(learned, Method::overlap));
  if (!std::isfinite(error)) return;
  cut.lo = std::min(cut.lo, cut.factor / error);
  cut.hi = std::max(cut.hi, cut.factor * error);
}

/// The computing by one end of what the phases may take, over that by their factors.
double ScalingModel::by(double Cut::*end, const std::vector<Cut>& cuts) const {
  double told = 0, there = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double seconds = application_.phases[i].computes() ? mean_of(application_.phases[i].seconds) : 0;
    told += cuts[i].factor * seconds, there += cuts[i].*end * seconds;
  }
  return told > 0 ? there / told : 1;
}

/// The segments between exchanges, and the chains between sums; phases that compute take so many times as long as at home.
CutSweep ScalingModel::sweep_with(const std::vector<Cut>& cuts) const {
  std::size_t samples = 1;
  for (const auto& phase : application_.phases) samples = std::max(samples, phase.seconds.size());
  CutSweep sweep;
  std::map<std::vector<std::size_t>, std::size_t> known;
  std::vector<std::size_t> phases;  // of the segment that is open
  std::vector<std::size_t> chain;
  const auto close_segment = [&] {
    const auto [at, is_new] = known.try_emplace(phases, sweep.segments.size());
    if (is_new) {
      auto& seconds = sweep.segments.emplace_back(samples, 0);
      for (const std::size_t phase : phases)
        for (std::size_t i = 0; i < samples; ++i)
          seconds[i] += calibration_ * cuts[phase].factor * application_.phases[phase].seconds[i] / application_.phases[phase].entries;
    }
    chain.push_back(at->second);
    phases.clear();
  };
  const auto close_chain = [&] {
    close_segment();
    sweep.chains.push_back(std::move(chain));
    chain.clear();
  };
  for (const std::size_t phase : application_.order) {
    if (application_.phases[phase].computes())
      phases.push_back(phase);
    else
      application_.phases[phase].sums() ? close_chain() : close_segment();
  }
  close_chain();
  return sweep;
}

ScaledTime ScalingModel::at(const Allocation& allocation, Scaling scaling, const OtherRanks& other) const {
  const double share = share_of_layers(allocation, scaling);
  std::vector<Cut> cuts;
  for (const auto& phase : application_.phases) cuts.push_back(phase.computes() ? cut_of(phase, share, allocation, other) : Cut{});
  const CutSweep sweep = sweep_with(cuts);
  const SweepSeconds ranks = sweep_seconds(sweep, allocation.ranks(), seed_);
  const std::vector<double> whole = whole_samples(sweep);
  const Communication messages = communication(allocation, SampleEnd::middle), best = communication(allocation, SampleEnd::best),
                      worst = communication(allocation, SampleEnd::worst);
  const double computing = std::min(ranks.computing, ranks.median);
  ScaledTime told{.allocation = allocation, .seconds = messages.exchanging + messages.summing + ranks.median};
  told.spent_seconds = {computing, messages.exchanging, messages.summing, ranks.median - computing};
  // A rank may be slow for a whole sweep: then all wait for the slowest of all, however few they exchange with.
  const double slow_sweep = last_of(whole, static_cast<double>(allocation.ranks()), most_of_interval);
  const double fast_sweep = last_of(whole, static_cast<double>(allocation.ranks()), least_of_interval);
  const double unexplained = std::max(calibration_, 1 / calibration_);
  told.lo = best.exchanging + best.summing + std::min({ranks.lo, fast_sweep, ranks.median}) * by(&Cut::lo, cuts) / unexplained;
  told.hi = worst.exchanging + worst.summing + std::max({ranks.hi, slow_sweep, ranks.median}) * by(&Cut::hi, cuts) * unexplained;
  const double growth =
      scaling == Scaling::weak ? 1 : static_cast<double>(allocation.ranks()) / static_cast<double>(application_.ranks_of_node);
  told.efficiency = home_seconds_ / (growth * told.seconds);
  const auto most = std::ranges::max_element(told.spent_seconds);
  told.bound = static_cast<Spent>(most - told.spent_seconds.begin());
  double longest = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double seconds = cuts[i].factor * mean_of(application_.phases[i].seconds);
    if (!application_.phases[i].computes() || seconds < longest) continue;
    longest = seconds;
    told.phase = application_.phases[i].name;
    told.ceiling = cuts[i].ceiling;
  }
  if (told.bound == Spent::computing || told.bound == Spent::waiting) return told;
  told.phase = told.bound == Spent::exchanging ? messages.exchange : messages.sum;
  told.ceiling.clear();
  return told;
}

std::uint64_t ScalingModel::first_half(std::uint64_t from, std::uint64_t to, Scaling scaling) const {
  if (to - from > 1 && at({from + 1, application_.ranks_of_node}, scaling).communication() >= half) return from + 1;
  while (to - from > 1) {
    const std::uint64_t middle = from + (to - from) / 2;
    (at({middle, application_.ranks_of_node}, scaling).communication() >= half ? to : from) = middle;
  }
  return to;
}

}  // namespace plumbline
