#include "app/results/scaling_table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace plumbline::app {
namespace {

std::string interval_text(const ScaledTime& told) { return fmt::format("{} to {}", duration(told.lo), duration(told.hi)); }

std::string bound_text(const ScaledTime& told) {
  const std::string place = told.phase + (told.ceiling.empty() ? "" : (told.phase.empty() ? "" : ", ") + told.ceiling);
  return std::string(to_string(told.bound)) + (place.empty() ? "" : " (" + place + ")");
}

std::string nodes_text(const std::optional<std::uint64_t>& nodes, const char* otherwise) {
  return nodes ? std::to_string(*nodes) : otherwise;
}

/// The column of what a rank spends of its time in this way.
Column<ScalingRow> share_column(Spent spent, const char* meaning) {
  const std::string word(to_string(spent));
  return Column<ScalingRow>(word + "_share", meaning, [spent](const ScalingRow& row) { return row.told.share(spent); })
      .in_row(word, Align::right, [spent](const ScalingRow& row) { return percent_or_dash(row.told.share(spent)); });
}

}  // namespace

const Columns<ScalingRow>& scaling_columns() {
  using Row = ScalingRow;
  static const Columns<Row> columns{
      Column<Row>("case", "the application, as it was timed on one node", [](const Row& row) { return row.of->of->id; })
          .above("case",
                 [](const Row& row) {
                   return fmt::format("{}, {} scaling from {} on a node", row.of->of->id, to_string(row.scaling),
                                      row.of->of->ranks == 1 ? "a rank" : fmt::format("{} ranks", row.of->of->ranks));
                 }),
      Column<Row>("scaling", "strong: the problem stays and is cut finer; weak: every rank keeps its share",
                  [](const Row& row) { return row.scaling; })
          .in_row("scaling", Align::left),
      Column<Row>("nodes", "how many", [](const Row& row) { return row.told.allocation.nodes; }).in_row("nodes"),
      Column<Row>("ranks", "on all of them", [](const Row& row) { return row.told.allocation.ranks(); }).in_row("ranks"),
      Column<Row>("seconds", "of a sweep, projected: the middle of the simulated sweeps", [](const Row& row) { return row.told.seconds; })
          .in_row("sweep", Align::right, [](const Row& row) { return duration(row.told.seconds); }),
      Column<Row>("seconds_lo", "lower end of its interval", [](const Row& row) { return row.told.lo; }),
      Column<Row>("seconds_hi", "upper end", [](const Row& row) { return row.told.hi; }),
      Column<Row>(Heading{"interval"}, [](const Row& row) { return interval_text(row.told); }),
      Column<Row>("efficiency", "speed over that of one node, by ranks", [](const Row& row) { return row.told.efficiency; })
          .in_row("efficiency", Align::right, [](const Row& row) { return percent_or_dash(row.told.efficiency); }),
      share_column(Spent::computing, "part of the time in which a rank computes, in the mean"),
      share_column(Spent::exchanging, "part in which it exchanges with its neighbours"),
      share_column(Spent::summing, "part in which it sums over all ranks"),
      share_column(Spent::waiting, "part in which it waits for slower ranks"),
      Column<Row>("bound", "what takes most of the time", [](const Row& row) { return row.told.bound; })
          .in_row("bound", Align::left, [](const Row& row) { return bound_text(row.told); }),
      {"bound_phase", "the phase that takes most of that; of waiting the one that computes longest",
       [](const Row& row) { return row.told.phase; }},
      {"bound_ceiling", "what bounds a phase that computes; null where no ceiling tells",
       [](const Row& row) { return OrNull{row.told.ceiling}; }}};
  return columns;
}

