#include "app/expectations/expectation_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/here/paths.hpp"
#include "app/results/case_names.hpp"
#include "campaign/suggest.hpp"
#include "campaign/written.hpp"
#include "core/enumerators.hpp"
#include "core/kernel.hpp"

namespace plumbline::app {
namespace {

using namespace key_schema;

constexpr const char* expectations_schema = "plumbline-expectations/1";

const WrittenKeys file_keys{
    "expectations",
    {{"schema", R"({"const":"plumbline-expectations/1"})", "what the file is", true},
     {"paper", word, "that says it: authors and year; each [[expectation]] may name another"},
     {"expectation", R"({"type":"array","items":{"$ref":"#/$defs/expectation"},"minItems":1})", "what is expected", true}}};

const WrittenKeys expectation_keys{
    "expectation",
    {{"id", R"({"type":"string","pattern":"^[A-Za-z0-9_.+-]+$"})", "its name, of letters, digits, - _ . and +", true},
     {"statement", word, "what the paper says, in a sentence", true},
     {"paper", word, "that says it; preset: the file's"},
     {"where", word, "figure, table, equation or section", true},
     {"sizes", word, "that it is stated for, in words"},
     {"space", R"({"enum":["any","cpu","gpu"]})", "what it is stated for; preset: any"},
     {"machines", key_schema::words, "globs over the names of CPUs or GPUs that it is of; preset: all"},
     {"campaigns", key_schema::words, "that measure its rows; of profiled programs there is none"},
     {"rows", R"({"type":"object","additionalProperties":{"$ref":"#/$defs/rows"},"minProperties":1})",
      "names of rows, each with which they are", true},
     {"by", key_schema::words, "parameters: each value is judged by itself"},
     {"across", R"({"type":"array","items":{"enum":["precision","flavor","team"]}})",
      "what is compared with each other; preset: each precision, flavor and team is judged by itself"},
     {"quantity", word, "a formula over the rows", true},
     {"least", key_schema::number, "the least that is expected"},
     {"most", key_schema::number, "the most that is expected"},
     {"about", key_schema::number, "what is expected, give or take `within`"},
     {"within", positive, "part of `about` by which it may differ"},
     {"known", R"({"type":"array","items":{"$ref":"#/$defs/known"}})", "differences whose reason is known"}}};

const WrittenKeys rows_keys{"rows",
                            {{"ceiling", word, "a glob over names of ceilings, instead of a kernel"},
                             {"kernel", word, "name of a kernel"},
                             {"phase", word, "of an application; preset: the whole"},
                             {"precision", key_schema::words, "globs; preset: all"},
                             {"flavor", key_schema::words, "globs; preset: all"},
                             {"team", key_schema::words, "globs, as r1t1 or g1; preset: all"},
                             {"params", R"({"type":"object"})", "parameters with a value, or a list of values each of which is needed"}}};

const WrittenKeys known_keys{"known",
                             {{"least", key_schema::number, "the least that is measured then"},
                              {"most", key_schema::number, "the most that is measured then"},
                              {"reason", word, "why", true}}};

std::vector<std::string> plain_words(const std::vector<Written<std::string>>& written) {
  std::vector<std::string> all;
  for (const auto& one : written) all.push_back(one.value);
  return all;
}

std::string needed_word(const WrittenTable& table, const char* key) {
  const auto found = table.word(key);
  if (!found) table.fail(table.at(), fmt::format("'{}' is missing in {}", key, table.title()));
  if (found->value.empty()) table.fail(found->at, fmt::format("'{}' in {} is empty", key, table.title()));
  return found->value;
}

std::string optional_word(const WrittenTable& table, const char* key, std::string preset = {}) {
  const auto found = table.word(key);
  return found ? found->value : std::move(preset);
}

/// A parameter's value as it stands in the ids of cases.
std::string value_text(const WrittenTable& table, const std::string& parameter, const toml::node& node) {
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* text = node.as_string()) return text->get();
  table.fail_type(parameter, node, "an integer, a word, or a list of these");
}

void read_params(const WrittenTable& table, RowSelection& selection) {
  for (const auto& [key, node] : table.raw()) {
    const std::string parameter(key.str());
    auto& values = selection.params[parameter];
    if (const auto* list = node.as_array())
      for (const auto& element : *list) values.push_back(value_text(table, parameter, element));
    else
      values.push_back(value_text(table, parameter, node));
    if (values.empty()) table.fail(table.at(parameter), fmt::format("'{}' in {} is an empty list", parameter, table.title()));
  }
}

/// Holds parameters against the kernel's, where this program has it.
void require_parameters(const WrittenTable& table, const RowSelection& selection) {
  std::vector<std::string> parameters;
  for (const Kernel& kernel : kernels())
    if (kernel.name == selection.kernel)
      for (const auto& parameter : kernel.parameters) parameters.push_back(parameter.name);
  if (parameters.empty()) return;
  for (const auto& [parameter, values] : selection.params)
    if (std::find(parameters.begin(), parameters.end(), parameter) == parameters.end())
      table.fail(table.at("params"),
                 fmt::format("{} has no parameter {}{}", selection.kernel, in_quotes(parameter), suggestion(parameter, parameters)));
}

RowSelection read_rows(const WrittenTable& table) {
  table.allow_only(rows_keys.names());
  RowSelection selection{.ceiling = optional_word(table, "ceiling"), .kernel = optional_word(table, "kernel")};
  if (selection.ceiling.empty() == selection.kernel.empty())
    table.fail(table.at(), fmt::format("{} needs 'kernel' or 'ceiling', one of them", table.title()));
  selection.phase = optional_word(table, "phase");
  selection.precisions = plain_words(table.words("precision"));
  selection.flavors = plain_words(table.words("flavor"));
  selection.teams = plain_words(table.words("team"));
  if (const auto params = table.table("params", table.title() + " params")) read_params(*params, selection);
  if (selection.ceiling.empty()) {
    require_parameters(table, selection);
    return selection;
  }
  for (const char* key : {"phase", "flavor", "params"})
    if (table.has(key)) table.fail(table.at(key), fmt::format("ceilings have no '{}'", key));
  return selection;
}

void read_all_rows(const WrittenTable& table, PaperExpectation& expectation) {
  const auto all = table.table("rows", "rows");
  if (!all || all->raw().empty()) table.fail(table.at("rows"), "'rows' is missing: it names the rows that the quantity is of");
  for (const auto& [key, node] : all->raw()) {
    const std::string name(key.str());
    expectation.rows[name] = read_rows(*all->table(name, "rows." + name));
  }
}

void read_formula(const WrittenTable& table, PaperExpectation& expectation) {
  std::vector<std::string> names;
  for (const auto& [name, selection] : expectation.rows) names.push_back(name);
  expectation.quantity = needed_word(table, "quantity");
  try {
    expectation.formula = parse_formula(expectation.quantity, names);
  } catch (const FormulaFault& fault) {
    table.fail(table.at("quantity"),
               fmt::format("'quantity' of {}, character {}: {}", in_quotes(expectation.id), fault.column, fault.message));
  }
  std::set<std::string> used;
  each_quantity(expectation.formula, [&](const Formula& quantity) {
    used.insert(quantity.rows);
    if ((quantity.word == "best") == expectation.rows.at(quantity.rows).ceiling.empty())
      table.fail(table.at("quantity"),
                 fmt::format("'{}' is of {}, and {} is of {}", quantity.rows, quantity.word == "best" ? "cases" : "ceilings", quantity.word,
                             quantity.word == "best" ? "ceilings" : "cases"));
  });
  for (const auto& name : names)
    if (!used.contains(name)) table.fail(table.at("rows"), fmt::format("the quantity says nothing of the rows {}", in_quotes(name)));
}

/// A bound; absent where it is not written.
double bound_in(const WrittenTable& table, const char* key) {
  const auto found = table.number(key);
  return found ? found->value : absent;
}

void require_order(const WrittenTable& table, double least, double most) {
  if (std::isnan(least) && std::isnan(most)) table.fail(table.at(), fmt::format("{} needs 'least' or 'most'", table.title()));
  if (least > most) table.fail(table.at("least"), fmt::format("'least' is greater than 'most' in {}", table.title()));
}

void read_bounds(const WrittenTable& table, PaperExpectation& expectation) {
  const auto about = table.number("about"), within = table.positive("within");
  if (about.has_value() != within.has_value()) table.fail(table.at(), "'about' and 'within' belong together");
  if (about && (table.has("least") || table.has("most")))
    table.fail(about->at, "'about' stands beside 'least' or 'most': one of them is meant");
  expectation.least = about ? about->value - std::abs(about->value) * within->value : bound_in(table, "least");
  expectation.most = about ? about->value + std::abs(about->value) * within->value : bound_in(table, "most");
  if (!about) require_order(table, expectation.least, expectation.most);
  for (const auto& one : table.tables("known", "one for each reason")) {
    one.allow_only(known_keys.names());
    expectation.known.push_back({bound_in(one, "least"), bound_in(one, "most"), needed_word(one, "reason")});
    require_order(one, expectation.known.back().least, expectation.known.back().most);
  }
}

/// Parameters that each value of is judged by itself: each must be one of some kernel that is selected.
void read_by(const WrittenTable& table, PaperExpectation& expectation) {
  for (const auto& parameter : table.words("by")) {
    std::vector<std::string> there;
    for (const auto& [name, selection] : expectation.rows)
      if (const Kernel* kernel = find_kernel(selection.kernel))
        for (const auto& one : kernel->parameters) there.emplace_back(one.name);
    if (!there.empty() && std::find(there.begin(), there.end(), parameter.value) == there.end())
      table.fail(parameter.at, fmt::format("'by' names no parameter of these kernels: {}{}", in_quotes(parameter.value),
                                           suggestion(parameter.value, there)));
    expectation.by.push_back(parameter.value);
  }
}

/// Whether all rows are of profiled programs, which no campaign measures.
bool is_of_programs(const PaperExpectation& expectation) {
  return std::ranges::all_of(expectation.rows, [](const auto& rows) { return rows.second.kernel.starts_with(program_suite); });
}

PaperExpectation read_expectation(const WrittenTable& table, const std::string& paper) {
  table.allow_only(expectation_keys.names());
  PaperExpectation expectation{.id = needed_word(table, "id"), .statement = needed_word(table, "statement")};
  expectation.paper = optional_word(table, "paper", paper);
  if (expectation.paper.empty()) table.fail(table.at(), fmt::format("'paper' is missing in {} and in the file", table.title()));
  expectation.where = needed_word(table, "where");
  expectation.sizes = optional_word(table, "sizes");
  if (const auto space = table.choice("space", {"any", "cpu", "gpu"}))
    expectation.space = space->value == "cpu" ? ExpectedSpace::cpu : space->value == "gpu" ? ExpectedSpace::gpu : ExpectedSpace::any;
  expectation.machines = plain_words(table.words("machines"));
  expectation.campaigns = plain_words(table.words("campaigns"));
  read_all_rows(table, expectation);
  if (expectation.campaigns.empty() && !is_of_programs(expectation))
    table.fail(table.at(), fmt::format("'campaigns' is missing in {}", table.title()));
  read_formula(table, expectation);
  read_bounds(table, expectation);
  read_by(table, expectation);
  for (const auto& one : table.words("across")) {
    if (one.value != "precision" && one.value != "flavor" && one.value != "team")
      table.fail(one.at, fmt::format("'across' names {}{}", in_quotes(one.value), suggestion(one.value, {"precision", "flavor", "team"})));
    expectation.across.push_back(one.value);
  }
  expectation.file = table.path();
  return expectation;
}

}  // namespace

std::string_view to_string(ExpectedSpace space) { return enumerator_name(space); }

std::vector<PaperExpectation> parse_expectations(const std::string& text, const std::string& path) {
  const auto document = parse_toml(text, path);
  const WrittenTable top(document, path, "the file");
  const auto written = top.word("schema");
  if (!written || written->value != expectations_schema)
    top.fail(written ? written->at : Location{1, 1},
             fmt::format("a file of expectations begins with schema = \"{}\"", expectations_schema));
  top.allow_only(file_keys.names());
  const std::string paper = optional_word(top, "paper");
  std::vector<PaperExpectation> all;
  std::set<std::string> ids;
  for (const auto& table : top.tables("expectation", "one for each of them")) {
    all.push_back(read_expectation(table, paper));
    if (!ids.insert(all.back().id).second)
      table.fail(table.at("id"), fmt::format("there are two expectations {}", in_quotes(all.back().id)));
  }
  if (all.empty()) top.fail({1, 1}, "there is no [[expectation]]");
  return all;
}

std::vector<PaperExpectation> read_expectations(const std::string& path) {
  return parse_expectations(read_text(path, "expectations", "jobs/expectations/README.md says how to write some"), path);
}

std::vector<std::filesystem::path> shared_expectations() {
  std::set<std::filesystem::path> files;
  std::error_code failed;
  if (const auto folder = find_shared("jobs/expectations"); !folder.empty())
    for (const auto& file : std::filesystem::directory_iterator(folder, failed))
      if (file.path().extension() == ".toml") files.insert(file.path());
  return {files.begin(), files.end()};
}

WrittenFile expectations_file() {
  return {"What papers say that one should see, for plumbline expect", {file_keys, expectation_keys, rows_keys, known_keys}};
}

}  // namespace plumbline::app
