#include "model/comparing/night_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/comparing/night_movement.hpp"
#include "model/comparing/night_parts.hpp"
#include "model/statistics/spread.hpp"
#include "model/statistics/student.hpp"

namespace plumbline {
namespace {

constexpr double mad_efficiency =
    0.37;  // so much of a normal sample tells its median absolute deviation (Rousseeuw and Croux, JASA 88, 1993)
constexpr int prior_freedom =
    8;  // a class's scatter counts as much as eight more nights of the series, where its other series have so many
constexpr std::size_t least_for_past = 5, enough_to_calibrate = 100, enough_of_class = 500, past_nights = 100;
constexpr std::size_t enough_for_mad = 8, enough_for_mad_of_node = 18;  // a node has no like series that lend it degrees of freedom
constexpr double most_tail_factor = 10;  // a series that did change within the baseline is to widen others' intervals only so far
constexpr double least_scatter = 1e-4;   // of a clock that is read in ticks
constexpr double part_of_nodes = 0.15, part_of_parts = 0.1, part_of_one_night = 0.15;
constexpr int freedom_of_own = 12;
constexpr std::size_t fewest_in_turn = 2, most_in_turn = 5;
constexpr double widest_told = 7;  // half an interval, of a logarithm: beyond a factor of a thousand nothing is known

// ------------------------------------------------------------------------------------------------------- scatter between nights

/// A scatter and how many degrees of freedom it has.
struct Scale {
  double scatter = least_scatter;
  int freedom = prior_freedom;
};

/// The scatter of a row's own nights: for few nights the standard deviation, for many what a few wild ones do not move; for peers always
/// the latter, for one of them may be the slow node.
Scale own_scale(const std::string& row_class, std::span<const double> nights, bool in_sequence) {
  const auto n = static_cast<double>(nights.size());
  if (!in_sequence || nights.size() >= (is_of_many(row_kind_of(row_class)) ? enough_for_mad_of_node : enough_for_mad))
    return {scatter_of({nights.begin(), nights.end()}), std::max(1, static_cast<int>(mad_efficiency * (n - 1)))};
  return {deviation_of(nights, mean_of(nights)), static_cast<int>(n) - 1};
}

/// The scatters of classes: between nights, as the median over a class's series; where none has nights enough, what its samples scatter
/// within a night.
class ClassScatters {
 public:
  ClassScatters(std::span<const CheckedSeries> series, bool in_sequence) : in_sequence_(in_sequence) {
    std::map<std::string, std::vector<double>> between, within;
    for (const auto& one : series) {
      if (one.before.size() >= least_nights) {
        const Scale own = own_scale(one.row_class, one.before, in_sequence_);
        between[one.row_class].push_back(own.scatter);
        freedom_[one.row_class] += own.freedom;
      }
      if (std::isfinite(one.sample_scatter)) within[one.row_class].push_back(one.sample_scatter);
    }
    for (const auto& one : series) {
      if (scatters_.contains(one.row_class)) continue;
      const auto& known = between.contains(one.row_class) ? between[one.row_class] : within[one.row_class];
      const double scatter = median_of(known);
      // A class without either takes a third of what matters in practice.
      scatters_[one.row_class] = std::isfinite(scatter) ? scatter : practical_threshold(one.row_class) / 3;
    }
  }

  /// The scatter of a series, moderated: by some of its nights and by what the others of its class have.
  Scale moderated(const std::string& row_class, std::span<const double> nights) const {
    const double of_class = scatters_.at(row_class);
    if (nights.size() < least_nights) return {std::max(of_class, least_scatter), prior_freedom};
    const Scale own = own_scale(row_class, nights, in_sequence_);
    const auto known = freedom_.find(row_class);
    const int others = !in_sequence_ || known == freedom_.end() ? prior_freedom : std::max(0, known->second - own.freedom);
    const int prior = std::min(prior_freedom, others), freedom = std::max(1, prior + own.freedom);
    const double variance = (prior * of_class * of_class + own.freedom * own.scatter * own.scatter) / freedom;
    return {std::max(std::sqrt(variance), least_scatter), freedom};
  }

