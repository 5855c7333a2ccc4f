#include "faulty_night.hpp"

#include <algorithm>
#include <cmath>

#include "../scoring/random.hpp"

namespace plumbline::test {
namespace {

constexpr int repetitions = 5, rounds = 3;
constexpr double clock_hz = 3e9, additions_a_clock = 3.5;
constexpr std::int64_t first_day_unix_ns = 1'767'225'600LL * 1'000'000'000LL, day_ns = 86'400LL * 1'000'000'000LL;

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (by.find(c) == std::string::npos)
      words.back().push_back(c);
    else
      words.emplace_back();
  return words;
}

void add_cases(std::vector<RowName>& rows) {
  for (const char* work :
       {"validation/series/fp64/form=loop/n=2/m=256", "validation/series/fp64/form=loop/n=29/m=256",
        "validation/series/fp64/form=inline/n=8/m=256", "validation/triad/fp64/n=1000", "validation/triad/fp64/n=20000",
        "validation/triad/fp64/n=200000", "validation/triad/fp64/n=4000000", "validation/dot/fp64/n=4000", "validation/dot/fp64/n=4000000",
        "validation/dgemm/fp64/n=256", "validation/stencil5/fp64/n=1024", "validation/stencil7/fp64/n=96", "validation/stencil7c/fp64/n=96",
        "proxies/gpp/fp64/variant=vector/nbands=8/ngpown=16/ncouls=1024/nw=3/stride=1", "proxies/gsrb/fp64/variant=fp/boxes=2/n=64",
        "proxies/conv2d/fp64/direction=forward/variant=implicit/images=2/width=34/channels=16/filters=16/kernel=3/stride=1"})
    for (const char* team : {"r1t1/gcc12-O0-v3", "r1t1/gcc12-O3-v2", "r1t1/gcc12-O3-v3", "r1t1/gcc12-O3-v4", "r1t1/clang14-O3-v3",
                             "r1t2/gcc12-O3-v3", "r2t1/gcc12-O3-v3", "r2t1/clang14-O3-v3"})
      rows.push_back({.what = std::string(work) + "/" + team, .precision = "fp64", .ranks = team[1] - '0', .threads = team[3] - '0'});
}

void add_ceilings(std::vector<RowName>& rows) {
  for (const auto& [capital, small] : {std::pair{"FP64 ", "fp64"}, {"FP32 ", "fp32"}})
    for (const char* kind : {"vector FMA", "vector add", "vector mul", "vector mul+add", "scalar FMA", "scalar add", "FMA+add"})
      for (const std::int64_t ranks : {1, 2}) {
        const std::string name = std::string(capital) + kind;
        rows.push_back({"ceiling/" + name + "/" + small + "/r" + std::to_string(ranks) + "t1", name, small, ranks, 1});
      }
}

double lost(const Befallen& one) { return one.cpu_share * (1 - one.steal); }

void add_case(Results& results, const RowName& row, const Befallen& befallen, double cost, const std::string& node, std::int64_t started,
              Random& random) {
  auto words = split(row.what, "/");
  if (!befallen.flavor.empty()) words.back() = befallen.flavor;
  std::string id = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) id += "/" + words[i];
  const std::string work = id.substr(0, id.size() - words.back().size() - words[words.size() - 2].size() - 2);
  const auto number = static_cast<std::int64_t>(results.cases.size());
  results.cases.push_back({id, work, words[0] + "/" + words[1], row.precision, words.back(), row.ranks, row.threads, "{}", number, 0});
  const std::string session = std::to_string(started);
  results.outcomes.push_back({id, "time", Status::ok, "", node, "{}", started, session});
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    TimeRow time{.case_id = id, .node = node, .session = session, .repetition = repetition, .rank = -1};
    time.seconds = 1e-4 * std::exp(cost + befallen.scatter * random.normal()) * befallen.slowdown / lost(befallen);
    time.clock_hz = clock_hz * befallen.clock;
    time.cpu_share = befallen.cpu_share;
    time.sweeps = std::max<std::int64_t>(1, std::llround(0.02 / time.seconds));
    time.steal_seconds = befallen.steal * time.seconds * static_cast<double>(time.sweeps * row.ranks * row.threads);
    results.times.push_back(time);
  }
}

void add_ceiling(Results& results, const RowName& row, const Befallen& befallen, double cost, const std::string& node, std::int64_t started,
                 Random& random) {
  for (int round = 0; round < rounds; ++round) {
    CeilingRow sample;
    sample.name = row.name;
    sample.precision = row.precision;
    sample.level = "compute";
    sample.pattern = row.name.substr(5);
    sample.ranks = row.ranks;
    sample.node = node;
    sample.session = std::to_string(started);
    sample.round = round;
    sample.value = 50 * std::exp(-cost - befallen.scatter * random.normal()) / befallen.slowdown * lost(befallen);
    sample.unit = "GFLOP/s";
    sample.method = "gcc12-O3-v3, something";
    sample.clock_hz = clock_hz * befallen.clock;
    sample.sentinel = additions_a_clock;
    sample.cpu_share = lost(befallen);
    results.ceilings.push_back(sample);
  }
}

}  // namespace

bool RowName::has(const std::string& word) const {
  const auto has_among = [&](const std::vector<std::string>& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  return has_among(split(what, "/")) || has_among(split(what, "/-"));
}

const std::vector<RowName>& quick_rows() {
  static const std::vector<RowName> rows = [] {
    std::vector<RowName> all;
    add_cases(all);
    add_ceilings(all);
    return all;
  }();
  return rows;
}

Results measured(const std::vector<simulated::Machine::Row>& night, const simulated::Host& host, const std::vector<Befallen>& befallen,
                 const std::string& node, int day, std::uint64_t seed) {
  Results results;
  results.provenance = "{}";
  results.campaign = "schema = \"plumbline-campaign/1\"\n";
  results.machines.push_back({node, R"({"node":")" + node + R"(","caches":[],"cores":2,"pus":2,"numa_nodes":1,
    "cpu":{"vendor":"Test","family":1,"model":1,"stepping":0,"name":"a CPU of the test"}})"});
  Random random(seed * 1000 + static_cast<std::uint64_t>(day));
  const std::int64_t started = first_day_unix_ns + day * day_ns;
  for (std::size_t i = 0; i < night.size(); ++i) {
    Befallen all = befallen[i];
    double cost = night[i].cost;
    if (night[i].seen_disturbed) {  // its share tells what the cost has
      all.cpu_share /= 1 + host.disturbed_by;
      cost -= std::log1p(host.disturbed_by);
    }
    const RowName& row = quick_rows()[i];
    if (!all.is_missing) (row.is_ceiling() ? add_ceiling : add_case)(results, row, all, cost, node, started, random);
  }
  return results;
}

}  // namespace plumbline::test
