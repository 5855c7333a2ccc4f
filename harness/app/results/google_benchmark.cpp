#include "app/results/google_benchmark.hpp"

#include <cmath>
#include <map>
#include <set>

#include "app/terminal/table.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

Json context_of(const Results& results) {
  const Json provenance = Json::parse(results.provenance, nullptr, false);
  Json context{
      {"date", nullptr}, {"host_name", nullptr}, {"executable", "plumbline"}, {"num_cpus", nullptr}, {"library_build_type", "release"}};
  if (provenance.is_object()) {
    context["date"] = provenance.value("time_utc", "");
    context["host_name"] = provenance.value("host", "");
  }
  for (const auto& row : results.machines)
    if (const Json machine = Json::parse(row.json, nullptr, false); machine.is_object()) context["num_cpus"] = machine.value("pus", 0);
  return context;
}

}  // namespace

std::string google_benchmark_json(const Results& results) {
  std::set<std::string> nodes;
  std::map<std::pair<std::string, std::string>, std::size_t> repetitions;
  const auto counts = [](const TimeRow& row) { return row.rank == -1 && std::isfinite(row.seconds); };
  for (const auto& row : results.times)
    if (counts(row)) {
      nodes.insert(row.node);
      ++repetitions[{row.case_id, row.node}];
    }
  std::map<std::string, std::int64_t> threads;
  for (const auto& row : results.cases) threads[row.id] = row.ranks * row.threads;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  Json benchmarks = Json::array();
  for (const auto& row : results.times) {
    if (!counts(row)) continue;
    const std::string name = row.case_id + (nodes.size() > 1 ? "@" + row.node : "");
    benchmarks.push_back({{"name", name},
                          {"run_name", name},
                          {"run_type", "iteration"},
                          {"repetitions", repetitions[{row.case_id, row.node}]},
                          {"repetition_index", index[{row.case_id, row.node}]++},
                          {"threads", threads[row.case_id]},
                          {"iterations", 1},
                          {"real_time", 1e9 * row.seconds},
                          {"cpu_time", 1e9 * row.seconds},
                          {"time_unit", "ns"}});
  }
  if (benchmarks.empty())
    throw user_error("no case that was chosen has a time: --google-benchmark would write an empty list, which its compare.py cannot read");
  return Json{{"context", context_of(results)}, {"benchmarks", benchmarks}}.dump(1) + "\n";
}

}  // namespace plumbline::app