 private:
  bool in_sequence_;
  std::map<std::string, double> scatters_;
  std::map<std::string, int> freedom_;
};

/// The error of predicting a night by the median of n before it, in scatters of a night.
double prediction_error(std::size_t n) { return std::sqrt(1 + std::numbers::pi / 2 / static_cast<double>(n)); }

double threshold_of(const std::string& row_class, const CheckOptions& options) {
  return options.threshold.value_or(std::max(practical_threshold(row_class), options.least_threshold));
}

/// Student's quantiles, which rows ask for again and again.
class Quantiles {
 public:
  explicit Quantiles(double tail) : tail_(tail) {}
  double operator()(int freedom) {
    double& known = quantiles_[freedom];
    if (known == 0) known = student_quantile(tail_, std::min(freedom, most_freedom));
    return known;
  }
  double tail() const { return tail_; }

 private:
  double tail_;
  std::map<int, double> quantiles_;
};

// ------------------------------------------------------------------------------------------------------------- one kind of rows

/// Rows that share a number of false alarms: all things of all nodes, or the nodes as wholes.
class Rows {
 public:
  Rows(std::span<const CheckedSeries> series, const CheckOptions& options, double false_alarms)
      : series_(series), options_(options), scatters_(series, options.in_sequence), alone_(0), in_turn_(0) {
    const auto held = std::count_if(series.begin(), series.end(), [](const auto& one) { return !one.before.empty(); });
    const double each = false_alarms / static_cast<double>(std::max<std::ptrdiff_t>(1, held));
    spent_in_turn_ = options.in_sequence ? (1 - part_of_one_night) * false_alarms : 0;
    alone_ = Quantiles(options.in_sequence ? part_of_one_night * each : each);
    in_turn_ = Quantiles(std::sqrt((1 - part_of_one_night) * each));
    if (!options.in_sequence) return;
    for (const auto& one : series)
      if (!one.before.empty()) tonight_ = std::max(tonight_, one.night_of(one.before.size() - 1) + 1);
    std::map<std::string, std::vector<double>> half_widths;
    for (const auto& one : series) half_widths[one.row_class].push_back(one.after_half_width);
    for (const auto& [row_class, widths] : half_widths) usual_half_width_[row_class] = median_of(widths);
    find_tail_factors();
    find_past_suspicions();
  }

  CheckedNight judge(std::size_t i) {
    const CheckedSeries& one = series_[i];
    CheckedNight night{.threshold = threshold_of(one.row_class, options_), .nights = one.before.size()};
    if (one.before.empty()) return night;
    const double middle = median_of(one.before), distance = one.after - middle, half = half_width(one);
    night.before = value_of(middle, one.unit);
    night.slowdown = std::exp(distance);
    night.lo = std::exp(distance - half);
    night.hi = std::exp(distance + half);
    night.finding = finding_of(one, night, distance);
    night.lo = std::max(night.lo, std::exp(distance - widest_told));
    night.hi = std::min(night.hi, std::exp(distance + widest_told));
    if (night.finding == NightFinding::suspect || night.finding == NightFinding::slower)
      night.suspicious_nights = 1 + suspicions_in_turn(one);
    night.nights_in_turn = nights_in_turn_;
    if (night.finding == NightFinding::suspect && nights_in_turn_ > 0 && night.suspicious_nights >= nights_in_turn_)
      night.finding = NightFinding::slower;
    return night;
  }

  void tell(CheckSummary& summary) {
    summary.probability_of_row = alone_.tail();
    summary.calibrated_by = calibrated_by_;
    for (const auto& [row_class, factor] : tail_factors_) summary.tail_factor = std::max(summary.tail_factor, factor);
    std::map<std::string, std::vector<double>> half_widths;
    for (const auto& one : series_)
      if (!one.before.empty()) half_widths[one.row_class].push_back(half_width(one));
    for (const auto& [row_class, widths] : half_widths)
      summary.smallest_detectable[row_class] =
          smallest_detectable(threshold_of(row_class, options_), median_of(widths), tail_factor(row_class) * alone_(most_freedom + 1));
  }

 private:
  double tail_factor(const std::string& row_class) const {
    const auto known = tail_factors_.find(row_class);
    return known == tail_factors_.end() ? 1 : known->second;
  }

  double predicted(const CheckedSeries& one, std::span<const double> nights, Quantiles& quantiles) {
    const Scale scale = scatters_.moderated(one.row_class, nights);
    return quantiles(scale.freedom) * scale.scatter * prediction_error(nights.size());
  }

  double half_width(const CheckedSeries& one) {
    return std::hypot(tail_factor(one.row_class) * predicted(one, one.before, alone_), own_half_width(one, alone_));
  }

