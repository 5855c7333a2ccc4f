#include "app/programs/profile_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>

#include "app/nights/observed_file.hpp"
#include "app/programs/profile_document.hpp"
#include "app/programs/profile_rows.hpp"

namespace plumbline::app {
namespace {

using Rows = std::span<const ProfileRow>;

std::string file_of(const ProfileRow& row) { return std::filesystem::path(row.object).filename().string(); }

std::vector<const ProfileRow*> of_kind(Rows rows, std::string_view kind) {
  std::vector<const ProfileRow*> all;
  for (const auto& row : rows)
    if (row.kind == kind) all.push_back(&row);
  return all;
}

/// Pairs rows of equal keys, each key's in their order, and leaves the others in the two lists. `once`: only keys that one row a side has.
template <class Key>
void pair_up(std::vector<const ProfileRow*>& before, std::vector<const ProfileRow*>& after, Key key, bool once,
             std::vector<ComparedPart>& parts) {
  std::map<std::string, std::pair<std::vector<const ProfileRow*>, std::vector<const ProfileRow*>>> by_key;
  for (const auto* row : before) by_key[key(*row)].first.push_back(row);
  for (const auto* row : after) by_key[key(*row)].second.push_back(row);
  before.clear(), after.clear();
  for (auto& [name, sides] : by_key) {
    auto& [first, second] = sides;
    const std::size_t pairs = once && (first.size() != 1 || second.size() != 1) ? 0 : std::min(first.size(), second.size());
    for (std::size_t i = 0; i < pairs; ++i) parts.push_back({first[i], second[i]});
    before.insert(before.end(), first.begin() + static_cast<std::ptrdiff_t>(pairs), first.end());
    after.insert(after.end(), second.begin() + static_cast<std::ptrdiff_t>(pairs), second.end());
  }
}

/// The name that a function has in the source: GCC calls a copy of it that it made for some of its callers "f.constprop.0", and in C++
/// "f(int) [clone .constprop.0]". The part of it that it laid elsewhere, "f.cold", is a function beside it.
std::string name_in_source(const std::string& name) {
  static const std::regex of_copies(R"(( \[clone )?(?:(\.cold)|\.constprop|\.isra|\.part|\.lto_priv)(\.[0-9]{1,9})?\]?)");
  return std::regex_replace(name, of_copies, "$2");
}

constexpr double most_samples = 1e15;  // of a file that anybody may have made

/// A region is timed from mark to mark, a kernel from its begin to its end, a function where samples meet it.
bool was_met(const ProfileRow& row) {
  const bool by_samples = row.kind != "region" && std::isfinite(row.samples);
  return (!by_samples || row.samples > 0) && row.seconds > 0;
}

/// The ratio of two times, each of so many samples.
Judged ratio_of_times(const ProfileRow& before, const ProfileRow& after) {
  const double ratio = after.seconds / before.seconds;
  if (after.kind != "function") {
    const double busy = (after.cpu_seconds / after.cores) / (before.cpu_seconds / before.cores);
    return std::isfinite(busy) && busy > 0 ? Judged{ratio, std::min(ratio, busy), std::max(ratio, busy)} : Judged{ratio, ratio, ratio};
  }
  const auto samples = [](const ProfileRow& row) { return static_cast<std::uint64_t>(std::min(row.samples, most_samples)); };
  const Share of_both = share_of(samples(after), samples(after) + samples(before));
  const double scale = ratio * before.samples / after.samples;
  return {ratio, scale * of_both.lo / (1 - of_both.lo), scale * of_both.hi / (1 - of_both.hi)};
}

void judge_time(ComparedPart& part, double threshold) {
  const auto missing = [](const ProfileRow* row) { return row == nullptr || !was_met(*row); };
  if (missing(part.before) || missing(part.after)) {
    part.status = Status::unavailable;
    const auto why = [](const ProfileRow* row, const char* side) {
      return row == nullptr ? fmt::format("it is not in the profile {}", side)
             : !was_met(*row)
                 ? fmt::format("{} {}", row->kind == "region" || row->kind == "kernel" ? "it was not timed" : "no sample met it", side)
                 : std::string();
    };
    part.reason = why(part.before, "before");
    if (const std::string after = why(part.after, "after"); !after.empty()) part.reason += (part.reason.empty() ? "" : ", ") + after;
    return;
  }
  part.judged = ratio_of_times(*part.before, *part.after);
  part.verdict = verdict_of(part.judged, threshold);
}

/// The longer of its two times; a function that was never met is the shortest.
double longest(const ComparedPart& part) {
  double seconds = 0;
  for (const auto* row : {part.before, part.after})
    if (row != nullptr && row->seconds > seconds) seconds = row->seconds;
  return seconds;
}

// ------------------------------------------------------------------------------------------------------------------ columns

/// A number of one side.
template <class Get>
auto on(const ProfileRow* ComparedPart::*side, Get get) {
  return [side, get](const ComparedPart& part) { return part.*side == nullptr ? absent : std::invoke(get, *(part.*side)); };
}

auto on_both(double ProfileRow::*number) { return std::pair(on(&ComparedPart::before, number), on(&ComparedPart::after, number)); }

/// The change of an exact amount in words: "same", "-50.0 %", "from 0"; "-" where a side does not know it, or has none of it.
std::string amount_text(double before, double after) {
  if (!std::isfinite(before) || !std::isfinite(after) || (before == 0 && after == 0)) return "-";
  if (before == after) return "same";
  if (before == 0) return "from 0";
  const double part = after / before - 1;
  constexpr double readable = 10, smallest = 5e-4;
  if (part > readable) return fmt::format("x {}", plain(after / before));
  if (std::abs(part) < smallest) return "~same";
  return change_text(after / before);
}

std::string share_text(const ProfileRow* row) {
  if (row == nullptr || !std::isfinite(row->share)) return "-";
  if (!std::isfinite(row->share_lo)) return fmt::format("{:.1f} %", 100 * row->share);
  return fmt::format("{:.1f} +-{:.1f} %", 100 * row->share, 50 * (row->share_hi - row->share_lo));
}

std::string seconds_text(const ProfileRow* row) { return row == nullptr || !std::isfinite(row->seconds) ? "-" : duration(row->seconds); }

std::string verdict_text(const ComparedPart& part) {
  if (part.presence() == Presence::came) return "CAME";
  if (part.presence() == Presence::went) return "WENT";
  return part.status == Status::ok ? std::string(to_string(part.verdict)) : "-";
}

auto ratio_text(double Judged::*number) {
  return [number](const ComparedPart& part) { return change_text(part.judged.*number); };
}

struct LevelChange {
  double before, after;
};

std::vector<std::pair<std::string, LevelChange>> level_changes(const ComparedPart& part) {
  std::vector<std::pair<std::string, LevelChange>> all;
  for (const auto& level : levels) {
    const auto bytes = [&](const ProfileRow& row) { return level_bytes(row, level.name); };
    all.push_back({level.name, {on(&ComparedPart::before, bytes)(part), on(&ComparedPart::after, bytes)(part)}});
  }
  return all;
}

Columns<LevelChange> level_change_columns() {
  return {{"bytes_before", "bytes across its boundary towards the core before", &LevelChange::before},
          {"bytes_after", "bytes across its boundary towards the core after", &LevelChange::after}};
}

/// A column for people, of how an amount changed.
template <class Get>
Column<ComparedPart> amount_column(const std::string& words, Get get) {
  return {Heading{words}, [get](const ComparedPart& part) {
            return amount_text(on(&ComparedPart::before, get)(part), on(&ComparedPart::after, get)(part));
          }};
}

/// Whether a part has much of the time, or of the operations or loads and stores, on a side.
bool is_worth_a_line(const ComparedPart& part, const ComparedPart& whole) {
  constexpr double least = 0.01;
  const auto is_much = [&](const ProfileRow* row, const ProfileRow* all) {
    if (row == nullptr) return false;
    return row->share >= least ||
           (all != nullptr && (row->flops > least * all->flops || level_bytes(*row, "L1") > least * level_bytes(*all, "L1")));
  };
  return part.row().kind == "total" || is_much(part.before, whole.before) || is_much(part.after, whole.after);
}

/// Pairs functions, or kernels.
void pair_functions(Rows before, Rows after, std::string_view kind, std::vector<ComparedPart>& functions) {
  auto left_before = of_kind(before, kind), left_after = of_kind(after, kind);
  pair_up(
      left_before, left_after, [](const ProfileRow& row) { return row.name + "\n" + file_of(row); }, false, functions);
  pair_up(
      left_before, left_after, [](const ProfileRow& row) { return row.name; }, true, functions);
  pair_up(
      left_before, left_after, [](const ProfileRow& row) { return name_in_source(row.name); }, true, functions);
  for (const auto* row : left_before) functions.push_back({row, nullptr});
  for (const auto* row : left_after) functions.push_back({nullptr, row});
}

}  // namespace

std::vector<ComparedPart> compare_profiles(Rows before, Rows after, double threshold) {
  std::vector<ComparedPart> parts, functions;
  const auto wholes_before = of_kind(before, "total"), wholes_after = of_kind(after, "total");
  if (!wholes_before.empty() && !wholes_after.empty()) parts.push_back({wholes_before.front(), wholes_after.front()});
  for (const char* kind : {"function", "kernel"}) pair_functions(before, after, kind, functions);
  std::ranges::stable_sort(functions, [](const auto& a, const auto& b) { return longest(a) > longest(b); });
  parts.insert(parts.end(), functions.begin(), functions.end());
  auto regions_before = of_kind(before, "region"), regions_after = of_kind(after, "region");
  pair_up(
      regions_before, regions_after, [](const ProfileRow& row) { return row.name; }, true, parts);
  for (const auto* row : regions_before) parts.push_back({row, nullptr});
  for (const auto* row : regions_after) parts.push_back({nullptr, row});
  for (auto& part : parts) judge_time(part, threshold);
  return parts;
}

std::optional<bool> did_the_same(const ComparedPart& part) {
  if (part.presence() != Presence::both) return std::nullopt;
  const EventSums before = counts_of(*part.before), after = counts_of(*part.after);
  if (before.empty() || after.empty()) return std::nullopt;
  return before == after;
}

Columns<ComparedPart> compared_part_columns(bool of_gpu) {
  using Row = ComparedPart;
  const auto numbers = [](Columns<Row>& columns, const std::string& key, const std::string& what, double ProfileRow::*number) {
    const auto [before, after] = on_both(number);
    columns.push_back({key + "_before", what + " before", before});
    columns.push_back({key + "_after", what + " after", after});
  };
  Columns<Row> columns{
      Column<Row>("kind", "total, function, kernel or region", [](const Row& part) { return part.row().kind; })
          .one_of({"total", "function", "kernel", "region"}),
      Column<Row>("name", "name of the function, the kernel, the region, or the program", [](const Row& part) { return part.row().name; })
          .in_row("function", Align::left,
                  [](const Row& part) {
                    if (part.row().kind == "total") return std::string("the whole");
                    return (part.row().kind == "region" ? "region " : "") + shortened(part.row().name);
                  }),
      {"object", "name of the file that it lies in", [](const Row& part) { return OrNull{file_of(part.row())}; }},
      {"presence", "both, or whether it came or went", &Row::presence},
      Column<Row>("verdict", "SAME, SLOWER, FASTER or AMBIGUOUS, of its time",
                  [](const Row& part) { return part.status == Status::ok ? std::optional(part.verdict) : std::nullopt; })
          .in_row("verdict", Align::left, verdict_text),
      Column<Row>(Heading{"of time before"}, [](const Row& part) { return share_text(part.before); }),
      Column<Row>(Heading{"after"}, [](const Row& part) { return share_text(part.after); }),
      Column<Row>(Heading{"time before"}, [](const Row& part) { return seconds_text(part.before); }),
      Column<Row>(Heading{"after"}, [](const Row& part) { return seconds_text(part.after); }),
      Column<Row>("slowdown", "how many times as long it takes", [](const Row& part) { return part.judged.slowdown; })
          .in_row("change", Align::right, ratio_text(&Judged::slowdown)),
      Column<Row>("slowdown_lo", "lower end of the interval at 95 % that the numbers of samples leave",
                  [](const Row& part) { return part.judged.lo; })
          .in_row("from", Align::right, ratio_text(&Judged::lo)),
      Column<Row>("slowdown_hi", "upper end of that interval", [](const Row& part) { return part.judged.hi; })
          .in_row("to", Align::right, ratio_text(&Judged::hi)),
      amount_column("FLOPs", &ProfileRow::flops),
      amount_column("bytes L1", [](const ProfileRow& row) { return level_bytes(row, "L1"); }),
      amount_column("bytes mem", [](const ProfileRow& row) { return level_bytes(row, "mem"); }),
      {"did_the_same", "whether every event was counted as often on both sides", did_the_same}};
  if (of_gpu) columns.push_back(amount_column("launches", &ProfileRow::launches));
  numbers(columns, "samples", "samples that met it", &ProfileRow::samples);
  numbers(columns, "share", "part of all samples", &ProfileRow::share);
  numbers(columns, "share_lo", "lower end of the share's interval", &ProfileRow::share_lo);
  numbers(columns, "share_hi", "upper end of the share's interval", &ProfileRow::share_hi);
  numbers(columns, "seconds", "time that it took", &ProfileRow::seconds);
  numbers(columns, "gflops", "rate of all cores together", &ProfileRow::gflops);
  numbers(columns, "percent_of_roof", "part of the roof that it reaches", &ProfileRow::percent_of_roof);
  numbers(columns, "launches", "launches of kernels", &ProfileRow::launches);
  numbers(columns, "flops", "floating-point operations", &ProfileRow::flops);
  numbers(columns, "instructions", "instructions that ran", &ProfileRow::instructions);
  columns.push_back(named_rows_column<Row>("levels", "by level of memory what crosses its boundary towards the core",
                                           level_change_columns(), level_changes));
  columns.push_back({"status", "ok, or in a word why its times cannot be compared", &Row::status});
  columns.push_back({"reason", "why they cannot", [](const Row& part) { return OrNull{part.reason}; }});
  return columns;
}

std::string compared_parts_text(const std::vector<ComparedPart>& parts, Format format) {
  if (parts.empty()) return "nothing can be compared\n";
  std::vector<ComparedPart> shown;
  const ComparedPart whole = parts.front().row().kind == "total" ? parts.front() : ComparedPart{};
  std::ranges::copy_if(parts, std::back_inserter(shown), [&](const auto& part) { return is_worth_a_line(part, whole); });
  const bool of_gpu = std::ranges::any_of(parts, [](const auto& part) { return part.row().kind == "kernel"; });
  const auto columns = compared_part_columns(of_gpu);
  std::string text = format == Format::markdown ? markdown(columns, shown) : aligned(columns, shown);
  if (shown.size() < parts.size())
    text += fmt::format("(functions with less than 1 % of the time and of the work on both sides: {}; --json has them)\n",
                        parts.size() - shown.size());
  return text;
}

}  // namespace plumbline::app
