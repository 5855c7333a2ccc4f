#include "model/believed_times.hpp"

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

std::unordered_map<std::string, Rows> rows_of_teams(const Results& results) {
  std::unordered_map<std::string, Rows> teams;
  for (std::size_t i = 0; i < results.times.size(); ++i)
    if (const TimeRow& row = results.times[i]; row.rank == -1 && std::isfinite(row.seconds))
      teams[row.case_id + '\n' + row.node].push_back(i);
  return teams;
}

}  // namespace

BelievedTimes believed_times(const Results& results) {
  BelievedTimes times{std::vector<bool>(results.times.size()), std::vector<bool>(results.times.size())};
  std::unordered_map<std::string_view, std::int64_t> threads;
  for (const auto& row : results.cases) threads[row.id] = row.ranks * row.threads;
  for (const auto& [team, rows] : rows_of_teams(results)) {
    std::vector<RepetitionConditions> conditions;
    for (const auto i : rows) conditions.push_back(conditions_of(results.times[i], threads[results.times[i].case_id]));
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
