#include "app/programs/subtraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "app/programs/profile_rows.hpp"
#include "app/programs/stored_profile.hpp"
#include "app/results/case_names.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/shell_words.hpp"
#include "core/error.hpp"
#include "machine/publishable.hpp"
#include "profile/runtime_libraries.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

/// Says in what the two command lines differ, so that their difference means nothing; empty where they do not.
std::string what_differs(const ProfileWords& earlier, const ProfileOptions& options) {
  const bool of_gpu = !earlier.gpu_time_by.empty();
  if (of_gpu != options.gpu) return of_gpu ? "it is of GPU kernels: --gpu" : "it is of functions on CPUs, without --gpu";
  if (!earlier.minus.empty()) return "it is itself a difference, less " + earlier.minus;
  if (earlier.window != options.window.text)
    return fmt::format("its --window is {}, and this one's {}", or_none(earlier.window), or_none(options.window.text));
  if (earlier.work_scale != options.scale_work)
    return fmt::format("its counts are scaled by {:g}, and these by {:g} (--scale-work)", earlier.work_scale, options.scale_work);
  if (of_gpu && earlier.most_launches != options.most_launches)
    return fmt::format("its counts are of the first {} launches of a kernel, and these of {} (--launches)",
                       earlier.most_launches == 0 ? "of all" : std::to_string(earlier.most_launches),
                       options.most_launches == 0 ? "all" : std::to_string(options.most_launches));
  if (earlier.why_not_joined.empty() || options.time_only) return "";
  return fmt::format("it has times alone ({}), so that no counts can be taken away: --time-only takes the times", earlier.why_not_joined);
}

// ------------------------------------------------------------------------------------------------------------- amounts

constexpr double many_deviations = 4;  // of numbers of samples, of many functions
constexpr double little_of_whole = 1e-3;

double samples_of(const ProfileRow* row) { return row != nullptr && row->samples > 0 ? row->samples : 0; }

/// Whether so many samples are fewer than chance and the machine leave open.
bool is_too_few(double now, double before) { return before - now > many_deviations * std::sqrt(now + before) + much_time * before; }

using app::less;
std::uint64_t less(std::uint64_t now, double before) {
  return static_cast<std::uint64_t>(std::llround(less(static_cast<double>(now), before)));
}

EventSums less(const EventSums& now, const EventSums& before) {
  EventSums left;
  for (const auto& [event, sum] : now) {
    const auto found = before.find(event);
    const auto away = found == before.end() ? std::optional<std::uint64_t>(0) : found->second;
    left[event] = sum && away ? std::optional<std::uint64_t>(*sum > *away ? *sum - *away : 0) : std::nullopt;
  }
  return left;
}

/// Takes samples, times and counts away.
void take_away(const ProfileRow* row, TimedCode& code) {
  if (row == nullptr) return;
  code.reuse.reset();  // what a part would have found in the caches without the other is not known
  const double elapsed = code.sum.elapsed, seconds = code.seconds;
  code.subtracted += static_cast<std::uint64_t>(samples_of(row));
  code.sum.samples = less(code.sum.samples, samples_of(row));
  code.cpu_seconds = less(code.cpu_seconds, row->cpu_seconds);
  code.seconds = less(code.seconds, row->seconds);
  code.sum.elapsed = seconds > 0 ? elapsed * code.seconds / seconds : 0;
  if (!code.counts) return;
  if (const EventSums before = counts_of(*row); !before.empty())
    code.counts = less(*code.counts, before);
  else if (samples_of(row) > 0 || row->seconds > 0)
    code.counts.reset();  // the earlier run did it, and nobody counted
}

