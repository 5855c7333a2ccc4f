// Many nights and jobs are shown as a line a kind, and parts of all.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "night_trial.hpp"
#include "node_trial.hpp"

namespace plumbline::test {

std::string in_words(const std::vector<NightCount>& counts);
std::string in_words(const std::vector<NodeCount>& counts);
nlohmann::ordered_json json_of(const NightCount& count);
nlohmann::ordered_json json_of(const NodeCount& count);

/// A row a kind.
template <class Counts>
nlohmann::ordered_json rows_of(const Counts& counts) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& count : counts) rows.push_back(json_of(count));
  return rows;
}

/// The numbers of all rows, each added up.
nlohmann::ordered_json summed(const nlohmann::ordered_json& rows);

/// `accused`: of nights, or jobs, in all; `named` and `wrong_factor` of those that were found.
nlohmann::ordered_json shares_of(const std::vector<NightCount>& counts);
nlohmann::ordered_json shares_of(const std::vector<NodeCount>& counts);

}  // namespace plumbline::test
