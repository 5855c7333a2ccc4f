#include "core/records.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace plumbline {
namespace {

constexpr char before_phase = '#';

std::string key_of(const CaseRow& row) { return row.id; }
std::string key_of(const ModelRow& row) { return row.case_id + '\x1f' + row.phase + '\x1f' + row.quantity; }

/// Takes in rows that came to the table by another way than append(): a loaded file, a merge.
template <class Row>
void catch_up(const std::vector<Row>& rows, std::unordered_set<std::string>& keys, std::size_t& known) {
  if (known > rows.size()) {  // rows were taken away
    keys.clear();
    known = 0;
  }
  for (; known < rows.size(); ++known) keys.insert(key_of(rows[known]));
}

template <class Row>
void add_once(Row& row, std::vector<Row>& rows, std::unordered_set<std::string>& keys, std::size_t& known) {
  catch_up(rows, keys, known);
  if (!keys.insert(key_of(row)).second) return;
  rows.push_back(std::move(row));
  ++known;
}

template <class Row>
void add_all(std::vector<Row>& from, std::vector<Row>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::string how_and_why(const CeilingRow& row) { return row.reason.empty() ? row.method : row.method + ": " + row.reason; }

void append(Results& results, Finished finished) {
  auto& seen = results.seen;
  if (!finished.case_row.kernel.empty()) add_once(finished.case_row, results.cases, seen.cases, seen.case_rows);
  results.outcomes.push_back(std::move(finished.outcome));
  add_all(finished.times, results.times);
  add_all(finished.counts, results.counts);
  for (auto& row : finished.model) add_once(row, results.model, seen.model, seen.model_rows);
  add_all(finished.ceilings, results.ceilings);
  add_all(finished.remeasured, results.remeasured);
}

std::string phase_id(const std::string& case_id, const std::string& phase) {
  return phase.empty() ? case_id : case_id + before_phase + phase;
}

std::string phase_of(const std::string& id) {
  const auto at = id.rfind(before_phase);
  if (at == std::string::npos) return {};
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '@'; };
  return std::all_of(id.begin() + static_cast<std::ptrdiff_t>(at) + 1, id.end(), is_of_name) ? id.substr(at + 1) : std::string();
}

std::string case_of(const std::string& id) {
  const std::string phase = phase_of(id);
  return phase.empty() ? id : id.substr(0, id.size() - phase.size() - 1);
}

void leave_out_phases(Results& results) {
  const auto leave_out = [](auto& rows) { std::erase_if(rows, [](const auto& row) { return !row.phase.empty(); }); };
  leave_out(results.times);
  leave_out(results.counts);
  leave_out(results.model);
  results.seen = {};
}

void make_phases_cases(Results& results) {
  std::map<std::string, std::vector<std::string>> phases;  // of each case, in the order of the model
  const auto move_phase = [&](auto& rows) {
    for (auto& row : rows) {
      if (row.phase.empty()) continue;
      auto& known = phases[row.case_id];
      if (std::find(known.begin(), known.end(), row.phase) == known.end()) known.push_back(row.phase);
      row.case_id = phase_id(row.case_id, row.phase);
      row.phase.clear();
    }
  };
  move_phase(results.model);
  move_phase(results.times);
  move_phase(results.counts);
  if (phases.empty()) return;
  std::set<std::string> of_host;
  for (const auto& row : results.model)
    if (row.quantity == host_entries && row.lo > 0) of_host.insert(row.case_id);
  std::vector<CaseRow> cases;
  for (auto& row : results.cases) {
    cases.push_back(row);
    for (const auto& phase : phases[row.id]) {
      CaseRow& of_phase = cases.emplace_back(row);
      of_phase.id = phase_id(row.id, phase);
      of_phase.work = phase_id(row.work, phase);
      if (of_host.contains(of_phase.id)) of_phase.gpus = 0;
    }
  }
  results.cases = std::move(cases);
  std::vector<OutcomeRow> outcomes;
  for (const auto& row : results.outcomes)
    for (const auto& phase : phases[row.case_id]) outcomes.emplace_back(row).case_id = phase_id(row.case_id, phase);
  add_all(outcomes, results.outcomes);
  results.seen = {};
}

}  // namespace plumbline
