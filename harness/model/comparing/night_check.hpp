// A night is held against the nights before it: which things became slower, with how many false alarms a night.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/comparing/checked_series.hpp"
#include "model/comparing/observation.hpp"
#include "model/statistics/interval.hpp"
#include "model/statistics/threshold.hpp"

namespace plumbline {

/// The few numbers that a night says of one thing: the index of a history keeps them.
struct NightValue {
  double median = absent;           // in the unit
  double lo = absent, hi = absent;  // 95 % interval of the median within the night; absent for a single sample
  double scatter = absent;          // of one sample, of the logarithm
  std::size_t n = 0;
  double clock_hz = absent;
  bool disturbed = false;    // every sample was: it says little of the node
  double unshared = absent;  // where disturbed: the median without what others took of the CPU
  double excuse = 1;         // where disturbed: times as long as others may have made it
};
NightValue night_value(const Observation& observation);

enum class NightFinding {
  ok,
  slower,
  faster,
  suspect,    // slower than the nights before by more than they scatter, but not so surely, or not for so many nights in turn, that it is a
              // finding
  disturbed,  // something else ran beside every repetition, and it took no longer than that explains: it is held against nobody
  no_baseline,
};
std::string_view to_string(NightFinding finding);

/// A row of a night as it was judged: ratios are of costs, so that more than 1 is slower.
struct CheckedNight {
  NightFinding finding = NightFinding::no_baseline;
  double slowdown = absent, lo = absent, hi = absent;  // times as long as the baseline's median, with its simultaneous interval
  double before = absent;                              // the baseline's median, in the unit
  double threshold = absent;
  std::size_t nights = 0;
  double movement = 1;                // times as long as all of its node took in that night: the finding is of what is left beside it
  std::size_t suspicious_nights = 0;  // in turn, with this one
  std::size_t nights_in_turn = 0;     // so many are a finding; 0: none are, or that is not known yet
};

/// The options of a check, with their presets.
struct CheckOptions {
  double false_alarms = 0.05;            // expected in a night in which nothing changed, over all rows
  std::optional<double> threshold = {};  // a part; without it the class's practical one, but at least the next
  double least_threshold = 0;
  /// Whether the nights come one after the other: what a night did to a whole node is judged by itself, several suspicious nights in turn
  /// are a finding, and the baseline's own nights tell how far out nights may lie. Where it is false they are peers side by side, and one
  /// is enough.
  bool in_sequence = true;
};

/// The fewest nights from which the scatter between nights is known: fewer make nothing worse than SUSPECT.
inline constexpr std::size_t least_nights = 3;

struct CheckSummary {
  double probability_of_row = absent;  // that a row is named by one night alone: one-sided
  double tail_factor = 1;         // how much wider than Student's the widest class's intervals are, by what the baseline's own nights did
  std::size_t calibrated_by = 0;  // nights of the baseline, held against those before them
  std::map<std::string, double> smallest_detectable = {};  // a part, by class
};

/// A node as a whole: the median over its rows, beside that of the nights before.
struct WholeNode {
  std::string node = {};
  std::size_t rows = 0;
  CheckedNight night = {};
};

/// Rows of a node that share a word and became slower together, beside its other rows: "O0", "triad", "mem".
struct PartOfNode {
  std::string node = {}, word = {};
  std::size_t rows = 0;
  CheckedNight night = {};
};

/// The judgement of a whole night.
struct Checked {
  std::vector<CheckedNight> rows = {};      // one for each series
  std::vector<PartOfNode> parts = {};       // that are slower, or where none is the one that is most suspect
  std::vector<WholeNode> whole_nodes = {};  // of nodes with `least_for_movement` rows or more
  CheckSummary summary = {};
};

/// Checks a night. A row is SLOWER where the whole interval lies beyond the threshold. The interval is that of a prediction: the scatter of
/// a series' nights, moderated by its class's (Smyth 2004), Student's t at a quarter of false_alarms / rows (Bonferroni: the expected
/// number of false alarms, however the rows depend on each other), and widened where the baseline's own nights went further out than
/// Student's t has it, by class (Weissman 1978). What is so only beside its node, and not beside its own earlier nights, is no finding.
/// What one night does to all rows of a node is taken out of them first and judged as a row of its own, with a fifth of the false alarms;
/// and so is what rows that share a word have beside the others of their node, with another tenth.
///
/// A night is suspicious where it is beyond the threshold with the probability that several in turn spend the other three quarters with.
/// How many in turn are a finding is told by how often the baseline's own nights were suspicious: two on a quiet machine, more on a busy
/// one.
Checked check_night(std::span<const CheckedSeries> series, const CheckOptions& options);

/// The value that is exceeded with probability `tail`, from the greatest of `sizes` (absolute values): Hill's index, Weissman's
/// extrapolation. Absent below 100 values.
double extreme_quantile(std::vector<double> sizes, double tail);

}  // namespace plumbline
