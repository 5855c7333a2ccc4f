#include "app/expectations/measured_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/here/profiler_metrics.hpp"
#include "app/results/ceiling_gpus.hpp"
#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "campaign/expand.hpp"
#include "core/case.hpp"
#include "core/quantity_parts.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/placement/chosen_counts.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {
namespace {

std::map<std::string, std::string> params_of(const CaseRow& row) {
  std::map<std::string, std::string> params;
  const Json written = Json::parse(row.params, nullptr, false);
  if (!written.is_object()) return params;
  for (const auto& [name, value] : written.items()) params[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return params;
}

bool fits(const std::vector<std::string>& globs, const std::string& text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return matches(glob, text); });
}

const LevelIntensity* level_in(const RooflinePlacement& placement, const std::string& name) {
  const auto found =
      std::find_if(placement.levels.begin(), placement.levels.end(), [&](const LevelIntensity& at) { return at.level == name; });
  return found == placement.levels.end() ? nullptr : &*found;
}

std::string boundary_of(const MeasuredRow& row, const std::string& level) {
  for (const auto& at : row.of_gpu ? gpu_level_boundaries() : level_boundaries())
    if (level == at.level) return std::string("bytes.") + at.boundary;
  return {};
}

Told nothing(std::string why) { return {.why_not = std::move(why)}; }

/// A number that is what it is, or the reason.
Told exactly(double value, const std::string& why_not) {
  if (!std::isfinite(value)) return nothing(why_not);
  return {.lo = value, .value = value, .hi = value};
}

std::string team_name(std::int64_t ranks, std::int64_t threads) { return fmt::format("r{}t{}", ranks, threads); }

/// The name of the GPU that a ceiling or, by the node's ceilings, a case is of.
std::string gpu_named(std::span<const Ceiling> ceilings, const std::string& node, int device) {
  for (const auto& ceiling : ceilings)
    if (ceiling.scope == gpu_scope && ceiling.node == node && ceiling.device == device)
      if (const auto gpu = gpu_of_method(ceiling.method)) return gpu->name;
  return {};
}

/// Whether a sample is one of those that a ceiling is of.
bool is_sample_of(const CeilingRow& sample, const Ceiling& ceiling) {
  if (sample.node != ceiling.node || sample.ranks != ceiling.ranks || sample.threads != ceiling.threads || sample.device != ceiling.device)
    return false;
  if (sample.level != CeilingKind::sweep) return sample.name == ceiling.name;
  return sample.pattern == ceiling.pattern && sample.working_set_bytes == ceiling.samples_bytes;
}

/// Gives a rate, or a time, of a function the interval that the number of its samples leaves. A rate is not told where they leave it open
/// whether the function took any time, as in files of differences that were written before such shares had Wilson's interval.
void open_by_samples(const MeasuredRow& row, bool is_rate, Told& told) {
  if (row.profile == nullptr || !told.why_not.empty() || !(row.profile->share > 0) || !(row.profile->share_lo >= 0)) return;
  if (is_rate && row.profile->share_lo == 0) {
    told = nothing("its samples leave open whether it took any time");
    return;
  }
  const double less = row.profile->share_lo / row.profile->share, more = row.profile->share_hi / row.profile->share;
  told.lo = told.value * (is_rate ? 1 / more : less);
  told.hi = told.value * (is_rate ? 1 / less : more);
}

Told share_of(const MeasuredRow& row) {
  if (row.profile == nullptr) return nothing("it is no part of a profiled program");
  Told told = exactly(row.profile->share, "no samples were taken");
  const bool of_gpu = row.profile->kind == "kernel";  // each launch was timed
  told.by.push_back(of_gpu ? "activities" : "samples");
  if (told.why_not.empty() && !of_gpu) told.lo = row.profile->share_lo, told.hi = row.profile->share_hi;
  return told;
}

}  // namespace

MeasuredFile::MeasuredFile(const std::string& path) : path_(path), results_(load_cases(path)) {
  if (std::string note = unfinished_note(path); !note.empty()) notes_.push_back(std::move(note));
  const auto nodes = node_facts(results_, notes_);
  for (const auto& node : nodes) cpus_[node.node] = node.core.name;
  ceilings_ = fit_ceilings(results_.ceilings, nodes);
  measurements_ = measurements_of(results_);
  set_ = chosen_counters(results_, "");
  placements_ = place(measurements_, ceilings_, set_ ? &*set_ : nullptr, profiler_metrics_for(results_));
  accuracy_ = score(measurements_, known_counters());
  for (const auto& counter : accuracy_.counters)
    if (counter.convention == Convention::flow)
      for (const auto& node : nodes) own_grades_[{node.node, counter.counter}] = counter.grade;
  grades_ = own_grades_;
  add_cases();
  add_ceilings();
}