const Columns<ScalingSummary>& scaling_summary_columns() {
  using Row = ScalingSummary;
  static const Columns<Row> columns{
      Column<Row>("case", "the application", [](const Row& row) { return row.of->of->id; }).in_row("application", Align::left),
      Column<Row>("scaling", "strong or weak", [](const Row& row) { return row.scaling; }).in_row("scaling", Align::left),
      Column<Row>("half_nodes", "the fewest nodes on which a rank computes less than half of the time; null: none in the range",
                  [](const Row& row) { return row.half_nodes; })
          .in_row("communication takes half on (nodes)", Align::right,
                  [](const Row& row) { return nodes_text(row.half_nodes, "not in the range"); }),
      Column<Row>("most_nodes", "beyond which the problem is not cut any finer; null: no such end",
                  [](const Row& row) { return row.most_nodes; })
          .in_row("cut up to (nodes)", Align::right, [](const Row& row) { return nodes_text(row.most_nodes, "-"); }),
      {"layers", "what lies behind each other on a rank: as many as it can be cut into at most; null: not cut",
       [](const Row& row) { return row.of->scaled.decomposition.layers; }},
      {"layer", "what those are", [](const Row& row) { return row.of->scaled.decomposition.layer; }},
      Column<Row>("calibration", "measured over simulated computing at home, by which all computing is told", [](const Row& row) {
        return row.calibration;
      }).in_row("measured / simulated", Align::right, [](const Row& row) { return plain(row.calibration, 4); })};
  return columns;
}

std::string HeldScaling::remark() const {
  if (to->oversubscribed) return "more ranks than cores";
  if (from->disturbed || to->disturbed) return "every repetition disturbed";
  constexpr double most_unlike = 1.2;
  return to->unlike > most_unlike ? fmt::format("its cores are unlike: {} x", plain(to->unlike)) : "";
}

const Columns<HeldScaling>& held_scaling_columns() {
  using Row = HeldScaling;
  static const Columns<Row> columns{
      Column<Row>("from", "the case on the fewest ranks", [](const Row& row) { return row.from->of->id; }).in_row("from", Align::left),
      {"from_ranks", "its ranks", [](const Row& row) { return row.from->of->ranks; }},
      {"from_seconds", "its time, measured", [](const Row& row) { return row.from->scaled.seconds; }},
      Column<Row>("to", "the case that it is projected to", [](const Row& row) { return row.to->of->id; }),
      Column<Row>("scaling", "strong or weak", [](const Row& row) { return row.scaling; }).in_row("scaling", Align::left),
      Column<Row>("ranks", "that it is projected to", [](const Row& row) { return row.to->of->ranks; }).in_row("to ranks"),
      Column<Row>("projected_seconds", "of a sweep there", [](const Row& row) { return row.told.seconds; })
          .in_row("projected", Align::right, [](const Row& row) { return duration(row.told.seconds); }),
      Column<Row>("projected_lo", "lower end of its interval", [](const Row& row) { return row.told.lo; }),
      Column<Row>("projected_hi", "upper end", [](const Row& row) { return row.told.hi; }),
      {"learned_from", "class of the record that the interval is of; null: the model's own",
       [](const Row& row) { return OrNull{row.told.learned_from}; }},
      {"learned_pairs", "how many pairs are in it", [](const Row& row) { return row.told.learned_pairs; }},
      Column<Row>(Heading{"interval"}, [](const Row& row) { return interval_text(row.told); }),
      Column<Row>("measured_seconds", "of a sweep there", [](const Row& row) { return row.to->scaled.seconds; })
          .in_row("measured", Align::right, [](const Row& row) { return duration(row.to->scaled.seconds); }),
      Column<Row>("error_percent", "how far the projection lies off", &Row::error_percent)
          .in_row("error", Align::right, [](const Row& row) { return fmt::format("{:+.1f} %", row.error_percent()); }),
      Column<Row>("is_inside", "whether the interval holds what was measured", &Row::is_inside)
          .in_row("inside", Align::left, [](const Row& row) { return std::string(row.is_inside() ? "yes" : "no"); }),
      Column<Row>("remark",
                  "why it is no fair test: more ranks than cores, all repetitions disturbed, or cores so unlike that one does not tell of "
                  "others; null where "
                  "it is one",
                  [](const Row& row) { return OrNull{row.remark()}; })
          .in_row("", Align::left)};
  return columns;
}

}  // namespace plumbline::app
