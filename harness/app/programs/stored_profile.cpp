#include "app/programs/stored_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/programs/profile_rows.hpp"
#include "app/results/intensity.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {

// A file of an earlier program may have fewer of them.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfileWords, command, caches, why_not_joined, wall_seconds, user_seconds, system_seconds,
                                                processes, ranks, nodes, functions, notes, window, window_seconds, count_arguments,
                                                work_scale, gpu_time_by, gpus, most_launches, cpu, minus, minus_command)

namespace {

/// A level of a row without a case: the counts are exact, and so is the intensity.
LevelIntensity level_of(const std::string& name, const LevelBytes& at, double flops) {
  LevelIntensity level{.level = name, .source = "emulated"};
  level.bytes = level.bytes_lo = level.bytes_hi = at.bytes ? static_cast<double>(*at.bytes) : absent;
  level.ai = level.ai_lo = level.ai_hi = flops / level.bytes;
  level.status = std::isfinite(level.ai) ? Status::ok : Status::unavailable;
  return level;
}

/// The place that the row itself tells.
RooflinePlacement place_of(const ProfileRow& row) {
  RooflinePlacement place{.seconds = row.seconds, .flops = row.flops, .gflops = row.gflops};
  for (const auto& [name, boundary] : levels)
    if (const double bytes = level_bytes(row, name); std::isfinite(bytes) && bytes >= 0)
      place.levels.push_back(level_of(name, {.boundary = boundary, .bytes = static_cast<std::uint64_t>(bytes)}, row.flops));
  place.bound = row.bound, place.bound_ceiling = row.bound_ceiling, place.percent_of_roof = row.percent_of_roof;
  place.bound_is_certain = true;
  return place;
}

RooflinePlacement place_of(const ProfileRow& row, const std::map<std::string, const RooflinePlacement*>& by_case) {
  const auto found = by_case.find(row.case_id);
  RooflinePlacement place = found == by_case.end() ? place_of(row) : *found->second;
  if (row.status != Status::ok && row.counts.size() <= std::string_view("{}").size())
    place.status = row.status, place.reason = row.reason;  // a row without counts says why
  return place;
}

PlacedRow placed_row(const ProfileRow& row, const RooflinePlacement& at) {
  const auto whole = [](double value) { return value > 0 && value < 1e15 ? static_cast<std::uint64_t>(std::llround(value)) : 0; };
  PlacedRow placed{.name = row.name,
                   .object = row.object,
                   .function = row.function,
                   .samples = whole(row.samples),
                   .share = {row.share, row.share_lo, row.share_hi},
                   .cores = static_cast<int>(std::clamp<std::uint64_t>(whole(row.cores), 1, 1U << 20)),
                   .cpu_seconds = row.cpu_seconds,
                   .imbalance = row.imbalance,
                   .fma_part = row.fma,
                   .at = &at,
                   .counts = counts_of(row)};
  if (row.kind == "region") placed.region = {.entries = whole(row.entries)};
  return placed;
}

RankTimes rank_times(const ProfileRow& row) {
  return {.rank = row.rank,
          .seconds = row.seconds,
          .cpu_seconds = row.cpu_seconds,
          .mpi_seconds = row.mpi_seconds,
          .gflops = row.gflops,
          .flops = row.flops,
          .host = row.host};
}

ProfileWords words_in(const std::string& file, const std::string& provenance) try {
  return nlohmann::json::parse(provenance).at("profiled").get<ProfileWords>();
} catch (const nlohmann::json::exception& error) {
  throw user_error(fmt::format("result file '{}' has a profile, and its provenance does not say of which program ({}); profile it again",
                               file, printable(error.what())));
}

}  // namespace

std::string provenance_of(const ProfileWords& words) { return json_text(nlohmann::json{{"profiled", words}}); }

void write_profile(const std::string& file, Results results, const Json& rows, const ProfileWords& words) {
  results.provenance = provenance_of(words);
  results.profile = profile_rows(rows, results.cases);
  const Intensities derived = derived_intensities(results);
  write_store(file, results, &derived);
}

std::unique_ptr<StoredProfile> stored_profile(const std::string& file, const Results& results,
                                              const std::vector<RooflinePlacement>& placements) {
  if (results.profile.empty()) return nullptr;
  auto profile = std::make_unique<StoredProfile>();
  profile->shown.words = words_in(file, results.provenance);
  profile->rows = results.profile;
  std::map<std::string, const RooflinePlacement*> by_case;
  for (const auto& placement : placements) by_case[placement.of->id] = &placement;
  for (const auto& row : profile->rows) profile->places.push_back(place_of(row, by_case));
  for (std::size_t i = 0; i < profile->rows.size(); ++i) {
    const PlacedRow row = placed_row(profile->rows[i], profile->places[i]);
    if (profile->rows[i].kind == "total") profile->shown.whole = row;
    if (profile->rows[i].kind == "function") profile->shown.functions.push_back(row);
    if (profile->rows[i].kind == "loop") profile->shown.loops.push_back(row);
    if (profile->rows[i].kind == "region") profile->shown.regions.push_back(row);
    if (profile->rows[i].kind == "rank" && std::isfinite(profile->rows[i].seconds))
      profile->shown.ranks.push_back(rank_times(profile->rows[i]));
  }
  return profile;
}

Columns<StoredProfile> stored_profile_columns() {
  using Row = StoredProfile;
  const auto of_words = [](auto member) { return [member](const Row& row) { return row.shown.words.*member; }; };
  return {{"command", "the program and its arguments", of_words(&ProfileWords::command)},
          {"caches", "the caches that were simulated, in words", [](const Row& row) { return OrNull{row.shown.words.caches}; }},
          {"why_not_joined", "why there are times alone", [](const Row& row) { return OrNull{row.shown.words.why_not_joined}; }},
          {"wall_seconds", "time of the native run from start to end", of_words(&ProfileWords::wall_seconds)},
          {"user_seconds", "its CPU time in user mode", of_words(&ProfileWords::user_seconds)},
          {"system_seconds", "its CPU time in the system", of_words(&ProfileWords::system_seconds)},
          {"window", "the part of the run that was profiled, as --window names it",
           [](const Row& row) { return OrNull{row.shown.words.window}; }},
          {"minus", "the file of the earlier run that was taken away", [](const Row& row) { return OrNull{row.shown.words.minus}; }},
          {"gpu_time_by", "what told the times of a GPU's kernels: activities, or counters of the counted launches",
           [](const Row& row) { return OrNull{row.shown.words.gpu_time_by}; }},
          {"work_scale", "factor by which the counts of a smaller input were multiplied", of_words(&ProfileWords::work_scale)},
          {"notes", "what was to be said of it", of_words(&ProfileWords::notes)},
          list_column<Row>("rows", "the table /profile of the file", profile_row_columns(), &Row::rows)};
}

}  // namespace plumbline::app