void MeasuredFile::add_cases() {
  std::map<std::string, const ProfileRow*> parts;
  for (const auto& part : results_.profile)
    if (!part.case_id.empty()) parts[part.case_id] = &part;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const Measured& measured = measurements_.cases[i];
    const CaseRow& of = *measured.of;
    MeasuredRow row{.name = of.id, .kernel = of.kernel, .phase = phase_of(of.id), .precision = of.precision, .flavor = of.flavor};
    row.team = Team::of(of).name();
    row.node = measured.node;
    row.of_gpu = of.gpus > 0;
    row.machine = row.of_gpu ? gpu_named(ceilings_, measured.node, measured.gpus.front()) : cpus_[measured.node];
    row.params = params_of(of);
    row.measured = &measured;
    row.placement = &placements_[i];
    if (const auto found = parts.find(of.id); found != parts.end()) row.profile = found->second;
    row.by_set = set_ && (placements_[i].join == Join::transferred || traffic_by(*set_, measured));
    rows_.push_back(std::move(row));
  }
}

void MeasuredFile::add_ceilings() {
  const std::vector<bool> disturbed = known_disturbed(results_.ceilings);
  for (const auto& ceiling : ceilings_) {
    if (ceiling.level == CeilingKind::sweep) continue;  // its points; the levels are ceilings of their own
    MeasuredRow row{.name = ceiling.name, .precision = ceiling.precision, .team = team_name(ceiling.ranks, ceiling.threads)};
    row.node = ceiling.node;
    row.of_gpu = ceiling.scope == gpu_scope;
    if (row.of_gpu) row.team = "g1";
    row.machine = row.of_gpu ? gpu_named(ceilings_, ceiling.node, ceiling.device) : cpus_[ceiling.node];
    row.ceiling = &ceiling;
    std::size_t samples = 0, disturbed_samples = 0;
    for (std::size_t i = 0; i < disturbed.size(); ++i)
      if (is_sample_of(results_.ceilings[i], ceiling)) {
        ++samples;
        disturbed_samples += disturbed[i];
      }
    row.was_disturbed = samples > 0 && disturbed_samples == samples;
    rows_.push_back(std::move(row));
  }
}

void MeasuredFile::take_undecided(const Grades& others) {
  for (const auto& [key, grade] : others)
    if (const auto [own, is_new] = grades_.try_emplace(key, grade); !is_new && own->second == '-') own->second = grade;
}

char MeasuredFile::grade_of(const std::string& node, const std::string& counter) const {
  const auto found = grades_.find({node, counter});
  return found == grades_.end() ? '-' : found->second;
}

/// Names the counter as who told it; where it is not trusted, that is why there is no number.
void MeasuredFile::hold(const MeasuredRow& row, const std::string& counter, char grade, Told& told) const {
  const auto own = own_grades_.find({row.node, counter});
  const bool by_others = (own == own_grades_.end() || own->second == '-') && grade != '-';
  told.by.push_back(fmt::format("{} ({}{})", counter, grade, by_others ? " by another of the files" : ""));
  if (grade == 'A' || grade == 'B' || !told.why_not.empty()) return;
  told.why_not = grade == '-' ? fmt::format("no score decides on {}, so that it confirms nothing", counter)
                              : fmt::format("{} is not trusted here: grade {}", counter, grade);
}

void MeasuredFile::hold_flops(const MeasuredRow& row, Told& told) const {
  const RooflinePlacement& p = *row.placement;
  if (p.join == Join::model || p.join == Join::none) {
    if (told.why_not.empty()) told.why_not = "nobody counted it: only the model speaks";
    return;
  }
  for (const auto& [precision, amount] : p.flops_by_precision) {
    if (!(amount > 0)) continue;
    const std::string area = "flops." + precision;
    if (!row.by_set) {
      const std::string counter = fmt::format("{}.{}", p.bytes_source == "mixed" ? "emulated" : p.bytes_source, area);
      hold(row, counter, grade_of(row.node, counter), told);
      continue;
    }
    for (const auto& chosen : set_->counters)
      if (!parts_seen(chosen.counter.quantities, area).empty()) hold(row, chosen.counter.name, chosen.grade, told);
  }
}

void MeasuredFile::hold_bytes(const MeasuredRow& row, const std::string& level, Told& told) const {
  const LevelIntensity* at = level_in(*row.placement, level);
  const std::string area = boundary_of(row, level);
  if (at == nullptr || at->source.empty() || at->source == "model" || row.placement->join == Join::model) {
    if (told.why_not.empty()) told.why_not = fmt::format("nobody counted its bytes of {}: only the model speaks", level);
    return;
  }
  if (!row.by_set) return hold(row, at->source + "." + area, grade_of(row.node, at->source + "." + area), told);
  for (const auto& chosen : set_->counters)
    if (!parts_seen(chosen.counter.quantities, area).empty()) hold(row, chosen.counter.name, chosen.grade, told);
}

Told MeasuredFile::of_level(const MeasuredRow& row, bool is_intensity, const std::string& level) const {
  const LevelIntensity* at = level_in(*row.placement, level);
  if (at == nullptr) return nothing(fmt::format("nobody counted bytes of {}", level));
  Told told = is_intensity ? Told{.lo = at->ai_lo, .value = at->ai, .hi = at->ai_hi}
                           : Told{.lo = at->bytes_lo, .value = at->bytes, .hi = at->bytes_hi};
  if (is_intensity && at->status != Status::ok) told.why_not = at->reason;
  if (told.why_not.empty() && !(std::isfinite(told.lo) && std::isfinite(told.value) && std::isfinite(told.hi)))
    told.why_not = fmt::format("traffic of {} is open: it may be nothing", level);
  if (is_intensity) hold_flops(row, told);
  hold_bytes(row, level, told);
  return told;
}

