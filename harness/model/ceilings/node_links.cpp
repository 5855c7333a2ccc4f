#include "model/ceilings/node_links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/link_name.hpp"
#include "model/statistics/spread.hpp"
#include "model/statistics/student.hpp"

namespace plumbline {
namespace {

constexpr double practical = 1.25;       // times worse that matter to anybody
constexpr double scatters = 5;           // beyond which no chance of many links puts one
constexpr double most_allowed = 4;       // a limit beyond this many times would hide nearly everything
constexpr std::size_t fewest = 3;        // of two values none can be said to be the usual one
constexpr double false_names = 0.01;     // expected in a map of healthy nodes
constexpr double round_share = 0.9;      // of its rounds in which a worse one is worse
constexpr std::size_t another_kind = 8;  // so many links that differ alike, or
constexpr double another_share = 0.1;    // this part of all where that is more

bool less_is_better(const LinkMap& map) { return map.unit == "seconds"; }

/// Grows as the link gets worse, by 0.1 for about 10 %.
double loss_of(const LinkMap& map, double value) { return (less_is_better(map) ? 1 : -1) * std::log(value); }
double value_of(const LinkMap& map, double loss) { return std::exp(less_is_better(map) ? loss : -loss); }

/// The factor by which a limit from so few values must be wider: what one in a thousand is beyond, against that of a known scatter.
double widening(std::size_t values) {
  constexpr double tail = 1e-3;
  return student_quantile(tail, static_cast<int>(std::min<std::size_t>(values - 1, most_freedom))) / student_quantile(tail, most_freedom);
}

double limit_of(const std::vector<double>& values, double unsteadiness) {
  return std::max(std::log(practical), scatters * std::max(widening(values.size()) * scatter_of(values), unsteadiness));
}

/// The loss of a sample with its round; samples were taken one after the other.
struct InRound {
  std::size_t round = 0;
  double loss = 0;
};
using Losses = std::vector<InRound>;

/// The number of rounds that are nearly all: nine of ten, of fewer than ten each.
std::size_t nearly_all(std::size_t rounds) { return static_cast<std::size_t>(std::ceil(round_share * static_cast<double>(rounds))); }

/// The median of what each round has; NaN for a round without.
std::vector<double> usual_by_round(const std::vector<Losses>& all, std::size_t rounds) {
  std::vector<std::vector<double>> by_round(rounds);
  for (const auto& one : all)
    for (const auto& [round, loss] : one) by_round[round].push_back(loss);
  std::vector<double> usual;
  for (auto& losses : by_round) usual.push_back(median_of(std::move(losses)));
  return usual;
}

/// The number of rounds in which a link loses more than is usual there, by more than `excess`.
std::size_t rounds_beyond(const Losses& losses, const std::vector<double>& usual, double excess) {
  return static_cast<std::size_t>(
      std::count_if(losses.begin(), losses.end(), [&](const InRound& one) { return one.loss - usual[one.round] > excess; }));
}

/// The links or nodes that lose more than the usual one of each round, by more than a limit, in nearly all of their rounds.
struct Lasting {
  std::vector<std::size_t> found;    // indices, of those that may be
  std::vector<std::size_t> chances;  // those which lie that far out so often that one of them all does each time by chance
};

Lasting lasting(const std::vector<Losses>& all, const std::vector<std::size_t>& candidates, std::size_t rounds, double excess) {
  const auto usual = usual_by_round(all, rounds);
  std::vector<std::size_t> beyond, all_along;
  for (const auto& one : all) beyond.push_back(rounds_beyond(one, usual, excess));
  for (const std::size_t i : candidates)
    if (beyond[i] >= nearly_all(all[i].size())) all_along.push_back(i);
  double far = 0, samples = 0;  // of all the others
  for (std::size_t i = 0, next = 0; i < all.size(); ++i) {
    if (next < all_along.size() && all_along[next] == i) {
      ++next;
      continue;
    }
    far += static_cast<double>(beyond[i]);
    samples += static_cast<double>(all[i].size());
  }
  const double share = samples > 0 ? far / samples : 0;
  Lasting lasting;
  for (const std::size_t i : all_along) {
    const double n = static_cast<double>(all[i].size()), k = static_cast<double>(nearly_all(all[i].size()));
    const double ways = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
    const double expected = static_cast<double>(all.size()) * ways * std::pow(share, k);
    (expected <= false_names ? lasting.found : lasting.chances).push_back(i);
  }
  return lasting;
}

/// Links by their ends, and their samples.
class Gathering {
 public:
  explicit Gathering(LinkMap& map) : map_(map) {}

