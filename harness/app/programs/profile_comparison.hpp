// Two profiles of a program are held beside each other by function: time with what the samples leave open, and work, which is exact.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/terminal/columns.hpp"
#include "core/records.hpp"
#include "model/statistics/threshold.hpp"
#include "profile/timed_functions.hpp"

namespace plumbline::app {

/// Whether a part of a program is in both profiles, or in one of them.
enum class Presence { both, came, went };
constexpr std::string_view to_string(Presence presence) { return enumerator_name(presence); }

/// The whole of a program, a function or a marked region, with its rows; null where a profile does not have it.
struct ComparedPart {
  const ProfileRow *before = nullptr, *after = nullptr;
  Judged judged = {.slowdown = absent, .lo = absent, .hi = absent};  // of its time
  Status status = Status::ok;                                        // not ok: its times cannot be compared, for `reason`
  std::string reason = {};
  Verdict verdict = Verdict::ambiguous;

  /// The row that is there: that of after, where both are.
  const ProfileRow& row() const { return after != nullptr ? *after : *before; }
  Presence presence() const { return before == nullptr ? Presence::came : after == nullptr ? Presence::went : Presence::both; }
};

/// Compares two profiles: the whole, then functions by the longer of their two times. A function is the same that has its name and the name
/// of its file, in turn where several have; what is then left of a name, once on either side, is the same in files of different names, and
/// then what is left of a name in the source, of which the compiler made a copy ("f.constprop.0").
/// The interval of a time's ratio is that of the ratio of two rates at which samples were met, given how many both met together (Wilson's
/// for that part). Regions, by their names, come last. Of them and of the whole it is from the ratio of its times from start to end to that
/// of its CPU times a core, which others that share the machine change less.
std::vector<ComparedPart> compare_profiles(std::span<const ProfileRow> before, std::span<const ProfileRow> after, double threshold);

/// Whether every event was counted as often on both sides; nullopt where one of them has no counts.
std::optional<bool> did_the_same(const ComparedPart& part);

/// `of_gpu`: people see how often kernels were launched.
Columns<ComparedPart> compared_part_columns(bool of_gpu = false);

/// The table for people, of parts with at least a hundredth of the time or of the work on either side.
std::string compared_parts_text(const std::vector<ComparedPart>& parts, Format format);

}  // namespace plumbline::app
