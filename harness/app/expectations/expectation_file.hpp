// Expectations are what a paper says that one should see, as data: which rows, which number of them, and between what it is expected.
// Those of some papers come with plumbline (jobs/expectations); users write their own (jobs/expectations/README.md).
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/expectations/formula.hpp"
#include "core/records.hpp"
#include "core/text/written_keys.hpp"

namespace plumbline::app {

/// The kind of machine that an expectation is of.
enum class ExpectedSpace { any, cpu, gpu };
std::string_view to_string(ExpectedSpace space);

/// Rows by what they are: cases of a kernel, or ceilings.
struct RowSelection {
  std::string ceiling = {};                                            // glob over names of ceilings; empty: cases
  std::string kernel = {};                                             // name
  std::string phase = {};                                              // of an application; empty: the whole
  std::vector<std::string> precisions = {}, flavors = {}, teams = {};  // globs; empty: all
  std::map<std::string, std::vector<std::string>> params = {};         // parameter: its values, each of which is needed
};

/// A difference whose reason is known: what is measured then.
struct KnownDifference {
  double least = absent, most = absent;
  std::string reason = {};
};

struct PaperExpectation {
  std::string id = {}, statement = {};
  std::string paper = {}, where = {};  // "Yang, Kurth, Williams 2019", "figure 2"
  std::string sizes = {};              // those that it is stated for, in words; empty: it does not hang on sizes
  ExpectedSpace space = ExpectedSpace::any;
  std::vector<std::string> machines = {};   // globs over the names of CPUs or GPUs that it is of; empty: all
  std::vector<std::string> campaigns = {};  // that measure its rows
  std::map<std::string, RowSelection> rows = {};
  std::vector<std::string> by = {};      // parameters: each value is judged by itself
  std::vector<std::string> across = {};  // precision, flavor, team: compared with each other, else each is judged by itself
  std::string quantity = {};             // the formula as written
  Formula formula = {};
  double least = absent, most = absent;  // absent: no bound on that side
  std::vector<KnownDifference> known = {};
  std::string file = {};  // that it was read from
};

/// Reads a file of expectations. Throws Error (user) with line and column where it is malformed.
std::vector<PaperExpectation> read_expectations(const std::string& path);
std::vector<PaperExpectation> parse_expectations(const std::string& text, const std::string& path);

/// The files in find_shared("jobs/expectations"), sorted; empty where none are installed.
std::vector<std::filesystem::path> shared_expectations();

/// The keys of such a file.
WrittenFile expectations_file();

}  // namespace plumbline::app