  void add(const CeilingRow& row) {
    const auto [found, is_new] = links_.try_emplace(std::pair(index_of(row.node), index_of(row.peer)), map_.links.size());
    if (is_new) {
      map_.links.push_back({.node = found->first.first, .peer = found->first.second});
      samples_.emplace_back();
      wrong_.push_back(false);
    }
    if (row.status == Status::ok && std::isfinite(row.value) && row.value > 0)
      samples_[found->second].push_back({rounds_.try_emplace({row.session, row.round}, rounds_.size()).first->second, row.value});
    else
      map_.links[found->second].reason = how_and_why(row);
    if (row.status == Status::wrong_result) wrong_[found->second] = true;
  }

  /// Finishes the links and gives what each lost in its rounds.
  std::vector<Losses> finish() {
    for (std::size_t i = 0; i < map_.links.size(); ++i) {
      NodeLink& link = map_.links[i];
      link.n = samples_[i].size();
      if (wrong_[i]) map_.bad.push_back({.link = i, .times_worse = absent, .wrong_result = true});
      if (link.n == 0) continue;
      std::vector<double> values;
      for (auto& [round, value] : samples_[i]) {
        values.push_back(value);
        value = loss_of(map_, value);
      }
      const Spread spread = spread_of(values);
      link.value = less_is_better(map_) ? spread.min : spread.max;
      link.unsteadiness = std::abs(std::log(spread.median / link.value));
    }
    return std::move(samples_);
  }
  std::size_t rounds() const { return rounds_.size(); }

 private:
  std::size_t index_of(const std::string& node) {
    const auto [found, is_new] = nodes_.try_emplace(node, map_.nodes.size());
    if (is_new) map_.nodes.push_back(node);
    return found->second;
  }

  LinkMap& map_;
  std::unordered_map<std::string, std::size_t> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> links_;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> rounds_;
  std::vector<Losses> samples_;  // values until finished
  std::vector<bool> wrong_;
};

/// Finds worse nodes, then worse links, in the links that were measured.
class Judging {
 public:
  Judging(LinkMap& map, std::vector<Losses> samples, std::size_t rounds)
      : map_(map), samples_(std::move(samples)), rounds_(rounds), of_node_(map.nodes.size()), excess_(map.nodes.size(), 0) {
    std::vector<double> unsteady;
    for (std::size_t i = 0; i < map.links.size(); ++i) {
      const NodeLink& link = map.links[i];
      if (link.n == 0) continue;
      measured_.push_back(i);
      of_node_[link.node].push_back(i);
      of_node_[link.peer].push_back(i);
      if (link.n > 1) unsteady.push_back(link.unsteadiness);
    }
    if (!unsteady.empty()) unsteadiness_ = median_of(std::move(unsteady));
  }

  void judge() {
    if (measured_.empty()) return;
    find_worse_nodes();
    judge_links(measured_, true);
    if (!map_.unjudged.empty()) withdraw();
    const auto worst_first = [](const auto& a, const auto& b) {
      return std::tuple(std::isfinite(a.times_worse), -a.times_worse) < std::tuple(std::isfinite(b.times_worse), -b.times_worse);
    };
    std::stable_sort(map_.bad.begin(), map_.bad.end(), [&](const WorseLink& a, const WorseLink& b) {
      if (a.wrong_result != b.wrong_result) return a.wrong_result;
      return !a.wrong_result && worst_first(a, b);
    });
    std::stable_sort(map_.nodes_bad.begin(), map_.nodes_bad.end(), worst_first);
    std::stable_sort(map_.suspicious.begin(), map_.suspicious.end(), worst_first);
  }

 private:
  /// The loss of a node's better links: one bad link does not make a node bad, nor does one lucky one make it good.
  static double better_of(std::vector<double>& losses) {
    const auto at = losses.begin() + static_cast<std::ptrdiff_t>((losses.size() - 1) / 10);
    std::nth_element(losses.begin(), at, losses.end());
    return *at;
  }

  double best_loss(std::size_t link) const { return loss_of(map_, map_.links[link].value); }

  double better_links(std::size_t node) const {
    std::vector<double> losses;
    for (const std::size_t link : of_node_[node]) losses.push_back(best_loss(link));
    return better_of(losses);
  }

  /// The losses of a node's better links in each round by itself.
  Losses better_links_by_round(std::size_t node) const {
    std::map<std::size_t, std::vector<double>> by_round;
    for (const std::size_t link : of_node_[node])
      for (const auto& [round, loss] : samples_[link]) by_round[round].push_back(loss);
    Losses better;
    for (auto& [round, losses] : by_round) better.push_back({round, better_of(losses)});
    return better;
  }