  /// The half width of the checked night's own interval, which is one of 95 %, made as sure as the quantiles are. Few repetitions happen to
  /// agree: a class's intervals count as two of a row's own.
  double own_half_width(const CheckedSeries& one, Quantiles& quantiles) {
    if (!options_.in_sequence || is_of_many(row_kind_of(one.row_class))) return one.after_half_width;
    const double of_class = usual_half_width_[one.row_class], own = one.after_half_width;
    return widened(quantiles) * std::sqrt((2 * of_class * of_class + own * own) / 3);
  }

  static double widened(Quantiles& quantiles) { return std::max(1.0, quantiles(freedom_of_own) / 2); }

  NightFinding finding_of(const CheckedSeries& one, const CheckedNight& night, double distance) {
    if (one.after_disturbed && night.slowdown < one.after_excuse) return NightFinding::disturbed;
    const Verdict verdict = verdict_of({night.slowdown, night.lo, night.hi}, night.threshold);
    const bool unknown_scatter = options_.in_sequence && night.nights < least_nights;
    if (verdict == Verdict::slower) return unknown_scatter ? NightFinding::suspect : NightFinding::slower;
    if (verdict == Verdict::faster) return unknown_scatter ? NightFinding::ok : NightFinding::faster;
    const double half = options_.in_sequence ? std::hypot(predicted(one, one.before, in_turn_), own_half_width(one, in_turn_)) : 0;
    return distance - half > std::log1p(night.threshold) ? NightFinding::suspect : NightFinding::ok;
  }

  /// A night of the baseline held against those before it.
  bool was_suspicious(const CheckedSeries& one, std::size_t night) {
    const auto before = std::span(one.before).first(night);
    const double own = one.before_half_widths.empty() ? 0 : widened(in_turn_) * one.before_half_widths[night];
    return one.before[night] - median_of({before.begin(), before.end()}) - std::hypot(predicted(one, before, in_turn_), own) >
           std::log1p(threshold_of(one.row_class, options_));
  }

  static std::size_t first_past(const CheckedSeries& one, std::size_t least) {
    return std::max(least, one.before.size() - std::min(one.before.size(), past_nights));
  }

  /// The number of suspicious nights in turn at the baseline's end, before the checked one and without a gap.
  std::size_t suspicions_in_turn(const CheckedSeries& one) {
    std::size_t count = 0;
    for (std::size_t night = one.before.size();
         night-- > least_nights && one.night_of(night) + count + 1 == tonight_ && was_suspicious(one, night);)
      ++count;
    return count;
  }

  /// Finds how many suspicious nights in turn are a finding: with fewer the rows would be named more often than stated, as often as the
  /// baseline's own nights were suspicious.
  void find_past_suspicions() {
    std::map<std::string, std::pair<std::size_t, std::size_t>> of_class;  // suspicious, all
    std::pair<std::size_t, std::size_t> of_all;
    for (const auto& one : series_)  // without a run that reaches to last night: a slowdown that stays does not make it usual to be slow
      for (std::size_t night = first_past(one, least_nights), end = one.before.size() - suspicions_in_turn(one); night < end; ++night) {
        const bool suspicious = was_suspicious(one, night);
        auto& [some, all] = of_class[one.row_class];
        some += suspicious, ++all, of_all.first += suspicious, ++of_all.second;
      }
    if (of_all.second == 0) return;
    const auto rate_of = [&](const std::string& row_class) {
      const auto& [some, all] = of_class[row_class].second < enough_to_calibrate ? of_all : of_class[row_class];
      return std::max(in_turn_.tail(), static_cast<double>(some) / static_cast<double>(all));
    };
    for (std::size_t nights = fewest_in_turn; nights <= most_in_turn && nights_in_turn_ == 0; ++nights) {
      double expected = 0;
      for (const auto& one : series_)
        if (!one.before.empty()) expected += std::pow(rate_of(one.row_class), static_cast<double>(nights));
      if (expected <= spent_in_turn_ * (1 + 1e-9)) nights_in_turn_ = nights;
    }
  }

  /// Adds the distances of the baseline's nights from others, over what Student has of them. Of a series only the farthest may be beyond:
  /// one that did change is no measure of the others.
  void add_distances(const CheckedSeries& one, bool by_those_before, std::vector<double>& distances) {
    const std::size_t first = first_past(one, by_those_before ? least_for_past : 0), start = distances.size();
    if (!by_those_before && one.before.size() < least_nights) return;
    for (std::size_t night = first; night < one.before.size(); ++night) {
      std::vector<double> others(one.before.begin(),
                                 by_those_before ? one.before.begin() + static_cast<std::ptrdiff_t>(night) : one.before.end());
      if (!by_those_before) others.erase(others.begin() + static_cast<std::ptrdiff_t>(night));
      distances.push_back(std::abs(one.before[night] - median_of(others)) / predicted(one, others, alone_));
    }
    if (distances.size() == start) return;
    const auto farthest = std::max_element(distances.begin() + static_cast<std::ptrdiff_t>(start), distances.end());
    for (auto at = distances.begin() + static_cast<std::ptrdiff_t>(start); at != distances.end(); ++at)
      if (at != farthest) *at = std::min(*at, 1.0);
  }

