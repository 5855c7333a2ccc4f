// simulate [--nodes 10,100,...] [--cases N] [--repetitions N] [--scratch FOLDER] [--json FILE]: the cost curve of a run's own work over
// the number of nodes. Each machine is walked through by a process of its own. Exit 0; 1 where a result was wrong; 2 wrong use.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "stages.hpp"

namespace {

using nlohmann::ordered_json;
using namespace plumbline::scale;
namespace fs = std::filesystem;

struct Options {
  std::vector<int> nodes{10, 30, 100, 300, 1000, 3000, 10000};
  Size size;
  std::string scratch = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string(), json;
};

ordered_json json_of(const Walk& walk) {
  ordered_json stages = ordered_json::array();
  for (const auto& stage : walk.stages)
    stages.push_back({{"stage", stage.name},
                      {"who", stage.who},
                      {"seconds", stage.seconds},
                      {"cpu_seconds", stage.cpu_seconds},
                      {"peak_bytes", stage.peak_bytes ? ordered_json(*stage.peak_bytes) : ordered_json(nullptr)}});
  return {{"stages", stages}, {"store_bytes", walk.store_bytes}, {"rows_bytes", walk.rows_bytes}, {"wrong", walk.wrong}};
}

/// Walks through a machine in a child, so that no size inherits another's memory.
ordered_json walk_alone(const Size& size, const std::string& parent) {
  std::string folder = parent + "/plumbline_scale_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder under " + parent);
  const std::string answer = folder + "/answer.json";
  if (const pid_t child = fork(); child == 0) {
    int code = 1;
    try {
      std::ofstream(answer) << json_of(walk(size, folder)).dump();
      code = 0;
    } catch (const std::exception& error) {
      fmt::print(stderr, "simulate: {} nodes: {}\n", size.nodes, error.what());
    }
    std::_Exit(code);
  } else {
    int status = 0;
    waitpid(child, &status, 0);
  }
  std::ifstream file(answer);
  ordered_json told = file ? ordered_json::parse(file) : ordered_json{{"stages", ordered_json::array()}, {"wrong", "the walk did not end"}};
  fs::remove_all(folder);
  told["nodes"] = size.nodes;
  return told;
}

constexpr int least_nodes = 300;  // from here on what does not grow no longer counts

/// Slope of log CPU seconds over log nodes, by least squares.
double exponent(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [nodes, seconds] : points) {
    if (nodes < least_nodes || seconds <= 0) continue;
    const double u = std::log(nodes), v = std::log(seconds);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  return n < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

ordered_json exponents(const ordered_json& rows) {
  std::map<std::string, std::vector<std::pair<double, double>>> curves;
  for (const auto& row : rows)
    for (const auto& stage : row["stages"]) curves[stage["stage"]].emplace_back(row["nodes"], stage["cpu_seconds"]);
  ordered_json all;
  for (const auto& [stage, points] : curves) {
    const double slope = exponent(points);
    all[stage] = std::isfinite(slope) ? ordered_json(std::round(slope * 100) / 100) : ordered_json(nullptr);
  }
  return all;
}

void print_walk(const ordered_json& row) {
  fmt::print("{} nodes: result file {:.2f} MB, rows {:.1f} MB\n", row["nodes"].get<int>(), row.value("store_bytes", 0.0) * 1e-6,
             row.value("rows_bytes", 0.0) * 1e-6);
  for (const auto& stage : row["stages"])
    fmt::print("  {:34} {:12} {:10.6f} s  {:10.6f} s of CPU  {:>9}\n", stage["stage"].get<std::string>(), stage["who"].get<std::string>(),
               stage["seconds"].get<double>(), stage["cpu_seconds"].get<double>(),
               stage["peak_bytes"].is_null() ? std::string("-") : fmt::format("{:.1f} MB", stage["peak_bytes"].get<double>() * 1e-6));
  if (!row["wrong"].get<std::string>().empty()) fmt::print("  WRONG: {}\n", row["wrong"].get<std::string>());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("the cost of a run's own work over the number of nodes");
  app.add_option("--nodes", options.nodes, "machines to walk through")->delimiter(',')->check(CLI::Range(3, 1'000'000));
  app.add_option("--cases", options.size.cases, "cases that every node measures")->check(CLI::PositiveNumber);
  app.add_option("--repetitions", options.size.repetitions, "samples of each")->check(CLI::PositiveNumber);
  app.add_option("--scratch", options.scratch, "where the journals and the result file go for the while")->check(CLI::ExistingDirectory);
  app.add_option("--json", options.json, "the curve as a document");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  ordered_json rows = ordered_json::array();
  bool right = true;
  for (const int nodes : options.nodes) {
    options.size.nodes = nodes;
    rows.push_back(walk_alone(options.size, options.scratch));
    right = right && rows.back()["wrong"].get<std::string>().empty();
    print_walk(rows.back());
  }
  const ordered_json document{{"schema", "plumbline-scale/1"},
                              {"cases", options.size.cases},
                              {"repetitions", options.size.repetitions},
                              {"rows", rows},
                              {"exponents_from_300_nodes", exponents(rows)}};
  if (std::count_if(options.nodes.begin(), options.nodes.end(), [](int nodes) { return nodes >= least_nodes; }) < 2)
    fmt::print("exponents: none, they need two machines of {} nodes or more\n", least_nodes);
  else
    fmt::print("exponents from {} nodes on: {}\n", least_nodes, document["exponents_from_300_nodes"].dump());
  if (!options.json.empty()) std::ofstream(options.json) << document.dump(1) << "\n";
  return right ? 0 : 1;
}
