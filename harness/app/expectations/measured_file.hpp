// A result file as expectations see it: cases and ceilings as rows, with the numbers that show, score and ceilings print, and for each
// number who counted it and how far that counter is trusted.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/expectations/expectation_file.hpp"
#include "core/counter_set.hpp"
#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/roofline.hpp"
#include "model/scoring/score.hpp"

namespace plumbline::app {

/// A case (or a phase of one) or a ceiling, on one node.
struct MeasuredRow {
  std::string name = {}, kernel = {}, phase = {}, precision = {}, flavor = {}, team = {}, node = {};
  std::string machine = {};  // name of the CPU or GPU; empty where the file does not say
  bool of_gpu = false;
  std::map<std::string, std::string> params = {};
  const Measured* measured = nullptr;            // of a case
  const RooflinePlacement* placement = nullptr;  // of a case
  const ProfileRow* profile = nullptr;           // of a case that is a profiled program, or a function of it
  bool by_set = false;                           // a chosen set's counters counted it
  const Ceiling* ceiling = nullptr;              // of a ceiling
  bool was_disturbed = false;                    // each sample of the ceiling
};

/// A number with the interval that its counters leave open, or why there is none, and who told it: "emulated.flops.fp64 (A)".
struct Told {
  double lo = absent, value = absent, hi = absent;
  std::string why_not = {};
  std::vector<std::string> by = {};
};

/// The grades of counters by node: 'A' to 'D', or '-'.
using Grades = std::map<std::pair<std::string, std::string>, char>;

class MeasuredFile {
 public:
  /// Loads a file. Throws Error (user) as load_cases does.
  explicit MeasuredFile(const std::string& path);
  MeasuredFile(const MeasuredFile&) = delete;
  MeasuredFile& operator=(const MeasuredFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<MeasuredRow>& rows() const { return rows_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The grades of counters: by this file's own cases, or taken from others.
  const Grades& grades() const { return grades_; }
  /// Takes the grades of others where this file's cases decide on nothing.
  void take_undecided(const Grades& others);

  /// A number of a row. One whose counter is not trusted is none, but for `counted`, which is of the counter itself.
  Told told(const MeasuredRow& row, const Formula& quantity) const;

 private:
  void add_cases();
  void add_ceilings();
  char grade_of(const std::string& node, const std::string& counter) const;
  void hold(const MeasuredRow& row, const std::string& counter, char grade, Told& told) const;
  void hold_flops(const MeasuredRow& row, Told& told) const;
  void hold_bytes(const MeasuredRow& row, const std::string& level, Told& told) const;
  Told timed(const MeasuredRow& row, double value, const std::string& why_not) const;
  Told of_bound(const MeasuredRow& row, double value) const;
  Told of_case(const MeasuredRow& row, const Formula& quantity) const;
  Told of_level(const MeasuredRow& row, bool is_intensity, const std::string& level) const;
  Told counted(const MeasuredRow& row, const std::string& counter) const;

  std::string path_;
  Results results_;
  Measurements measurements_;
  std::vector<Ceiling> ceilings_;
  std::optional<CounterSet> set_;
  std::vector<RooflinePlacement> placements_;
  Accuracy accuracy_;
  Grades grades_, own_grades_;
  std::map<std::string, std::string> cpus_;  // by node
  std::vector<MeasuredRow> rows_;
  std::vector<std::string> notes_;
};

/// Whether a row is one of those that are selected; each value of its parameters is one of the selection's.
bool is_selected(const MeasuredRow& row, const RowSelection& selection);

}  // namespace plumbline::app
