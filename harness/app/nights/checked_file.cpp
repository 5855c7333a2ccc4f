#include "app/nights/checked_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "app/nights/history_series.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The days of a rolling baseline: 14 for "rolling:14d".
std::optional<double> rolling_days(const std::string& baseline) {
  constexpr std::string_view word = "rolling:";
  if (!baseline.starts_with(word)) return std::nullopt;
  const std::string text = baseline.substr(word.size());
  std::size_t end = 0;
  double days = 0;
  try {
    days = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || text.substr(end) != "d" || !(days > 0))
    throw user_error(fmt::format("--baseline is '{}', but a rolling one is rolling:DAYSd, e.g. rolling:14d", baseline));
  return days;
}

struct Baseline {
  History history;
  fs::path folder;         // where accepted levels lie
  double days = HUGE_VAL;  // that it reaches back
  bool any_time = false;   // a single file counts whenever it was measured
};

Baseline baseline_of(const CheckWish& wish) {
  Baseline baseline;
  const fs::path file_folder = wish.history.empty() ? folder_of(wish.file) : fs::path(wish.history);
  std::error_code unknown;
  if (const auto days = rolling_days(wish.baseline)) {
    baseline.folder = file_folder;
    baseline.days = *days;
    baseline.history = load_history(baseline.folder);
  } else if (fs::is_directory(wish.baseline, unknown)) {
    baseline.folder = wish.baseline;
    baseline.history = load_history(baseline.folder);
  } else {
    baseline.folder = file_folder;
    baseline.any_time = true;
    baseline.history.nights.push_back(night_of(wish.baseline, observe_file(wish.baseline)));
  }
  return baseline;
}

std::string cluster_text(const std::string& name) { return name.empty() ? "FILE's, which names none" : "'" + name + "'"; }

/// A file that was named says more than the cluster's name, but for one that is surely another.
void refuse_another_cluster(const Night& named, const Night& checked) {
  if (named.cluster.empty() || checked.cluster.empty() || named.cluster == checked.cluster) return;
  throw user_error(
      fmt::format("FILE was measured on the cluster '{}' and the baseline {} on '{}': nothing of one is held against the other; "
                  "'plumbline compare' does that",
                  checked.cluster, named.file, named.cluster));
}

/// Keeps the nights before the checked one.
void keep_earlier(Baseline& baseline, const Night& checked, std::vector<std::string>& notes) {
  auto& nights = baseline.history.nights;
  const auto itself = std::erase_if(nights, [&](const Night& night) { return night.digest == checked.digest; });
  if (baseline.any_time) {
    if (itself > 0) throw user_error("FILE and the baseline hold the same measurements");
    refuse_another_cluster(nights.front(), checked);
    return;
  }
  const auto others = std::erase_if(nights, [&](const Night& night) { return night.cluster != checked.cluster; });
  if (others > 0)
    notes.push_back(fmt::format("{} night{} of other clusters than {}: {} no part of the baseline", others, others == 1 ? " is" : "s are",
                                cluster_text(checked.cluster), others == 1 ? "it is" : "they are"));
  const auto later = std::erase_if(nights, [&](const Night& night) { return night.started_unix_ns > checked.started_unix_ns; });
  if (later > 0)
    notes.push_back(
        fmt::format("{} night{} began after FILE ({}) and {} no part of its baseline: FILE is an old one, or a clock was stepped back",
                    later, later == 1 ? "" : "s", utc_text(checked.started_unix_ns), later == 1 ? "is" : "are"));
}

/// The nights within the days, which rows are held against. What is missing is looked for in all: it is told until somebody accepts it.
std::span<const Night> within_reach(const Baseline& baseline, const Night& checked) {
  const std::span nights(baseline.history.nights);
  const double reach_ns = baseline.days * 86'400e9;
  const auto first = std::find_if(nights.begin(), nights.end(), [&](const Night& night) {
    return static_cast<double>(checked.started_unix_ns - night.started_unix_ns) <= reach_ns;
  });
  return nights.subspan(static_cast<std::size_t>(first - nights.begin()));
}

