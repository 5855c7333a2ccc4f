#include "model/cases/believed_times.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/disturbed.hpp"

namespace plumbline {
namespace {

/// Indices of the rows of one case's team on one node.
using Rows = std::vector<std::size_t>;

std::string repetition_of(const TimeRow& row) {
  return row.case_id + '\n' + row.node + '\n' + row.session + '\n' + std::to_string(row.repetition);
}

std::unordered_map<std::string, Rows> rows_of_teams(const Results& results) {
  std::unordered_map<std::string, Rows> teams;
  for (std::size_t i = 0; i < results.times.size(); ++i)
    if (const TimeRow& row = results.times[i]; row.rank == -1 && std::isfinite(row.seconds))
      teams[row.case_id + '\n' + row.node].push_back(i);
  return teams;
}

/// The times of the ranks of one repetition, each by its own clock.
struct OfRanks {
  double seconds = 0, cpu_seconds = 0;  // a sweep, of the rank that had most
};

/// The ranks' times by case, node, session and repetition.
std::unordered_map<std::string, OfRanks> ranks_of(const Results& results) {
  std::unordered_map<std::string, OfRanks> ranks;
  for (const auto& row : results.times) {
    if (row.rank < 0 || !std::isfinite(row.seconds)) continue;
    OfRanks& all = ranks[repetition_of(row)];
    all.seconds = std::max(all.seconds, row.seconds);
    all.cpu_seconds = std::max(all.cpu_seconds, row.seconds * (std::isfinite(row.cpu_share) ? row.cpu_share : 1));
  }
  return ranks;
}

/// A hypervisor's share may be known twice: the greater one counts.
double part_left(const TimeRow& row, const RepetitionConditions& conditions, const OfRanks* ranks, bool has_threads) {
  double left = std::isfinite(row.cpu_share) ? row.cpu_share : 1;
  if (ranks != nullptr) left = has_threads ? left * (1 - conditions.apart) : ranks->cpu_seconds / row.seconds;
  if (conditions.steal_seconds > 0 && conditions.thread_seconds > 0)
    left = std::min(left, 1 - conditions.steal_seconds / conditions.thread_seconds);
  return std::clamp(left, 0.01, 1.0);
}

}  // namespace

BelievedTimes believed_times(const Results& results) {
  BelievedTimes times{std::vector<bool>(results.times.size()), std::vector<bool>(results.times.size()),
                      std::vector<double>(results.times.size(), 1)};
  std::unordered_map<std::string_view, const CaseRow*> cases;
  for (const auto& row : results.cases) cases[row.id] = &row;
  const auto ranks = ranks_of(results);
  const auto of_ranks = [&](const TimeRow& row) {
    const auto found = ranks.empty() ? ranks.end() : ranks.find(repetition_of(row));
    return found == ranks.end() ? nullptr : &found->second;
  };
  for (const auto& [team, rows] : rows_of_teams(results)) {
    std::vector<RepetitionConditions> conditions;
    for (const auto i : rows) {
      const TimeRow& row = results.times[i];
      const auto of_case = cases.find(row.case_id);
      const std::int64_t per_rank = of_case == cases.end() ? 1 : of_case->second->threads;
      conditions.push_back(conditions_of(row, of_case == cases.end() ? 1 : of_case->second->ranks * per_rank));
      const OfRanks* own = of_ranks(row);
      if (own != nullptr) conditions.back().apart = std::max(0.0, 1 - own->seconds / row.seconds);
      times.left[i] = part_left(row, conditions.back(), own, per_rank > 1);
    }
    const std::vector<bool> disturbed = find_disturbed(conditions);
    const bool only_disturbed = std::find(disturbed.begin(), disturbed.end(), false) == disturbed.end();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      times.disturbed[rows[k]] = disturbed[k];
      times.believed[rows[k]] = only_disturbed || !disturbed[k];
    }
  }
  return times;
}

}  // namespace plumbline