/// The rows of an earlier profile by what they are of; those of one name are taken in their order.
class EarlierRows {
 public:
  explicit EarlierRows(const std::vector<ProfileRow>& rows) {
    for (const auto& row : rows) rows_[key(row.kind, row.name, row.object, row.function)].push_back(&row);
  }
  /// Gives the row, once; null where there is none.
  const ProfileRow* take(const std::string& kind, const std::string& name, const std::string& object = "",
                         const std::string& function = "") {
    const auto found = rows_.find(key(kind, name, object, function));
    if (found == rows_.end() || found->second.empty()) return nullptr;
    const ProfileRow* row = found->second.front();
    found->second.erase(found->second.begin());
    return row;
  }
  /// The rows of a kind that nobody took.
  std::vector<const ProfileRow*> left(const std::string& kind) const {
    std::vector<const ProfileRow*> all;
    for (const auto& [of, some] : rows_)
      if (std::get<0>(of) == kind) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static Key key(const std::string& kind, const std::string& name, const std::string& object, const std::string& function) {
    return {kind, name, fs::path(object).filename().string(), function};
  }
  std::map<Key, std::vector<const ProfileRow*>> rows_;
};

const ProfileRow* whole_of(const std::vector<ProfileRow>& rows) {
  const auto found = std::ranges::find(rows, "total", &ProfileRow::kind);
  return found == rows.end() ? nullptr : &*found;
}

// ------------------------------------------------------------------------------------------------------- what cannot be

/// Says where the earlier run has more FLOPs or bytes than this one: beyond a hundredth of them, and a thousandth of the whole.
std::string more_counts(const Subtrahend& earlier, const std::string& name, const EventSums& now, const EventSums& before,
                        const EventSums& whole) {
  const auto is_more = [&](auto amount) {
    const double is = amount(now).value_or(0), was = amount(before).value_or(0);
    return was - is > std::max(much_of_counts * was, little_of_whole * amount(whole).value_or(0)) && was > is;
  };
  const auto told = [&](const char* what, auto amount) {
    return too_much(earlier, what, name, fmt::format("{:.0f}", amount(before).value_or(0)), fmt::format("{:.0f}", amount(now).value_or(0)));
  };
  const auto all_flops = [](const EventSums& sums) { return flops(sums); };
  if (is_more(all_flops)) return told("FLOPs", all_flops);
  for (const auto& level : levels) {
    const auto across = [&level](const EventSums& sums) { return bytes(sums, level.boundary); };
    if (is_more(across)) return told("bytes", across);
  }
  return "";
}

std::string more_samples(const Subtrahend& earlier, const std::string& name, double now, const ProfileRow& row) {
  if (!is_too_few(now, samples_of(&row))) return "";
  return too_much(earlier, "samples", name, fmt::format("{:.0f}", samples_of(&row)), fmt::format("{:.0f}", now));
}

EventSums flops_of(const ProfileRow& row) {
  EventSums counts = counts_of(row);
  std::erase_if(counts, [](const auto& one) { return !one.first.starts_with("flops."); });
  return counts;
}

/// Says in what function the earlier run did more.
std::string more_in_functions(const Subtrahend& earlier, const ProfiledProgram& program) {
  EarlierRows rows(earlier.rows);
  for (const TimedFunction& function : program.profile.functions) {
    const ProfileRow* row = rows.take("function", function.name, function.object);
    if (row == nullptr || is_for_waiting(function.object)) continue;
    if (auto why = more_samples(earlier, function.name, static_cast<double>(function.sum.samples), *row); !why.empty()) return why;
    if (!function.counts) continue;
    if (auto why = more_counts(earlier, function.name, *function.counts, counts_of(*row), program.total); !why.empty()) return why;
  }
  for (const ProfileRow* row : rows.left("function")) {  // of which this run did nothing
    if (is_for_waiting(row->object)) continue;
    if (auto why = more_samples(earlier, row->name, 0, *row); !why.empty()) return why;
    if (auto why = more_counts(earlier, row->name, {}, flops_of(*row), program.total); !why.empty()) return why;
  }
  for (const TimedRegion& region : program.regions)
    if (const ProfileRow* row = rows.take("region", region.name); row != nullptr && row->entries > static_cast<double>(region.entries))
      return too_much(earlier, "entries", region.name, fmt::format("{:.0f}", row->entries), std::to_string(region.entries));
  return "";
}

/// Samples of another distance cannot be taken away from these.
bool are_sampled_alike(const Subtrahend& earlier, const TimedProfile& profile) {
  constexpr double alike = 0.05;
  const auto row = std::ranges::find_if(earlier.rows, [](const auto& one) { return one.kind == "function" && one.samples >= 1; });
  const auto own = std::ranges::find_if(profile.functions, [](const auto& one) { return one.sum.samples > 0; });
  if (row == earlier.rows.end() || own == profile.functions.end()) return true;
  const double before = row->cpu_seconds / row->samples, now = own->cpu_seconds / static_cast<double>(own->sum.samples);
  return !(std::abs(before / now - 1) > alike);
}

std::string why_not(const Subtrahend& earlier, const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  const ProfileWords& words = earlier.words;
  if (words.ranks != program.ranks) return fmt::format("{} is of {} ranks, and this run of {}", earlier.file, words.ranks, program.ranks);
  const bool is_counted = program.why_not_joined.empty();
  if (is_counted && words.caches != placed.counted.caches)
    return fmt::format("{} was counted with other simulated caches: {}, and this run with {}", earlier.file, or_none(words.caches),
                       or_none(placed.counted.caches));
  if (!words.cpu.empty() && words.cpu != placed.cpu)
    return fmt::format("{} was timed on another CPU: {}, and this run on {}", earlier.file, words.cpu, placed.cpu);
  if (!are_sampled_alike(earlier, program.profile))
    return fmt::format("{} was sampled in another way (--sampling): its samples stand for other times", earlier.file);
  const ProfileRow* whole = whole_of(earlier.rows);
  if (whole == nullptr) return earlier.file + " has no row of the whole";
  if (auto more = more_samples(earlier, program.name, static_cast<double>(program.profile.whole.sum.samples), *whole); !more.empty())
    return more;
  return more_in_functions(earlier, program);
}

/// Takes the regions away: one that was entered as often as before is no part of what is left.
void take_regions(EarlierRows& rows, ProfiledProgram& program) {
  for (TimedRegion& region : program.regions) {
    const ProfileRow* row = rows.take("region", region.name);
    if (row == nullptr) continue;
    take_away(row, region);
    region.entries = less(region.entries, row->entries);
    if (region.counts && counts_of(*row).empty()) region.counts.reset(), region.why_no_counts = "the earlier run has no counts of it";
  }
  std::erase_if(program.regions, [](const TimedRegion& region) { return region.entries == 0; });
}

/// Functions that took less than before, by chance, count as nothing: so the whole may be less than its parts, and is made as much.
void keep_whole_above_parts(TimedProfile& profile) {
  std::uint64_t samples = 0;
  double cpu_seconds = 0;
  for (const TimedFunction& function : profile.functions) samples += function.sum.samples, cpu_seconds += function.cpu_seconds;
  profile.whole.sum.samples = std::max(profile.whole.sum.samples, samples);
  profile.whole.cpu_seconds = std::max(profile.whole.cpu_seconds, cpu_seconds);
}

}  // namespace

