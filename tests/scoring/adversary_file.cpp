// scoring_adversary_file WORD SEED FILE TABLE: the kinds whose names have WORD, as one result file and a user's event table, and on
// standard output, as JSON, what the judge says of them in this process. adversary_commands_test.py holds the commands to it.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "adversary_base.hpp"
#include "adversary_table.hpp"
#include "store/result_store.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::test;

constexpr const char* node = R"({"node":"node0","caches":[],"cores":2,"pus":2,"numa_nodes":1,
  "cpu":{"vendor":"Test","family":1,"model":1,"stepping":0,"name":"a CPU of the test"}})";

void write_result(const std::string& file, Results results) {
  results.provenance = "{}";
  results.campaign = "schema = \"plumbline-campaign/1\"\n";
  results.machines.push_back({"node0", node});
  for (const auto& one : results.cases) results.outcomes.push_back({one.id, "count", Status::ok, "", "node0", "{}", 1, "s"});
  for (auto& row : results.counts) row.backend = "papi";
  write_store(file, results);
}

void write_table(const std::string& file, const std::vector<Counter>& counters) {
  std::ofstream out(file);
  out << "schema = \"plumbline-events/1\"\nfamily = \"adversary\"\nbackend = \"papi\"\n";
  for (const auto& counter : counters)
    out << "[[counter]]\nname = \"" << counter.name << "\"\nsees = " << nlohmann::json(counter.quantities).dump()
        << "\nterms = [{event = \"" << counter.name
        << "\", weight = 1}]\nslots = 1\nscope = \"core\"\nsource = \"the adversary\"\nchecked = \"vendor manual, unchecked\"\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: scoring_adversary_file WORD SEED FILE TABLE\n";
    return 2;
  }
  std::vector<AttackKind> kinds;
  for (const auto& kind : attack_kinds())
    if (kind.name.find(argv[1]) != std::string::npos) kinds.push_back(kind);
  const auto seed = static_cast<std::uint64_t>(std::atol(argv[2]));
  const Bases bases = kept_bases(PLUMBLINE_GOLDEN);
  const AttackedResult attacked = attacked_result(seed, bases.scored, kinds);
  write_result(argv[3], attacked.results);
  write_table(argv[4], attacked.table);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& one : verdicts(seed, bases, CaseWords(bases), kinds))
    all.push_back({{"kind", one.kind},
                   {"counter", "counter" + std::to_string(all.size())},
                   {"grade", std::string(1, one.grade)},
                   {"reason", one.reason}});
  std::cout << all.dump() << '\n';
}