  /// Finds the factors by nights held against those before them, and by each held against all others, whichever went further: the former
  /// see a drift, the latter are more and see what happens seldom.
  void find_tail_factors() {
    for (const bool by_those_before : {false, true}) {
      std::map<std::string, std::vector<double>> of_class;
      for (const auto& one : series_) add_distances(one, by_those_before, of_class[one.row_class]);
      std::vector<double> all;
      for (const auto& [row_class, distances] : of_class) all.insert(all.end(), distances.begin(), distances.end());
      calibrated_by_ += all.size();
      for (const auto& [row_class, distances] : of_class) {
        const double extreme =
            extreme_quantile(distances.size() < enough_of_class ? all : distances, 2 * alone_.tail());  // two-sided distances
        double& factor = tail_factors_.try_emplace(row_class, 1).first->second;
        if (std::isfinite(extreme)) factor = std::clamp(extreme, factor, most_tail_factor);
      }
    }
  }

  std::span<const CheckedSeries> series_;
  const CheckOptions& options_;
  ClassScatters scatters_;
  Quantiles alone_, in_turn_;
  double spent_in_turn_ = 0;
  std::map<std::string, double> tail_factors_, usual_half_width_;
  std::size_t calibrated_by_ = 0, nights_in_turn_ = 0;
  std::size_t tonight_ = 0;  // the number of the checked night
};

CheckedSeries series_of(const NodeMovement& movement) {
  CheckedSeries series{.key = {"whole node", movement.node}, .row_class = node_class, .unit = "seconds"};
  for (const auto& [night, middle] : movement.before) {
    series.before.push_back(middle);
    series.nights.push_back(night);
  }
  series.after = movement.after;
  series.after_half_width = movement.after_half_width;
  series.after_disturbed = movement.after_disturbed;
  series.after_excuse = movement.after_excuse;
  return series;
}

}  // namespace

NightValue night_value(const Observation& observation) {
  NightValue value{
      .clock_hz = observation.clock_hz, .disturbed = observation.disturbed, .unshared = observation.unshared, .excuse = observation.excuse};
  std::vector<double> all, logs;
  for (const auto& session : observation.sessions) all.insert(all.end(), session.begin(), session.end());
  for (const double x : all) logs.push_back(std::log(x));
  value.n = all.size();
  value.median = median_of(all);
  if (all.size() < 2) return value;
  value.scatter = scatter_of(logs);
  const double half = student_quantile(0.025, static_cast<int>(std::min<std::size_t>(all.size() - 1, most_freedom))) * value.scatter *
                      std::sqrt(std::numbers::pi / 2 / static_cast<double>(all.size()));
  value.lo = value.median * std::exp(-half);
  value.hi = value.median * std::exp(half);
  return value;
}

std::string_view to_string(NightFinding finding) {
  switch (finding) {
    case NightFinding::ok:
      return "OK";
    case NightFinding::slower:
      return "SLOWER";
    case NightFinding::faster:
      return "FASTER";
    case NightFinding::suspect:
      return "SUSPECT";
    case NightFinding::disturbed:
      return "DISTURBED";
    case NightFinding::no_baseline:
      break;
  }
  return "NO BASELINE";
}

double extreme_quantile(std::vector<double> sizes, double tail) {
  const std::size_t n = sizes.size();
  if (n < enough_to_calibrate) return absent;
  const std::size_t k = std::max<std::size_t>(10, n / 50);
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(k + 1), sizes.end(), std::greater<>());
  if (!(sizes[k] > 0)) return absent;
  double index = 0;
  for (std::size_t i = 0; i < k; ++i) index += std::log(sizes[i] / sizes[k]) / static_cast<double>(k);
  return sizes[k] * std::pow(static_cast<double>(k) / static_cast<double>(n) / tail, index);
}

