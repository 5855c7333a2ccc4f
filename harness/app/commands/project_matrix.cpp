#include "app/commands/project_matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/commands/schemas.hpp"
#include "app/results/placed_file.hpp"
#include "app/results/projection_record_file.hpp"
#include "app/terminal/columns.hpp"
#include "app/terminal/streams.hpp"
#include "model/projecting/judged_methods.hpp"
#include "model/projecting/measured_sides.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

constexpr std::size_t enough_machines = 3;

/// A pair by one method.
struct MatrixRow {
  const ProjectedPair* pair = nullptr;
  const Forecast* told = nullptr;
  Method method = Method::bandwidth;

  double projected() const { return told->seconds[index_of(method)]; }
  double error_percent() const { return 100 * (projected() / pair->true_seconds - 1); }
  /// Whether the interval holds the truth; nothing where there is no interval.
  std::optional<bool> is_inside() const {
    const double lo = told->lo[index_of(method)], hi = told->hi[index_of(method)];
    if (!std::isfinite(lo) || !std::isfinite(hi)) return std::nullopt;
    return lo <= pair->true_seconds && pair->true_seconds <= hi;
  }
};

/// A cell of the matrix: all pairs from one side to another.
struct MatrixCell {
  std::string from = {}, to = {}, kind = {};
  std::size_t pairs = 0, flips = 0;
  std::optional<std::size_t> inside = {};  // nothing where no pair has an interval
  ByMethod median_error_percent = {};
};

const Columns<MatrixRow>& row_columns() {
  using Row = MatrixRow;
  static const Columns<Row> columns{
      {"from", "side that the case was timed on", [](const Row& row) { return row.pair->from; }},
      {"to", "side that it is projected to", [](const Row& row) { return row.pair->to; }},
      {"case", "its name on the first side", [](const Row& row) { return row.pair->part; }},
      {"method", "how it was projected", [](const Row& row) { return row.method; }},
      {"kind", "how the sides are unlike: machine, conditions, cores, team, isa, or several joined by +",
       [](const Row& row) { return row.pair->kind; }},
      {"bound", "what takes longest on the first side", [](const Row& row) { return row.pair->home_bound; }},
      {"target_bound", "what takes longest on the second", [](const Row& row) { return row.pair->target_bound; }},
      {"flips", "whether the two are unlike", [](const Row& row) { return row.pair->flips(); }},
      {"moved", "caches into or out of which its working set goes", [](const Row& row) { return row.pair->moved; }},
      {"seconds", "its time on the first side", [](const Row& row) { return row.pair->home_seconds; }},
      {"projected_seconds", "its time on the second, projected", &Row::projected},
      {"projected_lo", "lower end of the 90 % interval, seconds; null where the record is too short",
       [](const Row& row) { return row.told->lo[index_of(row.method)]; }},
      {"projected_hi", "upper end", [](const Row& row) { return row.told->hi[index_of(row.method)]; }},
      {"measured_seconds", "its time on the second, measured", [](const Row& row) { return row.pair->true_seconds; }},
      {"error_percent", "how far the projection lies off that", &Row::error_percent},
      {"is_inside", "whether the interval holds what was measured; null where there is none", &Row::is_inside},
      {"learned_from", "class of pairs that the interval is of", [](const Row& row) { return row.told->learned_from; }},
      {"learned_pairs", "how many there were", [](const Row& row) { return row.told->pairs; }}};
  return columns;
}

