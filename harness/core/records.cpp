#include "core/records.hpp"

#include <iterator>
#include <utility>

namespace plumbline {
namespace {

std::string key_of(const CaseRow& row) { return row.id; }
std::string key_of(const ModelRow& row) { return row.case_id + '\x1f' + row.quantity; }

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

}  // namespace plumbline
