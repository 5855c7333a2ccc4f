#include "model/comparing/node_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "model/statistics/spread.hpp"
#include "model/statistics/student.hpp"

namespace plumbline {
namespace {

constexpr double most_tail = 0.05;         // however few rows there are: of a suspicion
constexpr double node_errors = 2;          // standard errors of a node's own median
constexpr std::size_t least_for_node = 3;  // rows: fewer say nothing more of the whole node

// ------------------------------------------------------------------------------------------------------- the first measurement

struct RowFacts {
  double log = absent, half_width = 0, scatter = absent;
};

RowFacts facts_of(const Observation& observation) {
  const NightValue value = night_value(observation);
  RowFacts facts{.log = log_cost(value.median, observation.unit), .scatter = value.scatter};
  if (std::isfinite(value.lo)) facts.half_width = std::log(value.hi / value.lo) / 2;
  return facts;
}

/// The number of nodes, evenly over their order, that stand for many: middle and scatter are the same, and the work does not grow as the
/// square of the nodes.
constexpr std::size_t most_peers = 64;
constexpr std::size_t most_exactly = 512;  // rows of which each may have peers of its own

std::vector<double> spread_evenly(std::vector<double> values) {
  if (values.size() <= most_peers) return values;
  std::sort(values.begin(), values.end());
  std::vector<double> some;
  for (std::size_t i = 0; i < most_peers; ++i) some.push_back(values[(2 * i + 1) * values.size() / (2 * most_peers)]);
  return some;
}

/// The values of `standing` (spread_evenly of `count` values) without the one at `own`; of many nodes one more or less is no matter.
std::vector<double> without(const std::vector<double>& standing, std::size_t count, std::size_t own) {
  std::vector<double> others = standing;
  if (count <= most_peers) others.erase(others.begin() + static_cast<std::ptrdiff_t>(own));
  return others;
}

std::string kind_of(const Side& side, const std::string& node) {
  const auto found = side.machines.find(node);
  return found == side.machines.end() ? "" : found->second;
}

class Comparer {
 public:
  Comparer(const Side& side, const NodeOptions& options) : side_(side), options_(options) {}

  NodeComparison first() && {
    take_rows();
    judge();
    sum_up();
    return std::move(result_);
  }

 private:
  void take_rows() {
    for (const auto& observation : side_.observations) {
      if (observation.is_link()) continue;  // of no node alone: model/ceilings/node_links.hpp
      const std::string kind = kind_of(side_, observation.key.node);
      NodeRow row{.key = observation.key, .row_class = observation.row_class, .unit = observation.unit, .clock_hz = observation.clock_hz};
      row.point = observation.point;
      row.like = observation.like;
      row.form = observation.form;
      row.status = observation.status;
      row.reason = observation.reason;
      if (row.status == Status::ok && kind.empty()) row.status = Status::unavailable, row.reason = "what kind of machine it is is unknown";
      facts_.push_back(row.status == Status::ok ? facts_of(observation) : RowFacts());
      if (row.status == Status::ok) {
        row.value = value_of(facts_.back().log, row.unit);
        like_[{kind, observation.like.empty() ? row.key.what : observation.like, row.unit}].push_back(result_.rows.size());
      }
      nodes_of_kind_[kind].insert(row.key.node);
      result_.rows.push_back(std::move(row));
    }
  }

  /// Judges every row as a series: its peers are the nights, it is the night that is held against them.
  void judge() {
    for (const auto& [name, rows] : like_) add_like(rows);
    add_whole_nodes();
    CheckOptions check{.false_alarms = options_.suspicions, .least_threshold = options_.threshold, .in_sequence = false};
    check.false_alarms = std::min(check.false_alarms, most_tail * static_cast<double>(std::max<std::size_t>(1, series_.size())));
    const Checked checked = check_night(series_, check);
    result_.summary = checked.summary;
    for (std::size_t i = 0; i < series_.size(); ++i) result_.rows[row_of_series_[i]].judged = checked.rows[i];
  }

  /// The values of the rows of other nodes. A node has several where it has several like GPUs.
  std::vector<double> values_beside(std::size_t own, const std::vector<std::size_t>& rows, const std::vector<double>& standing,
                                    std::size_t peers) const {
    if (peers + 1 == rows.size() || rows.size() > most_exactly) return without(standing, rows.size(), own);
    std::vector<double> others;
    for (const std::size_t row : rows)
      if (result_.rows[row].key.node != result_.rows[rows[own]].key.node) others.push_back(facts_[row].log);
    return spread_evenly(std::move(others));
  }

