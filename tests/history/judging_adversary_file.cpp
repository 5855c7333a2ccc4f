// history_adversary_file nights KIND HOST SEED FOLDER: thirty nights and a faulty one as result files, night00.h5 to night30.h5; or
// history_adversary_file nodes KIND SEED FILE: a job's. And on standard output, as JSON, what the judge says of them in this process.
// adversary_commands_test.py holds the commands to it.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/nights/checked_file.hpp"
#include "night_trial.hpp"
#include "node_trial.hpp"
#include "store/result_store.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::test;
using Json = nlohmann::ordered_json;

template <class Named>
const Named& named(const std::vector<Named>& all, const std::string& name) {
  for (const auto& one : all)
    if (one.name == name) return one;
  throw std::invalid_argument("there is no " + name);
}

Json nights(const std::string& kind, const std::string& host, std::uint64_t seed, const std::filesystem::path& folder) {
  const FaultyNights all = faulty_nights(named(night_kinds(), kind), named(hosts(), host), seed);
  for (std::size_t i = 0; i <= all.before.size(); ++i) {
    const std::string number = std::to_string(i);
    write_store(folder / ("night" + std::string(2 - number.size(), '0') + number + ".h5"),
                i < all.before.size() ? all.before[i] : all.faulty.front());
  }
  const auto report = held(all.faulty.front(), all.before);
  Json rows = Json::array();
  for (const auto& row : report.rows) rows.push_back({row.key.what, to_string(row.night.finding)});
  return {{"exit", static_cast<int>(exit_of(report))}, {"missing", report.missing.size()}, {"rows", rows}};
}

Json nodes(const std::string& kind, std::uint64_t seed, const std::string& file) {
  const Job job = job_of(named(node_kinds(), kind), seed);
  write_store(file, job.results);
  const auto report = app::judge_nodes(job.results, file, {});
  Json found = Json::object();
  for (const auto& node : report.comparison.nodes) found[node.node] = to_string(node.finding);
  return {{"exit", static_cast<int>(exit_of(report))}, {"nodes", found}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "nights" && argc == 6)
    std::cout << nights(argv[2], argv[3], std::stoull(argv[4]), argv[5]).dump() << '\n';
  else if (what == "nodes" && argc == 5)
    std::cout << nodes(argv[2], std::stoull(argv[3]), argv[4]).dump() << '\n';
  else
    return std::cerr << "usage: history_adversary_file nights KIND HOST SEED FOLDER | nodes KIND SEED FILE\n", 2;
}