namespace {

/// Tells a row's night with its node's movement. A row may have become slower, or faster, beside its node, without having done so beside
/// its own earlier nights: that is no finding. Where the whole node became faster, a row is slower only if its whole interval is.
void tell_with_movement(CheckedNight& night, double movement, bool node_is_faster) {
  night.movement = movement;
  night.slowdown *= movement;
  night.lo *= movement;
  night.hi *= movement;
  const bool was_accused = night.finding == NightFinding::slower || night.finding == NightFinding::suspect;
  if (was_accused && !((node_is_faster ? night.lo : night.slowdown) > 1 + night.threshold))
    night.finding = NightFinding::ok, night.suspicious_nights = 0;
  if (night.finding == NightFinding::faster && !(night.slowdown < 1 / (1 + night.threshold))) night.finding = NightFinding::ok;
}

/// The parts that became slower, one after the other, the one that stands out most first: what rows of another part share with it does not
/// make that part slower too. Their rows are put into `apart`. Where none is slower, the most suspect one is told.
std::vector<PartOfNode> slower_parts(const std::vector<CheckedSeries>& rows, const CheckOptions& options, double false_alarms,
                                     std::set<SeriesKey>& apart) {
  constexpr std::size_t most_told = 5;
  constexpr double least_agreeing = 0.75;  // or it is something else that many of its rows share
  std::vector<PartOfNode> told;
  while (told.size() < most_told) {
    const auto parts = night_parts(rows, apart);
    const auto stands_out = [&](const NightPart& part) { return part.series.after > std::log1p(threshold_of("part", options)); };
    if (std::none_of(parts.begin(), parts.end(), stands_out)) return told;
    std::vector<CheckedSeries> series;
    for (const auto& part : parts) series.push_back(part.series);
    Rows of_parts(series, options, false_alarms);
    std::optional<PartOfNode> best;
    double farthest = 0;
    std::set<SeriesKey> rows_of_best;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      CheckedNight night = of_parts.judge(i);
      tell_with_movement(night, std::exp(parts[i].rest_after), false);
      const bool is_slower = night.finding == NightFinding::slower;
      if ((!is_slower && night.finding != NightFinding::suspect) || parts[i].agreeing < least_agreeing) continue;
      const double distance = (is_slower ? 10 : 1) * series[i].after * std::sqrt(static_cast<double>(parts[i].rows.size()));
      if (distance <= farthest) continue;
      farthest = distance;
      best = PartOfNode{series[i].key.node, parts[i].word, parts[i].rows.size(), night};
      rows_of_best = parts[i].rows;
    }
    if (!best || (best->night.finding == NightFinding::suspect && !told.empty())) return told;
    told.push_back(*best);
    if (best->night.finding == NightFinding::suspect) return told;
    apart.insert(rows_of_best.begin(), rows_of_best.end());
  }
  return told;
}

}  // namespace

Checked check_night(std::span<const CheckedSeries> series, const CheckOptions& options) {
  std::vector<CheckedSeries> rows(series.begin(), series.end()), nodes;
  std::vector<NodeMovement> movements;
  Checked checked;
  std::set<SeriesKey> apart;
  const double of_parts = part_of_parts * options.false_alarms;
  if (options.in_sequence) checked.parts = slower_parts(rows, options, of_parts, apart);
  if (options.in_sequence) movements = take_out_movement(rows, apart);
  for (const auto& movement : movements) nodes.push_back(series_of(movement));
  const double of_nodes = nodes.empty() ? 0 : part_of_nodes * options.false_alarms;
  Rows of_rows(rows, options, options.false_alarms - of_nodes - (nodes.empty() ? 0 : of_parts)), of_whole(nodes, options, of_nodes);
  struct Taken {
    double factor = 1;
    bool is_faster = false;
  };
  std::map<std::string, Taken> taken;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    checked.whole_nodes.push_back({movements[i].node, movements[i].rows, of_whole.judge(i)});
    const double all_nights = median_of(nodes[i].before);  // which the rows have lost too
    taken[movements[i].node] = {std::exp(movements[i].after_of_rows - (std::isfinite(all_nights) ? all_nights : 0)),
                                checked.whole_nodes.back().night.finding == NightFinding::faster};
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    checked.rows.push_back(of_rows.judge(i));
    CheckedNight& night = checked.rows.back();
    if (!series[i].before.empty()) night.before = value_of(median_of(series[i].before), series[i].unit);
    if (const auto moved = taken.find(rows[i].key.node); moved != taken.end() && row_kind_of(rows[i].row_class) != RowKind::link)
      tell_with_movement(night, moved->second.factor, moved->second.is_faster);
  }
  of_whole.tell(checked.summary);
  of_rows.tell(checked.summary);
  return checked;
}

}  // namespace plumbline
