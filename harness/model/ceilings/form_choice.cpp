#include "model/ceilings/form_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double clearly = 1.01;

using Which = std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t, std::int64_t, double>;

Which which(const CeilingRow& row) {
  return {row.node,      name_without_form(row),
          row.precision, row.pattern,
          row.unit,      row.ranks,
          row.threads,   std::isfinite(row.working_set_bytes) ? row.working_set_bytes : 0};
}

struct PatternTraffic {
  const char* pattern;
  double factor;         // a store costs a fill and a write-back for its 8 bytes, unless the line was read anyway (update)
  double without_fills;  // where stores go past the caches; 0: there is no such form
};
/// The traffic of each pattern. A rate that a user states is in the bytes that cross already.
constexpr std::array<PatternTraffic, 7> pattern_traffic{{{"load", 1, 0},
                                                         {"update", 1, 0},
                                                         {"store", 2, 1},
                                                         {"copy", 1.5, 1},
                                                         {"triad", 4.0 / 3, 1},
                                                         {"loads2store1", 4.0 / 3, 0},
                                                         {"stated", 1, 0}}};

bool is_same_ceiling(const FormContest& a, const FormContest& b) {
  return std::tie(a.name, a.precision, a.ranks, a.threads) == std::tie(b.name, b.precision, b.ranks, b.threads);
}

/// Nodes plan for the memory and the caches that they find: their working sets may differ a little.
bool is_same_size(const FormContest& a, const FormContest& b) {
  constexpr double octaves = 0.3;
  if (!std::isfinite(a.working_set_bytes) || !std::isfinite(b.working_set_bytes))
    return std::isfinite(a.working_set_bytes) == std::isfinite(b.working_set_bytes);
  return std::abs(std::log2(a.working_set_bytes / b.working_set_bytes)) < octaves;
}

/// The same contest on like nodes, in the order of their sessions.
using Votes = std::vector<const FormContest*>;

double best_rate(const FormContest& contest) {
  double best = 0;
  for (const auto& one : contest.candidates)
    if (one.rate > best) best = one.rate;
  return best;
}

/// The median over all of them of how much of the best a form reached; absent where one of them has not measured it.
double median_part(const Votes& votes, const std::string& form) {
  std::vector<double> parts;
  for (const auto* vote : votes) {
    const auto found =
        std::find_if(vote->candidates.begin(), vote->candidates.end(), [&](const FormRate& one) { return one.form == form; });
    if (found == vote->candidates.end() || !std::isfinite(found->rate)) return absent;
    parts.push_back(found->rate / best_rate(*vote));
  }
  return median_of(std::move(parts));
}

ChosenForm agreed(Votes votes, const std::string& kind) {
  const FormContest& first = *votes.front();
  std::erase_if(votes, [&](const FormContest* vote) { return vote->session != first.session; });
  std::vector<FormRate> together;
  for (const auto& one : first.candidates) together.push_back({one.form, median_part(votes, one.form)});
  return {kind, first.name, first.precision, first.ranks, first.threads, first.working_set_bytes, together[winner_of(together)].form, true};
}

}  // namespace

std::size_t winner_of(std::span<const FormRate> candidates) {
  std::size_t winner = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double before = candidates[winner].rate;
    if (std::isfinite(candidates[i].rate) && (!std::isfinite(before) || candidates[i].rate > clearly * before)) winner = i;
  }
  return winner;
}

std::vector<FormContest> contests_of(std::span<const CeilingRow> rows) {
  std::vector<FormContest> contests;
  std::vector<Which> known;
  for (const auto& row : rows) {
    if (row.level != CeilingKind::choice || row.status == Status::skipped) continue;
    const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), which(row)) - known.begin());
    if (at == known.size()) {
      known.push_back(which(row));
      contests.push_back({row.node,
                          row.session,
                          name_without_form(row),
                          row.precision,
                          row.pattern,
                          row.unit,
                          row.ranks,
                          row.threads,
                          row.working_set_bytes,
                          {}});
    }
    contests[at].session = row.session;
    auto& candidates = contests[at].candidates;
    const double rate = row.status == Status::ok ? row.value : absent;
    const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const FormRate& one) { return one.form == row.form; });
    if (same == candidates.end())
      candidates.push_back({row.form, rate});
    else
      same->rate = rate;
  }
  return contests;
}

std::vector<ChosenForm> chosen_forms(std::span<const CeilingRow> rows) {
  std::vector<ChosenForm> chosen;
  for (const auto& contest : contests_of(rows)) {
    const bool complete =
        std::all_of(contest.candidates.begin(), contest.candidates.end(), [](const FormRate& one) { return std::isfinite(one.rate); });
    chosen.push_back({contest.node, contest.name, contest.precision, contest.ranks, contest.threads, contest.working_set_bytes,
                      contest.winner().form, complete});
  }
  return chosen;
}

std::vector<ChosenForm> agreed_forms(std::span<const FormContest> contests, const std::map<std::string, std::string>& kinds) {
  const auto kind_of = [&](const FormContest& contest) {
    const auto known = kinds.find(contest.node);
    return known == kinds.end() ? contest.node : known->second;
  };
  std::map<std::string, std::vector<Votes>> of_kind;
  for (const auto& contest : contests) {
    std::vector<Votes>& all = of_kind[kind_of(contest)];
    const auto same = std::find_if(all.begin(), all.end(), [&](const Votes& votes) {
      return is_same_ceiling(*votes.front(), contest) && is_same_size(*votes.front(), contest);
    });
    if (same == all.end()) {
      all.push_back({&contest});
      continue;
    }
    std::erase_if(*same, [&](const FormContest* vote) { return vote->node == contest.node; });  // what it measured again counts
    same->push_back(&contest);
  }
  std::vector<ChosenForm> chosen;
  for (const auto& [kind, all] : of_kind)
    for (const auto& votes : all) chosen.push_back(agreed(votes, kind));
  return chosen;
}

std::string form_chosen_for(std::span<const ChosenForm> chosen, const CeilingRow& own) {
  const std::string name = name_without_form(own);
  const bool sized = std::isfinite(own.working_set_bytes);
  const ChosenForm* nearest = nullptr;
  double least = HUGE_VAL;
  for (const auto& one : chosen) {
    if (std::tie(one.node, one.name, one.precision, one.ranks, one.threads) !=
            std::tie(own.node, name, own.precision, own.ranks, own.threads) ||
        std::isfinite(one.working_set_bytes) != sized)
      continue;
    const double apart = sized ? std::abs(std::log2(one.working_set_bytes / own.working_set_bytes)) : 0;
    if (apart < least) {
      least = apart;
      nearest = &one;
    }
  }
  return nearest == nullptr ? std::string() : nearest->form;
}

std::string name_without_form(const CeilingRow& row) {
  const std::string ending = ", " + row.form;
  const bool ends = !row.form.empty() && row.name.ends_with(ending);
  return ends ? row.name.substr(0, row.name.size() - ending.size()) : row.name;
}

double traffic_factor(const std::string& pattern, const std::string& form, const std::string& level) {
  if (level == "L1") return 1;  // registers to L1: loads and stores as they are
  const auto known = std::find_if(pattern_traffic.begin(), pattern_traffic.end(), [&](const auto& p) { return p.pattern == pattern; });
  if (known == pattern_traffic.end()) return absent;
  if (form.starts_with("string")) return absent;
  if (form.starts_with("nt")) return level == "mem" && known->without_fills > 0 ? known->without_fills : absent;
  return known->factor;
}

}  // namespace plumbline