const Columns<JudgedMethod>& method_columns() {
  using Row = JudgedMethod;
  static const auto percent = [](double value) { return plain(value, 3) + " %"; };
  static const Columns<Row> columns{
      Column<Row>("method", "by name", [](const Row& row) { return row.method; }).in_row("method", Align::left),
      Column<Row>("pairs", "that it told", [](const Row& row) { return row.pairs; }).in_row("pairs"),
      Column<Row>("median_error_percent", "median of absolute errors", &Row::median_error_percent)
          .in_row("median error", Align::right, [](const Row& row) { return percent(row.median_error_percent); }),
      Column<Row>("within_10_percent", "part of the pairs that err by at most 10 %", &Row::within_10_percent)
          .in_row("within 10 %", Align::right, [](const Row& row) { return percent_or_dash(row.within_10_percent); }),
      Column<Row>("coverage", "part of the 90 % intervals that hold what was measured", &Row::coverage)
          .in_row("in interval", Align::right, [](const Row& row) { return percent_or_dash(row.coverage); }),
      Column<Row>("median_half_width_percent", "of the intervals", &Row::median_half_width_percent)
          .in_row("half width", Align::right, [](const Row& row) { return percent(row.median_half_width_percent); }),
      Column<Row>("interval_score", "mean width of the intervals and 20 times what they miss by, in parts of what was measured",
                  &Row::interval_score)
          .in_row("score", Align::right, [](const Row& row) { return plain(row.interval_score, 3); })};
  return columns;
}

const Columns<MatrixCell>& cell_columns() {
  using Row = MatrixCell;
  static const Columns<Row> columns = [] {
    Columns<Row> all{
        Column<Row>("from", "side that cases were timed on", &Row::from).in_row("from", Align::left),
        Column<Row>("to", "side that they are projected to", &Row::to).in_row("to", Align::left),
        Column<Row>("kind", "how the sides are unlike", &Row::kind).in_row("unlike in", Align::left),
        Column<Row>("pairs", "cases that both sides measured", [](const Row& row) { return row.pairs; }).in_row("pairs"),
        Column<Row>("flips", "those whose bound is another on the second side", [](const Row& row) { return row.flips; }).in_row("flips")};
    for (std::size_t i = 0; i < method_count; ++i) {
      const std::string name(to_string(static_cast<Method>(i)));
      all.push_back(Column<Row>(name + "_percent", "median of absolute errors by " + name, [i](const Row& row) {
                      return row.median_error_percent[i];
                    }).in_row(name, Align::right, [i](const Row& row) { return plain(row.median_error_percent[i], 3) + " %"; }));
    }
    all.push_back(
        Column<Row>("inside", "pairs that the ensemble's interval holds; null where none has one", &Row::inside)
            .in_row("inside", Align::right, [](const Row& row) { return row.inside ? std::to_string(*row.inside) : std::string("-"); }));
    return all;
  }();
  return columns;
}

// ------------------------------------------------------------------------------------------------------------------ sides

/// Cases that were timed, and of them those of which no repetition was left alone: these take no part.
struct Cases {
  std::ptrdiff_t timed = 0, disturbed = 0;
};

/// Says why there is no pair.
std::string why_no_pairs(const MatrixOptions& options, const Cases& cases, const std::vector<std::string>& left_out) {
  const std::string files = fmt::format("{}", fmt::join(options.files, ", "));
  if (!left_out.empty()) return fmt::format("no case of {} can be projected: {}", files, left_out.front());
  if (cases.disturbed > 0)
    return fmt::format(
        "{} of {} cases of {} were disturbed in every repetition, and of the others none was measured on two kinds of node, team or "
        "instruction set: measure on a quiet node",
        cases.disturbed, cases.timed, files);
  return fmt::format(
      "no case of {} was measured on two kinds of node, team or instruction set: run a campaign with several teams or flavors, or name "
      "files that have cases in common",
      files);
}

/// The conditions of a side name the file that it was measured in, where there are several.
std::string label_of(const MatrixOptions& options, const std::string& path) {
  return options.files.size() > 1 ? std::filesystem::path(path).stem().string() : "";
}

/// Refuses what was measured once and named twice: its pairs would be told without an error.
void refuse_twice(const std::string& path, const Results& results, std::map<std::string, std::string>& files) {
  std::set<std::string> sessions;
  for (const auto& row : results.times) sessions.insert(row.session);
  for (const auto& session : sessions)
    if (const auto [known, is_new] = files.try_emplace(session, path); !is_new)
      throw user_error(fmt::format("{} and {} hold the same measurements (session {}): name one of them", known->second, path, session));
}