  /// Adds one thing on all like nodes.
  void add_like(const std::vector<std::size_t>& rows) {
    std::vector<double> logs, clocks, scatters;
    for (const std::size_t row : rows) {
      logs.push_back(facts_[row].log);
      if (std::isfinite(facts_[row].scatter)) scatters.push_back(facts_[row].scatter);
      if (std::isfinite(result_.rows[row].clock_hz)) clocks.push_back(result_.rows[row].clock_hz);
    }
    const std::vector<double> standing = spread_evenly(logs);
    const double scatter = median_of(scatters), clock_hz = median_of(clocks), middle_of_all = median_of(logs);
    std::map<std::string, std::size_t> rows_of_node;
    for (const std::size_t row : rows) ++rows_of_node[result_.rows[row].key.node];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      NodeRow& of = result_.rows[rows[i]];
      of.peers = rows.size() - rows_of_node[of.key.node];
      of.peers_clock_hz = clock_hz;
      if (of.peers == 0) {
        of.status = Status::unavailable;
        of.reason = "no like node has it";
        continue;
      }
      CheckedSeries series{.key = of.key,
                           .row_class = of.row_class,
                           .unit = of.unit,
                           .before = values_beside(i, rows, standing, of.peers),
                           .sample_scatter = scatter};
      const double middle = median_of(series.before);
      of.peers_value = value_of(middle, of.unit);
      series.after = facts_[rows[i]].log;
      series.after_half_width = facts_[rows[i]].half_width;
      distances_[of.key.node].push_back(series.after - middle_of_all);
      series_.push_back(std::move(series));
      row_of_series_.push_back(rows[i]);
    }
  }

  /// A node as a whole: the median of its distances from the middle of all like nodes, beside theirs. (Distances from its peers alone would
  /// hold it against itself once more: it is one of theirs.)
  void add_whole_nodes() {
    for (const auto& [kind, nodes] : nodes_of_kind_) {
      std::vector<std::string> names;
      std::vector<double> middles;
      for (const auto& node : nodes)
        if (const auto own = distances_.find(node); own != distances_.end() && own->second.size() >= least_for_node) {
          names.push_back(node);
          middles.push_back(median_of(own->second));
        }
      const std::vector<double> standing = spread_evenly(middles);
      for (std::size_t i = 0; i < names.size(); ++i)
        add_whole_node(names[i], middles[i], names.size() - 1, without(standing, names.size(), i));
    }
  }

  void add_whole_node(const std::string& node, double middle, std::size_t peers, std::vector<double> beside) {
    const auto& own = distances_[node];
    const double error = scatter_of(own) * std::sqrt(std::numbers::pi / 2 / static_cast<double>(own.size()));
    CheckedSeries series{
        .key = {"", node}, .row_class = node_class, .unit = "seconds", .before = std::move(beside), .sample_scatter = error};
    series.after = middle;
    series.after_half_width = node_errors * error;
    result_.rows.push_back({.key = series.key, .whole_node = true, .row_class = series.row_class, .unit = series.unit, .peers = peers});
    series_.push_back(std::move(series));
    row_of_series_.push_back(result_.rows.size() - 1);
  }