  void find_worse_nodes() {
    std::vector<std::size_t> judged;
    std::vector<double> better;
    std::vector<Losses> by_round;
    for (std::size_t node = 0; node < of_node_.size(); ++node)
      if (of_node_[node].size() > 1) {  // one link has two ends and cannot say which
        judged.push_back(node);
        better.push_back(better_links(node));
        by_round.push_back(better_links_by_round(node));
      }
    if (judged.size() < fewest) return;
    const double usual = median_of(better), limit = limit_of(better, unsteadiness_);
    map_.node_typical = value_of(map_, usual);
    if (limit > std::log(most_allowed)) {
      map_.notes.emplace_back("nodes are not judged: they differ too much, or rounds of one do");
      return;
    }
    map_.node_allowed = std::exp(limit);
    std::vector<std::size_t> beyond;
    for (std::size_t i = 0; i < judged.size(); ++i)
      if (better[i] - usual > limit) beyond.push_back(i);
    for (const std::size_t i : lasting(by_round, beyond, rounds_, limit).found) {
      const double excess = better[i] - usual;
      const auto& links = of_node_[judged[i]];
      excess_[judged[i]] = excess;
      map_.nodes_bad.push_back({.node = judged[i],
                                .times_worse = std::exp(excess),
                                .value = value_of(map_, better[i]),
                                .links = links.size(),
                                .worse = static_cast<std::size_t>(std::count_if(
                                    links.begin(), links.end(), [&](std::size_t link) { return best_loss(link) - usual > limit; }))});
    }
  }

  /// The loss that the worse of a link's ends explains.
  double explained(std::size_t which) const {
    const NodeLink& link = map_.links[which];
    return std::max(excess_[link.node], excess_[link.peer]);
  }

  void judge_links(const std::vector<std::size_t>& which, bool whole_map) {
    std::vector<double> rests;
    std::vector<Losses> by_round;
    for (const std::size_t link : which) {
      rests.push_back(best_loss(link) - explained(link));
      by_round.push_back(samples_[link]);
      for (auto& one : by_round.back()) one.loss -= explained(link);
    }
    const double usual = median_of(rests);
    if (whole_map) map_.typical = value_of(map_, usual);
    if (which.size() < fewest) {
      if (whole_map)
        map_.unjudged = std::to_string(which.size()) + (which.size() == 1 ? " link has" : " links have") + " no like to be held against";
      return;
    }
    const double limit = limit_of(rests, unsteadiness_);
    if (whole_map) map_.allowed = std::exp(limit);
    const auto beyond = [&](double least) {
      std::vector<std::size_t> candidates;
      for (std::size_t i = 0; i < which.size(); ++i)
        if (rests[i] - usual > least) candidates.push_back(i);
      return lasting(by_round, candidates, rounds_, least);
    };
    const auto suspect = [&](const std::vector<std::size_t>& some) {
      for (const std::size_t i : some) map_.suspicious.push_back({.link = which[i], .times_worse = std::exp(rests[i] - usual)});
    };
    if (whole_map && limit > std::log(most_allowed)) {
      map_.unjudged = "too unsteady to judge: links or their rounds differ too much; measure again on a quiet machine, in more rounds";
      const Lasting some = beyond(std::log(practical));
      suspect(some.found);
      suspect(some.chances);
      return;
    }
    const auto [worse, chances] = beyond(limit);
    suspect(chances);
    if (worse.size() >= another_kind && static_cast<double>(worse.size()) >= another_share * static_cast<double>(which.size())) {
      map_.notes.push_back(std::to_string(worse.size()) + " of " + std::to_string(which.size()) +
                           " links are worse alike: another part of the network, judged among themselves");
      std::vector<std::size_t> others;
      for (const std::size_t i : worse) others.push_back(which[i]);
      judge_links(others, false);
      return;
    }
    for (const std::size_t i : worse) map_.bad.push_back({.link = which[i], .times_worse = std::exp(rests[i] - usual)});
  }

  /// A message that did not arrive as it was sent stays, whatever the noise.
  void withdraw() {
    map_.nodes_bad.clear();
    map_.notes.clear();
    std::erase_if(map_.bad, [](const WorseLink& link) { return !link.wrong_result; });
  }

  LinkMap& map_;
  std::vector<Losses> samples_;  // of each link
  std::size_t rounds_;
  std::vector<std::vector<std::size_t>> of_node_;  // its links
  std::vector<double> excess_;                     // of worse nodes
  std::vector<std::size_t> measured_;
  double unsteadiness_ = 0;  // of the usual link
};

}  // namespace

std::vector<LinkMap> judge_links(std::span<const CeilingRow> samples) {
  std::map<std::tuple<std::string, std::string, double>, std::vector<const CeilingRow*>> kinds;
  for (const auto& row : samples)
    if (row.level == CeilingKind::link && !row.peer.empty())
      kinds[{kind_of_link(row.name), row.unit, row.working_set_bytes}].push_back(&row);
  std::vector<LinkMap> maps;
  for (const auto& [kind, rows] : kinds) {
    const auto& [name, unit, bytes] = kind;
    LinkMap map{.name = name, .unit = unit, .message_bytes = bytes};
    Gathering gathering(map);
    for (const auto* row : rows) gathering.add(*row);
    auto losses = gathering.finish();
    Judging(map, std::move(losses), gathering.rounds()).judge();
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace plumbline
