// The fastest of several loops for the same ceiling, by a short contest, is measured. Pure functions of stored samples choose it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// A loop and what it reached.
struct FormRate {
  std::string form;      // "bumped v4"
  double rate = absent;  // in the ceiling's unit: more is better
};

/// The index of the winner. A later candidate must be more than 1 % faster than the winner before it: a tie stays with the first. A
/// candidate without a rate never wins; 0 where none has one.
std::size_t winner_of(std::span<const FormRate> candidates);

/// A contest as it was measured: candidates in their order, the plan's own loop first.
struct FormContest {
  std::string node, session, name, precision, pattern, unit;  // name of the ceiling: "load", "FP64 vector FMA"
  std::int64_t ranks = 1, threads = 1;
  double working_set_bytes = absent;  // of the team; absent for arithmetic
  std::vector<FormRate> candidates;

  const FormRate& winner() const { return candidates[winner_of(candidates)]; }
};

/// The contests of a run, in the order of their rows. Where a contest was measured twice the later rows count. A candidate that was
/// skipped, since nothing was to be won, took no part.
std::vector<FormContest> contests_of(std::span<const CeilingRow> rows);

/// The form that a contest chose.
struct ChosenForm {
  std::string node, name, precision;
  std::int64_t ranks = 1, threads = 1;
  double working_set_bytes = absent;  // of the team; absent for arithmetic
  std::string form;
  bool complete = true;  // every candidate has a rate
};
std::vector<ChosenForm> chosen_forms(std::span<const CeilingRow> rows);

/// Chooses once for all nodes that are alike, so that they measure the same loops: `kinds` by node; a node without a kind is like itself
/// alone. `contests` are in the order of their sessions: who joins in a later one takes what the first has chosen. For each candidate the
/// median over the nodes counts, of its part of the best there; what was not measured on one of them is not chosen. `node` of the result is
/// the kind.
std::vector<ChosenForm> agreed_forms(std::span<const FormContest> contests, const std::map<std::string, std::string>& kinds);

/// The form that was chosen on a node for a ceiling and team, at the working set nearest to this one (in octaves); empty where none was.
/// (The largest working set follows the memory that happens to be free: it differs from launch to launch.)
std::string form_chosen_for(std::span<const ChosenForm> chosen, const CeilingRow& own);

/// A row's name without its form: "load" of "load, bumped v4".
std::string name_without_form(const CeilingRow& row);

/// The bytes across a level's boundary for each algorithmic byte, for a pattern in a form; NaN where the core decides by itself whether a
/// store reads its line first (string instructions), or where it is not known.
double traffic_factor(const std::string& pattern, const std::string& form, const std::string& level);

}  // namespace plumbline