  void sum_up() {
    std::map<std::string, std::vector<std::size_t>> rows_of;
    for (std::size_t i = 0; i < result_.rows.size(); ++i) rows_of[result_.rows[i].key.node].push_back(i);
    for (const auto& [kind, nodes] : nodes_of_kind_)
      for (const auto& name : nodes) {
        JudgedNode node{.node = name, .kind = kind, .peers = kind.empty() ? 0 : nodes.size() - 1};
        for (const std::size_t row : rows_of[name]) add_row(node, row);
        std::stable_sort(node.suspicious.begin(), node.suspicious.end(),
                         [&](std::size_t a, std::size_t b) { return result_.rows[a].judged.slowdown > result_.rows[b].judged.slowdown; });
        const bool suspect = !node.suspicious.empty() || is_suspicious_as_a_whole(node);
        node.finding = node.rows == 0 ? NodeFinding::alone : suspect ? NodeFinding::suspect : NodeFinding::alike;
        if (node.finding == NodeFinding::alone) node.reason = why_alone(node, rows_of[name]);
        result_.nodes.push_back(std::move(node));
      }
    std::erase_if(result_.rows, [](const NodeRow& row) { return row.whole_node; });  // at the end: no index changes
    std::sort(result_.nodes.begin(), result_.nodes.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  }

  std::string why_alone(const JudgedNode& node, const std::vector<std::size_t>& rows) const {
    if (node.peers == 0) return "it has no like node to be held against";
    return "none of its rows can be compared: " + result_.rows[rows.front()].reason;
  }

  void add_row(JudgedNode& node, std::size_t index) const {
    const NodeRow& row = result_.rows[index];
    if (row.key.node != node.node || row.status != Status::ok) return;
    if (row.whole_node) {
      node.all_rows = row;
      return;
    }
    ++node.rows;
    if (row.judged.finding == NightFinding::slower) node.suspicious.push_back(index);
  }

  const Side& side_;
  const NodeOptions& options_;
  NodeComparison result_;
  std::vector<RowFacts> facts_;  // of each row
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> like_;
  std::map<std::string, std::set<std::string>> nodes_of_kind_;
  std::map<std::string, std::vector<double>> distances_;  // of a node's rows from the middle of all like ones, logarithms
  std::vector<CheckedSeries> series_;
  std::vector<std::size_t> row_of_series_;
};

// ------------------------------------------------------------------------------------------------------------- measured again

/// The samples of one case by session and turn, and by node.
using Turns = std::map<std::pair<std::string, std::int32_t>, std::map<std::string, std::vector<double>>>;

struct CaseAgain {
  Turns turns;
  std::map<std::string, std::vector<double>> clocks;  // [node]
};

std::map<std::string, CaseAgain> by_case(std::span<const RemeasuredRow> rows) {
  std::map<std::string, CaseAgain> cases;
  for (const auto& row : rows) {
    if (!std::isfinite(row.seconds) || row.seconds <= 0) continue;
    auto& one = cases[row.case_id];
    one.turns[{row.session, row.turn}][row.node].push_back(row.seconds);
    if (std::isfinite(row.clock_hz) && row.clock_hz > 0) one.clocks[row.node].push_back(row.clock_hz);
  }
  return cases;
}

/// A suspect beside its peers, turn by turn.
struct Pairs {
  std::vector<double> ratios, own, peers;
  std::vector<std::int32_t> turns;
  std::set<std::string> who;
};

Pairs pairs_of(const Turns& turns, const std::string& suspect, const std::set<std::string>& peers) {
  Pairs pairs;
  for (const auto& [turn, nodes] : turns) {
    const auto own = nodes.find(suspect);
    std::vector<double> beside;
    for (const auto& [node, samples] : nodes)
      if (peers.contains(node)) beside.push_back(median_of(samples)), pairs.who.insert(node);
    if (own == nodes.end() || beside.empty()) continue;
    pairs.own.push_back(median_of(own->second));
    pairs.peers.push_back(median_of(beside));
    pairs.ratios.push_back(pairs.own.back() / pairs.peers.back());
    pairs.turns.push_back(turn.second);
  }
  return pairs;
}

double clock_of(const CaseAgain& of_case, const std::set<std::string>& nodes) {
  std::vector<double> clocks;
  for (const auto& [node, samples] : of_case.clocks)
    if (nodes.contains(node)) clocks.insert(clocks.end(), samples.begin(), samples.end());
  return median_of(std::move(clocks));
}

/// The parts of one suspect's tests, until it is known how many there are.
struct Test {
  JudgedNode* node;
  RemeasuredCase result;
  std::vector<double> ratios;
};

void add_tests(JudgedNode& node, const std::set<std::string>& peers, const std::map<std::string, CaseAgain>& cases,
               std::vector<Test>& tests) {
  std::map<std::int32_t, std::vector<double>> together;  // [turn]: of several sessions too, of which each took its things further
  std::size_t own_cases = 0;
  for (const auto& [id, of_case] : cases) {
    const Pairs pairs = pairs_of(of_case.turns, node.node, peers);
    if (pairs.ratios.size() < least_turns) continue;
    ++own_cases;
    for (std::size_t i = 0; i < pairs.ratios.size(); ++i) together[pairs.turns[i]].push_back(pairs.ratios[i]);
    RemeasuredCase one{.what = id, .turns = pairs.ratios.size(), .seconds = median_of(pairs.own), .peers_seconds = median_of(pairs.peers)};
    one.clock_hz = clock_of(of_case, {node.node});
    one.peers_clock_hz = clock_of(of_case, pairs.who);
    for (const auto& peer : pairs.who)
      if (std::find(node.again_peers.begin(), node.again_peers.end(), peer) == node.again_peers.end()) node.again_peers.push_back(peer);
    tests.push_back({&node, std::move(one), pairs.ratios});
  }
  if (own_cases < 2) return;
  std::erase_if(together, [&](const auto& turn) { return turn.second.size() < own_cases; });  // some things alone say nothing of all
  if (together.empty()) return;
  Test all{&node, {.all_together = true, .turns = together.size()}, {}};
  for (const auto& [turn, ratios] : together) all.ratios.push_back(median_of(ratios));
  tests.push_back(std::move(all));
}

bool is_confirmed(const JudgedNode& node) {
  return std::any_of(node.again.begin(), node.again.end(), [](const auto& one) { return one.confirmed; });
}

/// Nobody suspects it, or it was like its peers when it was measured again.
bool is_beyond_suspicion(const JudgedNode& node, const NodeOptions& options) {
  if (node.again.empty()) return node.finding == NodeFinding::alike;
  return !is_confirmed(node) && node.again.back().judged.slowdown <= 1 + options.threshold;  // the last: of all cases together
}

/// Concludes. Three like nodes of which one is faster are two that are slower than their peer: only where more are beyond suspicion than
/// were confirmed are these the ones that are worse.
void conclude(std::vector<JudgedNode>& nodes, const NodeOptions& options) {
  std::map<std::string, std::ptrdiff_t> majority;  // of a kind: how many more
  for (const auto& node : nodes) majority[node.kind] += is_beyond_suspicion(node, options) ? 1 : is_confirmed(node) ? -1 : 0;
  for (auto& node : nodes) {
    if (node.finding != NodeFinding::suspect || node.again.empty()) continue;
    node.finding = !is_confirmed(node) ? NodeFinding::unconfirmed : majority[node.kind] > 0 ? NodeFinding::slower : NodeFinding::differs;
  }
}

void judge_again(NodeComparison& comparison, std::span<const RemeasuredRow> remeasured, const NodeOptions& options) {
  const auto cases = by_case(remeasured);
  std::map<std::string, std::set<std::string>> peers;  // of a kind: those that nobody suspects
  for (const auto& node : comparison.nodes)
    if (node.finding == NodeFinding::alike) peers[node.kind].insert(node.node);
  std::vector<Test> tests;
  for (auto& node : comparison.nodes)
    if (node.finding == NodeFinding::suspect) add_tests(node, peers[node.kind], cases, tests);
  if (tests.empty()) return;
  const double tail = options.false_alarms / static_cast<double>(tests.size());
  comparison.again_probability = tail;
  std::vector<double> half_widths;
  for (auto& test : tests) {
    const MedianRatio found = median_of_ratios(test.ratios, tail);
    test.result.judged = {found.ratio, found.interval.lo, found.interval.hi};
    test.result.has_interval = std::isfinite(found.interval.lo);
    test.result.confirmed = test.result.has_interval && verdict_of(test.result.judged, options.threshold) == Verdict::slower;
    if (test.result.has_interval) half_widths.push_back(std::log(found.interval.hi / found.interval.lo) / 2);
    test.node->again.push_back(std::move(test.result));
  }
  if (!half_widths.empty())
    comparison.again_smallest = smallest_detectable(options.threshold, median_of(half_widths), student_quantile(tail, most_freedom));
  conclude(comparison.nodes, options);
}

}  // namespace

std::string_view to_string(NodeFinding finding) {
  switch (finding) {
    case NodeFinding::alike:
      return "ALIKE";
    case NodeFinding::suspect:
      return "SUSPECT";
    case NodeFinding::unconfirmed:
      return "NOT CONFIRMED";
    case NodeFinding::differs:
      return "DIFFERS";
    case NodeFinding::slower:
      return "SLOWER";
    case NodeFinding::alone:
      break;
  }
  return "ALONE";
}

bool is_suspicious_as_a_whole(const JudgedNode& node) {
  const NightFinding finding = node.all_rows.judged.finding;
  return finding == NightFinding::slower || finding == NightFinding::suspect;
}

NodeComparison compare_nodes(const Side& side, std::span<const RemeasuredRow> remeasured, const NodeOptions& options) {
  NodeComparison comparison = Comparer(side, options).first();
  judge_again(comparison, remeasured, options);
  return comparison;
}

}  // namespace plumbline