std::string too_much(const Subtrahend& earlier, const std::string& what, const std::string& of, const std::string& before,
                     const std::string& now) {
  return fmt::format("{} has more {} of {} ({}) than this run ({}): was it without the part that is looked for, or of less work?",
                     earlier.file, what, of, before, now);
}

std::optional<Subtrahend> read_subtrahend(const ProfileOptions& options, const std::string& program) {
  if (options.subtract.empty()) return std::nullopt;
  Results results = load_results(options.subtract);
  const auto profile = stored_profile(options.subtract, results, {});
  if (profile == nullptr)
    throw user_error(
        fmt::format("--subtract: {} has no profile of a program: plumbline profile -o FILE.h5 -- program makes one", options.subtract));
  Subtrahend earlier{.file = without_person(options.subtract, this_person()),
                     .words = profile->shown.words,
                     .rows = std::move(results.profile),
                     .counts = std::move(results.counts)};
  const ProfileRow* whole = whole_of(earlier.rows);
  if (whole != nullptr && whole->name != program)
    throw user_error(fmt::format("--subtract: {} is of another program: {}, and this is {}", options.subtract, whole->name, program));
  if (const std::string differs = what_differs(earlier.words, options); !differs.empty())
    throw user_error(fmt::format("--subtract: {} cannot be taken away from this: {}", options.subtract, differs));
  return earlier;
}

std::string name_in_cases(const Subtrahend& earlier) {
  const std::string stem = fs::path(earlier.file).stem().string();
  return CaseNames({stem}).of(stem);
}

std::string subtract(const Subtrahend& earlier, PlacedProgram& placed, std::vector<std::string>& notes) {
  if (std::string why = why_not(earlier, placed); !why.empty()) return why;
  ProfiledProgram& program = placed.program;
  EarlierRows rows(earlier.rows);
  const ProfileRow& whole = *whole_of(earlier.rows);
  const std::size_t before = program.profile.functions.size();
  take_away(&whole, program.profile.whole);
  program.total = less(program.total, counts_of(whole));
  for (TimedFunction& function : program.profile.functions) {
    take_away(rows.take("function", function.name, function.object), function);
    for (TimedLoop& loop : function.loops) take_away(rows.take("loop", loop.line, function.object, function.name), loop);
  }
  take_regions(rows, program);
  if (program.profile.whole.sum.samples == 0 && whole.samples > 0)
    return fmt::format("{} has as many samples as this run, or more ({:.0f}): nothing is left of it", earlier.file, whole.samples);
  keep_whole_above_parts(program.profile);
  const ProfileWords& words = earlier.words;
  const bool was_longer = words.wall_seconds > program.ending.wall_seconds, had_reuse = placed.counted.profile.reuse.has_value();
  program.ending.wall_seconds = less(program.ending.wall_seconds, words.wall_seconds);
  program.ending.user_seconds = less(program.ending.user_seconds, words.user_seconds);
  program.ending.system_seconds = less(program.ending.system_seconds, words.system_seconds);
  program.window_seconds = less(program.window_seconds, words.window_seconds);
  const auto is_gone = [&](const TimedCode& code) { return !is_worth_a_row(code, program.total); };
  std::erase_if(program.profile.functions, is_gone);
  for (TimedFunction& function : program.profile.functions) std::erase_if(function.loops, is_gone);
  std::ranges::stable_sort(program.profile.functions, [](const auto& a, const auto& b) { return a.sum.samples > b.sum.samples; });
  program.minus = name_in_cases(earlier);
  placed.minus = earlier.file, placed.minus_command = words.command;
  notes.insert(notes.begin(),
               fmt::format("--subtract: times, FLOPs and bytes are this run's less those of an earlier one ({}); intervals have the "
                           "samples of both in them, and how runs of the same differ by themselves is in none; {} of {} functions are left",
                           earlier.file, program.profile.functions.size(), before));
  if (was_longer) notes.emplace_back("the earlier run took longer from start to end: of the time between, this difference says nothing");
  if (had_reuse) notes.emplace_back("reuse distances are left out: those of a difference are not known");
  if (words.command == placed.counted.command)
    notes.insert(notes.begin() + 1, "both runs had the same command line: what is left is how far they differ by themselves");
  return "";
}

}  // namespace plumbline::app