std::vector<MeasuredSide> all_sides(const MatrixOptions& options, Cases& cases, std::vector<std::string>& notes) {
  std::vector<MeasuredSide> sides;
  std::map<std::string, std::string> files;  // by session
  for (const auto& path : options.files) {
    std::vector<std::string> about_file;
    const PlacedFile file(path, options.kernel, about_file);
    for (const auto& note : about_file)
      notes.push_back(options.files.size() > 1 ? fmt::format("{}: {}", label_of(options, path), note) : note);
    refuse_twice(path, file.results, files);
    cases.timed += std::ranges::count_if(file.measurements.cases, [](const Measured& one) { return one.repetitions > 0; });
    cases.disturbed += std::ranges::count_if(file.measurements.cases,
                                             [](const Measured& one) { return one.repetitions > 0 && one.disturbed == one.repetitions; });
    for (auto& one : measured_sides(file.measurements, file.ceilings, file.nodes, file.placements, label_of(options, path)))
      sides.push_back(std::move(one));
  }
  return sides;
}

/// A file without a case that another side has, too, takes no part, which nobody would see.
void note_files_without_pairs(const MatrixOptions& options, const std::vector<MeasuredSide>& sides, const std::vector<ProjectedPair>& pairs,
                              std::vector<std::string>& notes) {
  const auto is_paired = [&](const MeasuredSide& one) {
    return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.from == one.side.name || pair.to == one.side.name; });
  };
  for (const auto& path : options.files)
    if (std::ranges::none_of(sides, [&](const auto& one) { return one.side.conditions == label_of(options, path) && is_paired(one); }))
      notes.push_back(fmt::format("{} takes no part: no case of it was timed and counted that another side has, too", path));
}

std::set<std::string> machines_of(const std::vector<MeasuredSide>& sides) {
  std::set<std::string> machines;
  for (const auto& one : sides) machines.insert(one.side.machine);
  return machines;
}

std::vector<MatrixCell> cells_of(const std::vector<ProjectedPair>& pairs, const std::vector<Forecast>& told) {
  std::vector<MatrixCell> all;
  for (std::size_t first = 0; first < pairs.size();) {
    MatrixCell cell{.from = pairs[first].from, .to = pairs[first].to, .kind = pairs[first].kind};
    std::array<std::vector<double>, method_count> errors;
    std::size_t i = first;
    for (; i < pairs.size() && pairs[i].from == cell.from && pairs[i].to == cell.to; ++i) {
      for (std::size_t m = 0; m < method_count; ++m)
        errors[m].push_back(std::abs(MatrixRow{&pairs[i], &told[i], static_cast<Method>(m)}.error_percent()));
      if (const auto is_inside = MatrixRow{&pairs[i], &told[i], Method::ensemble}.is_inside())
        cell.inside = cell.inside.value_or(0) + (*is_inside ? 1 : 0);
      cell.flips += pairs[i].flips() ? 1 : 0;
    }
    cell.pairs = i - first;
    first = i;
    for (std::size_t m = 0; m < method_count; ++m) cell.median_error_percent[m] = median_of(errors[m]);
    all.push_back(cell);
  }
  return all;
}

std::vector<std::string> matrix_notes(const MatrixOptions& options, const std::set<std::string>& machines,
                                      const std::vector<std::string>& left_out) {
  std::vector<std::string> notes{
      options.left_out == HeldOut::kernel
          ? "each pair was told by what the pairs of other kernels say: its own kernel was left out of all that is fitted"
          : "each pair was told by what pairs without its target's CPU model say"};
  if (machines.size() < enough_machines)
    notes.push_back(fmt::format("{} CPU model{} ({}): how well it goes onto a CPU that was never seen needs {} at least", machines.size(),
                                machines.size() == 1 ? "" : "s", fmt::join(machines, ", "), enough_machines));
  for (const auto& why : left_out) notes.push_back("left out: " + why);
  notes.emplace_back("inside: pairs whose true time lies in the ensemble's 90 % interval; flips: pairs that another ceiling bounds there");
  notes.emplace_back(
      "the methods' columns are median errors; half width: of the intervals, in parts of the time; score: the interval score over "
      "the true time (Gneiting, Raftery 2007), the less the better");
  return notes;
}

