// scoring_adversary KINDS FIRST LAST [JSON]: so many kinds of counters (all: 0; or those whose names have the word), one of each by seeds
// FIRST to LAST, judged; a table on standard output, and JSON (tests/golden/adversary.json) where a file is named.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "adversary_base.hpp"
#include "adversary_table.hpp"

namespace {

using namespace plumbline::test;

std::vector<AttackKind> kinds_named(const std::string& word) {
  std::vector<AttackKind> kinds;
  for (const auto& kind : attack_kinds())
    if (word == "all" || kind.name.find(word) != std::string::npos) kinds.push_back(kind);
  return kinds;
}

std::string lines_of(const std::vector<KindCount>& counts) {
  std::string lines;
  for (const auto& count : counts) lines += (lines.empty() ? "[\n" : ",\n") + json_of(count).dump();
  return lines + "\n]";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<AttackKind> kinds = argc >= 4 ? kinds_named(argv[1]) : std::vector<AttackKind>();
  const long first = argc >= 4 ? std::atol(argv[2]) : 0, last = argc >= 4 ? std::atol(argv[3]) : 0;
  if (argc > 5 || kinds.empty() || first < 1 || last < first) {
    std::cerr << "usage: scoring_adversary all|WORD FIRST_SEED LAST_SEED [JSON]: kinds whose names have WORD\n";
    return 2;
  }
  const Bases bases = kept_bases(PLUMBLINE_GOLDEN);
  const CaseWords words(bases);
  std::vector<Verdict> all;
  for (long seed = first; seed <= last; ++seed) {
    for (auto& one : verdicts(static_cast<std::uint64_t>(seed), bases, words, kinds)) all.push_back(std::move(one));
    std::cerr << "seed " << seed << '\n';
  }
  const auto counts = counted_by_kind(all);
  std::cout << in_words(counts);
  if (argc < 5) return 0;
  const std::string command = std::string("build-ci/tests/scoring_adversary ") + argv[1] + ' ' + argv[2] + ' ' + argv[3] + ' ' + argv[4];
  const auto is_later = [&](const Verdict& one) { return static_cast<long>(one.seed) - first >= (last - first + 1) / 10; };
  std::erase_if(all, is_later);
  std::ofstream out(argv[4]);
  out << "{\"command\": \"" << command << "\",\n\"shares\": " << json_of(shares_of(counts)).dump() << ",\n\"rows\": " << lines_of(counts)
      << ",\n\"first_tenth_of_seeds\": " << lines_of(counted_by_kind(all)) << "}\n";
  return out.good() ? 0 : 1;
}