/// A level says nothing of nights before it, and nothing against a file that was named.
std::vector<AcceptedLevel> levels_of(const Baseline& baseline, const Night& checked, std::vector<std::string>& notes) {
  if (baseline.any_time) return {};
  auto levels = levels_of_cluster(read_accepted_levels(baseline.folder, notes), checked.cluster);
  const auto later = std::erase_if(levels, [&](const AcceptedLevel& level) { return level.from_unix_ns > checked.started_unix_ns; });
  if (later > 0)
    notes.push_back(fmt::format("{} level{} accepted from a later night on than FILE's ({}) and {} not count for it", later,
                                later == 1 ? " is" : "s are", utc_text(checked.started_unix_ns), later == 1 ? "does" : "do"));
  return levels;
}

/// Says why no row was held against anything.
std::string nothing_held(const CheckReport& report) {
  if (report.rows.empty()) return "this night measured nothing: no case, ceiling or link is in its file, and nothing was checked";
  if (report.nights == 0) return "there is no earlier night to hold this one against: nothing was checked but the results";
  const auto accepted = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return !row.accepted.empty(); });
  const auto bad = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return row.status != Status::ok; });
  return fmt::format(
      "none of the {} rows was held against anything, although there are {} nights: {} failed, {} were disturbed in every sample, of {} "
      "the accepted "
      "level begins too late, the others were not measured before, or only disturbed",
      report.rows.size(), report.nights, bad, count_of(report, NightFinding::disturbed), accepted);
}

}  // namespace

void require_baseline(const CheckWish& wish) {
  std::error_code unknown;
  if (!wish.history.empty() && fs::exists(wish.history, unknown) && !fs::is_directory(wish.history, unknown))
    throw user_error(fmt::format("{} is no folder: name the one of the nights with --history", wish.history));
  if (wish.baseline.empty() || rolling_days(wish.baseline) || fs::is_directory(wish.baseline, unknown)) return;
  observe_file(wish.baseline);
}

CheckReport check_file(const CheckWish& wish) {
  CheckReport report{
      .file = wish.file, .baseline = wish.baseline, .false_alarms = wish.false_alarms, .missing_allowed = wish.allow_missing};
  const ObservedFile observed = observe_file(wish.file);
  const Night checked = night_of(wish.file, observed);
  report.cluster = checked.cluster;
  report.wrong = observed.wrong;
  report.started_unix_ns = checked.started_unix_ns;
  Baseline baseline = baseline_of(wish);
  report.notes = observed.notes;
  report.notes.insert(report.notes.end(), baseline.history.notes.begin(), baseline.history.notes.end());
  keep_earlier(baseline, checked, report.notes);
  const auto levels = levels_of(baseline, checked, report.notes);
  const auto nights = within_reach(baseline, checked);
  report.nights = nights.size();
  check_rows(report, checked, series_of(nights, levels), levels, {.false_alarms = wish.false_alarms, .threshold = wish.threshold});
  MissingRows missing = find_missing(checked, series_of(baseline.history.nights, levels));
  report.missing = std::move(missing.rows);
  if (!missing.retired.empty()) report.notes.push_back(retired_note(missing.retired));
  if (held_of(report) == 0) {
    const bool disturbed = count_of(report, NightFinding::disturbed) > 0;
    if (baseline.any_time && !disturbed && report.missing.empty() && report.wrong.empty())
      throw user_error(fmt::format("{} and {} have nothing in common that was measured in both: 'plumbline compare' says what each holds",
                                   wish.file, wish.baseline));
    report.notes.push_back(nothing_held(report));
  }
  return report;
}

Exit exit_of(const CheckReport& report) {
  if (!report.wrong.empty()) return Exit::wrong_result;
  if (count_of(report, NightFinding::slower) > 0) return Exit::regression;
  const bool missed = (report.rows.empty() || !report.missing.empty()) && !report.missing_allowed;
  return missed ? Exit::io_or_failed_case : Exit::ok;
}

}  // namespace plumbline::app
