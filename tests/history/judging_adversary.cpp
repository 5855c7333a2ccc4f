// history_adversary nights|nodes WORD FIRST LAST [JSON]: kinds of fault whose names have WORD (all: every one), by seeds FIRST to LAST,
// judged as `check` or `nodes` does; a table on standard output, and JSON (tests/golden/adversary_nights.json, adversary_nodes.json) where
// a file is named.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "judging_table.hpp"

namespace {

using namespace plumbline::test;
using Json = nlohmann::ordered_json;

template <class Kind>
std::vector<Kind> kinds_named(const std::vector<Kind>& all, const std::string& word) {
  std::vector<Kind> kinds;
  for (const auto& kind : all)
    if (word == "all" || kind.name.find(word) != std::string::npos) kinds.push_back(kind);
  return kinds;
}

std::string lines_of(const Json& rows) {
  std::string lines;
  for (const auto& row : rows) lines += (lines.empty() ? "[\n" : ",\n") + row.dump();
  return lines + "\n]";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc >= 5 ? argv[1] : "", word = argc >= 5 ? argv[2] : "";
  const long first = argc >= 5 ? std::atol(argv[3]) : 0, last = argc >= 5 ? std::atol(argv[4]) : 0;
  if ((what != "nights" && what != "nodes") || first < 1 || last < first) {
    std::cerr << "usage: history_adversary nights|nodes all|WORD FIRST_SEED LAST_SEED [JSON]: kinds whose names have WORD\n";
    return 2;
  }
  const auto from = static_cast<std::uint64_t>(first), to = static_cast<std::uint64_t>(last);
  const auto both = [&](const auto& all, const auto& count) {
    const auto kinds = kinds_named(all, word);
    const auto counts = count(kinds, from, to);
    std::cout << in_words(counts);
    return std::pair(rows_of(counts), shares_of(counts));
  };
  const auto [rows, shares] = what == "nights" ? both(night_kinds(), count_nights) : both(node_kinds(), count_jobs);
  if (argc < 6) return 0;
  std::ofstream out(argv[5]);
  out << "{\"command\": \"build-ci/tests/history_adversary " << what << " " << word << " " << first << " " << last
      << " FILE\",\n\"shares\": " << shares.dump() << ",\n\"rows\": " << lines_of(rows) << "}\n";
  return out.good() ? 0 : 1;
}
