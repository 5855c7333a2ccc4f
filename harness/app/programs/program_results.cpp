#include "app/programs/program_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/results/case_names.hpp"
#include "core/host_name.hpp"
#include "core/json_text.hpp"
#include "profile/profile.hpp"

namespace plumbline::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* session = "profile";

/// The precision of most FLOPs; "-" where there are none.
std::string main_precision(const EventSums& sums) {
  std::string most = "-";
  double most_flops = 0;
  for (const auto& precision : precisions(sums))
    if (const double done = flops(sums, precision).value_or(0); done > most_flops) most = precision, most_flops = done;
  return most;
}

/// A part of a program, or all of it.
struct Part {
  Json parameters;
  int cores = 1;  // of all nodes
  double seconds = absent;
  std::string why_no_time;
  const EventSums* counts = nullptr;
  std::string why_no_counts;
};

class ResultsOfProgram {
 public:
  ResultsOfProgram(const ProfiledProgram& program, Results roofs) : program_(program), results_(std::move(roofs)) {
    node_ = results_.machines.empty() ? host_name() : results_.machines.front().node;
    results_.cases.clear(), results_.outcomes.clear(), results_.times.clear(), results_.counts.clear(), results_.model.clear();
  }

  void add(Part part) {
    if (program_.work_scale != 1) part.parameters["work"] = fmt::format("x{:g}", program_.work_scale);
    if (!program_.minus.empty()) part.parameters["minus"] = program_.minus;
    const CaseRow row = case_of(part);
    results_.cases.push_back(row);
    add_time(row, part);
    add_counts(row, part);
  }
  Results take() { return std::move(results_); }

 private:
  /// The case is that of one node, the mean.
  CaseRow case_of(const Part& part) const {
    const int cores = std::max(1, part.cores / program_.nodes);
    CaseRow row{.id = {},
                .work = {},
                .kernel = std::string(program_suite) + CaseNames({program_.name}).of(program_.name),
                .precision = part.counts == nullptr ? "-" : main_precision(*part.counts),
                .flavor = "native",
                .threads = cores,
                .params = json_text(part.parameters),
                .row = static_cast<std::int64_t>(results_.cases.size())};
    row.work = row.kernel + "/" + row.precision;
    for (const auto& [key, value] : part.parameters.items()) row.work += fmt::format("/{}={}", key, value.get<std::string>());
    row.id = fmt::format("{}/r1t{}/{}", row.work, cores, row.flavor);
    return row;
  }

  OutcomeRow outcome(const CaseRow& row, const char* pass, const std::string& why_not) const {
    return {.case_id = row.id,
            .pass = pass,
            .status = why_not.empty() ? Status::ok : Status::unavailable,
            .reason = why_not,
            .node = node_,
            .placement = R"({"ranks":[]})",
            .session = session};
  }

  void add_time(const CaseRow& row, const Part& part) {
    results_.outcomes.push_back(outcome(row, "time", part.why_no_time));
    if (part.why_no_time.empty())
      results_.times.push_back({.case_id = row.id,
                                .node = node_,
                                .session = session,
                                .rank = -1,
                                .seconds = part.seconds,
                                .clock_hz = program_.clock_hz,
                                .sweeps = 1});
  }

  void add_counts(const CaseRow& row, const Part& part) {
    results_.outcomes.push_back(outcome(row, "count", part.counts == nullptr ? part.why_no_counts : ""));
    if (part.counts == nullptr) return;
    for (const auto& [event, sum] : *part.counts)
      results_.counts.push_back({.case_id = row.id,
                                 .node = node_,
                                 .session = session,
                                 .event = event,
                                 .backend = "emulated",
                                 .raw = sum.value_or(0),
                                 .net = sum ? static_cast<double>(*sum) / program_.nodes : absent,
                                 .status = sum ? Status::ok : Status::unavailable});
  }

  const ProfiledProgram& program_;
  Results results_;
  std::string node_;
};

/// Names functions, in their order: the file's name tells apart what else shares a name, and a number what then still does, by its place in
/// the file.
std::vector<Json> parameters_of(const TimedProfile& profile) {
  std::map<std::string, std::map<std::uint64_t, std::size_t>> places;
  const auto file_of = [](const TimedFunction& function) { return std::filesystem::path(function.object).filename().string(); };
  for (std::size_t i = 0; i < profile.functions.size(); ++i)
    places[fmt::format("{}\n{}", profile.functions[i].name, file_of(profile.functions[i]))].try_emplace(profile.functions[i].begin, i);
  std::vector<std::string> names(profile.functions.size());
  for (const auto& [name, functions] : places) {
    std::size_t number = 0;
    for (const auto& [begin, i] : functions) names[i] = ++number == 1 ? name : fmt::format("{} {}", name, number);
  }
  const CaseNames short_names(names);
  std::vector<Json> parameters;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string file = file_of(profile.functions[i]);
    parameters.push_back({{"part", short_names.of(names[i])}, {"in", CaseNames({file}).of(file)}});
  }
  return parameters;
}

Part part_of(const ProfiledProgram& program, const TimedCode& code, const Json& parameters) {
  return {parameters,
          code.cores(),
          code.seconds,
          code.sum.samples > 0 ? "" : "no sample met it: it takes less time than sampling can tell",
          code.counts ? &*code.counts : nullptr,
          why_no_counts(program)};
}

void add_regions(const ProfiledProgram& program, ResultsOfProgram& results) {
  std::vector<std::string> names;
  for (const TimedRegion& region : program.regions) names.push_back(region.name);
  const CaseNames short_names(names);
  for (const TimedRegion& region : program.regions)
    results.add({{{"region", short_names.of(region.name)}},
                 region.cores(),
                 region.seconds,
                 region.why_no_time,
                 region.counts ? &*region.counts : nullptr,
                 region.why_no_counts});
}

}  // namespace

std::string why_no_counts(const ProfiledProgram& program) {
  if (!program.why_not_joined.empty()) return program.why_not_joined;
  return "the counted run did not execute it: it chose other code there, or went another way";
}

bool is_worth_a_row(const TimedCode& code, const EventSums& total) {
  constexpr double least_part = 1e-3;
  if (code.sum.samples > 0) return true;
  if (!code.counts) return false;
  const auto is_much = [&](auto amount) { return amount(*code.counts).value_or(0) > least_part * amount(total).value_or(0); };
  return is_much([](const EventSums& sums) { return flops(sums); }) || is_much([](const EventSums& sums) { return bytes(sums, "reg-L1"); });
}

Results program_results(const ProfiledProgram& program, Results roofs) {
  ResultsOfProgram results(program, std::move(roofs));
  const TimedProfile& profile = program.profile;
  const EventSums* const total = program.why_not_joined.empty() ? &program.total : nullptr;
  results.add({{{"part", "whole"}}, profile.whole.cores(), program.seconds(), "", total, program.why_not_joined});
  const std::vector<Json> parameters = parameters_of(profile);
  for (std::size_t i = 0; i < parameters.size(); ++i) results.add(part_of(program, profile.functions[i], parameters[i]));
  add_regions(program, results);
  return results.take();
}

Results loop_results(const ProfiledProgram& program, Results roofs) {
  ResultsOfProgram results(program, std::move(roofs));
  const std::vector<Json> parameters = parameters_of(program.profile);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const TimedLoop& loop : program.profile.functions[i].loops) {
      Json of_loop = parameters[i];
      of_loop["loop"] = loop.line;
      results.add(part_of(program, loop, of_loop));
    }
  return results.take();
}

}  // namespace plumbline::app