template <class Row>
std::string table_text(const Columns<Row>& columns, const std::vector<Row>& rows, Format format) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& row : rows) lines.push_back(cells(columns, row));
  if (format == Format::markdown) return markdown(headings(columns), lines);
  Table table(headings(columns));
  for (auto& line : lines) table.add(std::move(line));
  return table.text();
}

/// Throws when the time is over.
std::function<void()> watch(double limit_seconds, std::size_t pairs) {
  const auto begin = std::chrono::steady_clock::now();
  return [=] {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > limit_seconds)
      throw user_error(
          fmt::format("the matrix of {} pairs was not told within {} s; take fewer cases (--kernel GLOB) or allow more (--limit SECONDS)",
                      pairs, plain(limit_seconds, 3)));
  };
}

Json matrix_members(const std::vector<MatrixCell>& cells, const std::vector<JudgedMethod>& methods) {
  return {{"matrix", rows_json(cell_columns(), cells)}, {"methods", rows_json(method_columns(), methods)}};
}

}  // namespace

Exit project_matrix(const MatrixOptions& options) {
  std::vector<std::string> notes, left_out;
  Cases cases;
  const auto sides = all_sides(options, cases, notes);
  const auto pairs = pairs_of(sides, left_out);
  if (pairs.empty()) throw user_error(why_no_pairs(options, cases, left_out));
  const auto machines = machines_of(sides);
  if (options.left_out == HeldOut::machine && machines.size() < enough_machines)
    throw user_error(fmt::format("--leave machine needs {} CPU models, but {} {} here: name more files", enough_machines, machines.size(),
                                 machines.size() == 1 ? "is" : "are"));
  const auto told = held_out_forecasts(pairs, options.left_out, watch(options.limit_seconds, pairs.size()));
  std::vector<MatrixRow> rows;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t m = 0; m < method_count; ++m) rows.push_back({&pairs[i], &told[i], static_cast<Method>(m)});
  const auto matrix = cells_of(pairs, told);
  const auto methods = judged_methods(pairs, told);
  for (auto& note : matrix_notes(options, machines, left_out)) notes.push_back(std::move(note));
  note_files_without_pairs(options, sides, pairs, notes);
  if (std::ranges::none_of(matrix, [](const MatrixCell& one) { return one.inside.has_value(); }))
    notes.push_back(fmt::format("there are fewer than {} pairs of other kernels, so that there are no intervals", least_pairs));
  if (!options.record.empty()) {
    ProjectionRecord record = read_record(options.record, true);
    extend(record, record_of(pairs, [](const auto&...) { return true; }));
    for (const auto& [name, overlap] : fit_overlaps(pairs, [](const auto&) { return true; })) record.overlaps[name] = overlap;
    write_record(options.record, record);
    notes.push_back(fmt::format("{} holds {} pairs now", options.record, record.rows.size()));
  }
  const std::string files = fmt::format("{}", fmt::join(options.files, ", "));
  if (options.format == Format::json)
    print(document("project-matrix", files, rows_json(row_columns(), rows), notes, matrix_members(matrix, methods)));
  if (options.format == Format::csv) print(csv(rows_json(row_columns(), rows)));
  const std::string tables =
      table_text(cell_columns(), matrix, options.format) + "\n" + table_text(method_columns(), methods, options.format);
  if (options.format == Format::markdown) print(tables + markdown_notes(notes));
  if (options.format == Format::text) print(tables + note_lines(notes));
  return Exit::ok;
}

Json project_matrix_schema() {
  ObjectSchema more;
  more.add("matrix", "the pairs from each side to each other", {{"type", "array"}, {"items", row_schema(cell_columns())}}, true);
  more.add("methods", "each judged by all pairs", {{"type", "array"}, {"items", row_schema(method_columns())}}, true);
  return document_schema("project-matrix", "Cases projected from each kind of node and team to each other", row_schema(row_columns()),
                         more.json());
}

}  // namespace plumbline::app