Told MeasuredFile::counted(const MeasuredRow& row, const std::string& counter) const {
  for (const auto& score : accuracy_.rows) {
    if (score.counter != counter || score.case_id != row.name || score.node != row.node) continue;
    Told told = exactly(score.measured, fmt::format("{} has no count: {}", counter, score.reason));
    told.by.push_back(fmt::format("{} ({}, itself on trial)", counter, grade_of(row.node, counter)));
    return told;
  }
  return nothing(fmt::format("no counter '{}' counted it", counter));
}

Told MeasuredFile::timed(const MeasuredRow& row, double value, const std::string& why_not) const {
  const Measured& measured = *row.measured;
  Told told = exactly(value, why_not);
  told.by.push_back("times");
  if (!measured.seconds.ok()) told.why_not = fmt::format("it has no time: {}", measured.seconds.reason);
  if (measured.repetitions > 0 && measured.disturbed == measured.repetitions && told.why_not.empty())
    told.why_not = "each repetition of its times was disturbed";
  return told;
}

Told MeasuredFile::of_bound(const MeasuredRow& row, double value) const {
  const RooflinePlacement& p = *row.placement;
  Told told = timed(row, value, p.bound_reason);
  if (told.why_not.empty() && !p.bound_is_certain) told.why_not = "what bounds it is open";
  hold_flops(row, told);
  if (!p.bound.empty() && p.bound != "compute") hold_bytes(row, p.bound, told);
  return told;
}

Told MeasuredFile::of_case(const MeasuredRow& row, const Formula& quantity) const {
  const RooflinePlacement& p = *row.placement;
  const std::string& word = quantity.word;
  if (word == "share") return share_of(row);
  if (word == "seconds") {
    Told told = timed(row, row.measured->seconds.value, row.measured->seconds.reason);
    open_by_samples(row, false, told);
    return told;
  }
  if (word.starts_with("bytes.") || word.starts_with("ai.")) return of_level(row, word.starts_with("ai."), word.substr(word.find('.') + 1));
  if (word == "bound") return of_bound(row, p.bound.empty() ? absent : p.bound == quantity.name ? 1 : 0);
  if (word == "percent_of_roof") {
    Told told = of_bound(row, p.percent_of_roof);
    open_by_samples(row, true, told);
    return told;
  }
  Told told;
  if (word == "gflops") {
    told = timed(row, p.gflops, p.reason);
    open_by_samples(row, true, told);
  }
  if (word == "flops") told = exactly(p.flops, p.reason);
  if (word == "percent_of_partial_fma") told = timed(row, p.percent_of_partial_fma, "its FMA mix, or the FMA peak, is not known");
  if (word == "fma_part") {
    const auto mix = p.fma_mixes.find(row.precision);
    told = exactly(mix == p.fma_mixes.end() ? absent : mix->second.fraction, "nobody told FMAs from other arithmetic");
  }
  hold_flops(row, told);
  return told;
}

Told MeasuredFile::told(const MeasuredRow& row, const Formula& quantity) const {
  if (row.ceiling != nullptr) {
    Told told = exactly(row.ceiling->value, row.ceiling->reason);
    if (told.why_not.empty() && row.was_disturbed) told.why_not = "each of its samples was disturbed";
    if (told.why_not.empty() && !row.ceiling->doubt.empty()) told.why_not = row.ceiling->doubt;
    told.by = {"ceilings"};
    return told;
  }
  if (quantity.word == "counted") return counted(row, quantity.name);
  if (quantity.word == "param") {
    const auto found = row.params.find(quantity.name);
    if (found == row.params.end()) return nothing(fmt::format("it has no parameter '{}'", quantity.name));
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    return exactly(*end == 0 ? value : absent, fmt::format("its parameter '{}' is no number", quantity.name));
  }
  if (quantity.word == "model") {
    const Bounds bounds = row.measured->expected(quantity.name);
    return exactly(bounds.lo == bounds.hi ? bounds.lo : absent, fmt::format("its model does not tell '{}' exactly", quantity.name));
  }
  return of_case(row, quantity);
}

bool is_selected(const MeasuredRow& row, const RowSelection& selection) {
  if (!fits(selection.precisions, row.precision) || !fits(selection.teams, row.team)) return false;
  if (!selection.ceiling.empty()) return row.ceiling != nullptr && matches(selection.ceiling, row.name);
  if (row.ceiling != nullptr || row.kernel != selection.kernel || row.phase != selection.phase || !fits(selection.flavors, row.flavor))
    return false;
  return std::all_of(selection.params.begin(), selection.params.end(), [&](const auto& param) {
    const auto found = row.params.find(param.first);
    return found != row.params.end() && std::find(param.second.begin(), param.second.end(), found->second) != param.second.end();
  });
}

}  // namespace plumbline::app
