#include "app/expectations/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "app/results/case_names.hpp"
#include "campaign/expand.hpp"
#include "campaign/suggest.hpp"
#include "core/enumerators.hpp"
#include "core/kernel.hpp"

namespace plumbline::app {
namespace {

using RowSets = std::map<std::string, std::vector<const MeasuredRow*>>;

bool is_among(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The key that rows of a comparison share. A ceiling has neither flavor nor parameters, and the parts of a profiled program belong
/// together whatever their precision and team.
std::string key_of(const MeasuredRow& row, const PaperExpectation& expectation) {
  std::string key = row.node + (row.of_gpu ? " gpu" : " cpu");
  if (row.profile != nullptr) return key + " " + row.kernel;
  if (!is_among(expectation.across, "team")) key += " " + row.team;
  if (!is_among(expectation.across, "precision")) key += " " + row.precision;
  if (!is_among(expectation.across, "flavor")) key += " " + row.flavor;
  for (const auto& parameter : expectation.by)
    if (const auto found = row.params.find(parameter); found != row.params.end()) key += fmt::format(" {}={}", parameter, found->second);
  return key;
}

bool is_of_space(const MeasuredRow& row, ExpectedSpace space) {
  return space == ExpectedSpace::any || row.of_gpu == (space == ExpectedSpace::gpu);
}

bool is_of_machine(const MeasuredRow& row, const PaperExpectation& expectation) {
  return expectation.machines.empty() || std::any_of(expectation.machines.begin(), expectation.machines.end(),
                                                     [&](const auto& glob) { return matches(glob, row.machine); });
}

std::string selection_text(const RowSelection& selection) {
  if (!selection.ceiling.empty()) return fmt::format("ceiling '{}'", selection.ceiling);
  std::string text = selection.kernel + (selection.phase.empty() ? "" : "#" + selection.phase);
  if (!selection.precisions.empty()) text += fmt::format(" {}", fmt::join(selection.precisions, " or "));
  for (const auto& [parameter, values] : selection.params) text += fmt::format(" {}={}", parameter, fmt::join(values, ","));
  if (!selection.flavors.empty()) text += fmt::format(" {}", fmt::join(selection.flavors, " or "));
  if (!selection.teams.empty()) text += fmt::format(" {}", fmt::join(selection.teams, " or "));
  return text;
}

/// Says why there are no rows of a selection, and what makes some.
std::string why_no_rows(const RowSelection& selection, const PaperExpectation& expectation) {
  if (selection.kernel.starts_with(program_suite))
    return fmt::format("no rows of {}; 'plumbline profile -o FILE.h5 -- {}' measures them", selection_text(selection),
                       selection.kernel.substr(program_suite.size()));
  const bool of_gpu = expectation.space == ExpectedSpace::gpu;
  const std::string where = of_gpu ? " on a GPU" : "";
  if (selection.ceiling.empty() && find_kernel(selection.kernel, of_gpu ? Space::cuda : Space::cpu) == nullptr) {
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels())
      if (names.empty() || names.back() != kernel.name) names.push_back(kernel.name);
    if (find_kernel(selection.kernel) != nullptr) return fmt::format("{} has no version for GPUs in this program", selection.kernel);
    return fmt::format("this program has no kernel {}{}", in_quotes(selection.kernel), suggestion(selection.kernel, names));
  }
  return fmt::format("no rows of {}{}; 'plumbline run {}' measures them", selection_text(selection), where,
                     fmt::join(expectation.campaigns, "' or 'plumbline run "));
}

/// The rows by comparison, each of which has rows of every name; or why there is none.
struct Comparisons {
  std::map<std::string, RowSets> all = {};
  std::string why_none = {};
};

Comparisons comparisons_in(const MeasuredFile& file, const PaperExpectation& expectation) {
  Comparisons found;
  for (const auto& [name, selection] : expectation.rows) {
    std::size_t selected = 0, here = 0;
    std::string machine;
    for (const auto& row : file.rows()) {
      if (!is_selected(row, selection) || !is_of_space(row, expectation.space)) continue;
      ++selected;
      machine = row.machine;
      if (!is_of_machine(row, expectation)) continue;
      ++here;
      found.all[key_of(row, expectation)][name].push_back(&row);
    }
    if (here > 0) continue;
    if (selected > 0)
      return {{},
              fmt::format("it is of {}, not of {}", fmt::join(expectation.machines, " or "),
                          machine.empty() ? "a machine without name" : machine)};
    return {{}, why_no_rows(selection, expectation)};
  }
  std::erase_if(found.all, [&](const auto& one) { return one.second.size() < expectation.rows.size(); });
  if (found.all.empty()) found.why_none = "no rows of it belong together (node, team, precision, flavor, parameters)";
  return found;
}

/// The value that a selection needs of a parameter, and the rows lack; empty where they have all.
std::string missing_value(const std::vector<const MeasuredRow*>& rows, const RowSelection& selection, const std::vector<std::string>& by) {
  for (const auto& [parameter, values] : selection.params)
    for (const auto& value : values)
      if (!is_among(by, parameter) &&
          std::none_of(rows.begin(), rows.end(), [&, name = parameter](const auto* row) { return row->params.at(name) == value; }))
        return fmt::format("{}={}", parameter, value);
  return {};
}

using End = double Told::*;
constexpr std::array<End, 3> ends{&Told::lo, &Told::value, &Told::hi};
using EndsByRows = std::map<std::string, End>;

/// The ends that rows of each name are taken at together: one counter errs alike in all of them, the samples of functions do not.
std::vector<EndsByRows> ends_together(const RowSets& sets) {
  constexpr std::size_t most_names = 6;
  const bool of_samples = std::ranges::any_of(sets, [](const auto& set) { return set.second.front()->profile != nullptr; });
  if (of_samples && sets.size() > most_names) throw NoValue("the intervals of so many rows are not combined");
  std::vector<EndsByRows> all(of_samples ? 1 : ends.size());
  for (const auto& [name, rows] : sets) {
    std::vector<EndsByRows> more;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t end = 0; end < ends.size(); ++end)
        if (of_samples || end == i) more.emplace_back(all[i])[name] = ends[end];
    all = std::move(more);
  }
  return all;
}

/// The values of a comparison: by the counters' numbers, and by the ends of what they leave open. Throws NoValue.
std::vector<Numbers> values_of(const MeasuredFile& file, const PaperExpectation& expectation, const RowSets& sets,
                               std::set<std::string>& by) {
  for (const auto& [name, rows] : sets)
    if (const auto missing = missing_value(rows, expectation.rows.at(name), expectation.by); !missing.empty())
      throw NoValue(fmt::format("there is no row of {} for {}", missing, rows.front()->kernel));
  std::vector<Numbers> values;
  for (const auto& at : ends_together(sets)) {
    values.push_back(evaluate(expectation.formula, [&](const Formula& quantity) {
      Numbers numbers;
      for (const auto* row : sets.at(quantity.rows)) {
        const Told told = file.told(*row, quantity);
        by.insert(told.by.begin(), told.by.end());
        if (!told.why_not.empty()) throw NoValue(fmt::format("{} ({})", told.why_not, row->name));
        numbers.push_back(told.*at.at(quantity.rows));
      }
      return numbers;
    }));
    for (const double value : values.back())
      if (!std::isfinite(value)) throw NoValue("the quantity is no finite number here");
  }
  return values;
}

bool lies_between(double value, double least, double most) { return !(value < least) && !(value > most); }

/// The distance of a value beyond a bound; below 0 within both, where the nearer bound counts.
double beyond(double value, const PaperExpectation& expectation) {
  double far = -HUGE_VAL;
  if (std::isfinite(expectation.least)) far = std::max(far, expectation.least - value);
  if (std::isfinite(expectation.most)) far = std::max(far, value - expectation.most);
  return far;
}

/// Adds the values of one comparison. Throws NoValue where their interval lies across a bound.
void add_values(const std::vector<Numbers>& values, const PaperExpectation& expectation, JudgedExpectation& judged) {
  const auto is_in = [&](double value) { return lies_between(value, expectation.least, expectation.most); };
  bool differs = false;
  for (std::size_t i = 0; i < values.front().size(); ++i) {
    for (const Numbers& at : values)
      if (is_in(at[i]) != is_in(values.front()[i]))
        throw NoValue("what its counters or samples leave open decides: the interval lies across a bound");
    differs = differs || !is_in(values.front()[i]);
  }
  judged.comparisons += 1;
  if (differs) judged.verdict = ExpectationVerdict::differs;
  if (judged.verdict == ExpectationVerdict::not_measurable) judged.verdict = ExpectationVerdict::confirmed;
  for (const Numbers& at : values)
    for (const double value : at) {
      if (!std::isfinite(judged.measured) || beyond(value, expectation) > beyond(judged.measured, expectation)) judged.measured = value;
      judged.measured_lo = std::fmin(judged.measured_lo, value);
      judged.measured_hi = std::fmax(judged.measured_hi, value);
    }
}

/// Takes the reason of a difference, where one is known for all values that lie outside.
void explain(const PaperExpectation& expectation, JudgedExpectation& judged) {
  for (const auto& known : expectation.known) {
    const auto is_known = [&](double value) {
      return lies_between(value, expectation.least, expectation.most) || lies_between(value, known.least, known.most);
    };
    if (!is_known(judged.measured_lo) || !is_known(judged.measured_hi)) continue;
    judged.reason = known.reason;
    judged.is_explained = true;
    return;
  }
}

JudgedExpectation judge_by(const MeasuredFile& file, const PaperExpectation& expectation) {
  JudgedExpectation judged{.of = &expectation, .file = file.path()};
  const Comparisons found = comparisons_in(file, expectation);
  judged.reason = found.why_none;
  for (const auto& [key, sets] : found.all) try {
      std::set<std::string> by;
      add_values(values_of(file, expectation, sets, by), expectation, judged);
      judged.by.merge(by);
    } catch (const NoValue& why) {
      ++judged.left_out;
      if (judged.reason.empty()) judged.reason = why.what();
    }
  if (judged.verdict != ExpectationVerdict::not_measurable) judged.reason.clear();
  if (judged.verdict == ExpectationVerdict::differs) explain(expectation, judged);
  return judged;
}

/// Whether the first says more than the second: a difference, then a confirmation, then rows that there are.
bool says_more(const JudgedExpectation& one, const JudgedExpectation& other) {
  const auto rank = [](const JudgedExpectation& judged) {
    if (judged.verdict == ExpectationVerdict::differs) return 3;
    if (judged.verdict == ExpectationVerdict::confirmed) return 2;
    return judged.left_out > 0 ? 1 : 0;
  };
  return rank(one) > rank(other);
}

}  // namespace

std::string_view to_string(ExpectationVerdict verdict) { return enumerator_name(verdict); }

MeasuredFiles load_measured(const std::vector<std::string>& paths) {
  MeasuredFiles files;
  Grades all;
  for (const auto& path : paths) {
    files.push_back(std::make_unique<MeasuredFile>(path));
    for (const auto& [key, grade] : files.back()->grades())
      if (grade != '-' && (!all.contains(key) || all[key] < grade)) all[key] = grade;  // the worst of those that decide
  }
  for (auto& file : files) file->take_undecided(all);
  return files;
}

JudgedExpectation judge(const PaperExpectation& expectation, const MeasuredFiles& files) {
  JudgedExpectation judged{.of = &expectation, .reason = why_no_rows(expectation.rows.begin()->second, expectation)};
  bool is_first = true;
  for (const auto& file : files) {
    JudgedExpectation by_file = judge_by(*file, expectation);
    if (is_first || says_more(by_file, judged)) judged = std::move(by_file);
    is_first = false;
  }
  return judged;
}

}  // namespace plumbline::app
