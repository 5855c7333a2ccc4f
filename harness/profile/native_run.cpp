#include "profile/native_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/own_file.hpp"
#include "core/text/whole_number.hpp"
#include "profile/runtime_libraries.hpp"

namespace plumbline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RegionTimes, name, entries, ranks, processes, threads, open, seconds, cores, cpu_seconds,
                                   longest_cpu_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimedRegions, regions, outside, lost, mark_seconds, why_none)

namespace {

using Json = nlohmann::json;

constexpr const char* schema = "plumbline-native-rank/1";

Json json_of(const SampleSum& sum) { return {{"samples", sum.samples}, {"elapsed", sum.elapsed}, {"cores", sum.cores}}; }

SampleSum sum_in(const Json& json) {
  return {whole_number<std::uint64_t>(json.at("samples")), json.at("elapsed").get<double>(), json.at("cores").get<double>()};
}

Json json_of(const ProgramEnding& ending) {
  return {{"process", ending.process},
          {"signal", ending.signal},
          {"code", ending.code},
          {"interrupted", ending.interrupted},
          {"wall_seconds", ending.wall_seconds},
          {"user_seconds", ending.user_seconds},
          {"system_seconds", ending.system_seconds}};
}

ProgramEnding ending_in(const Json& json) {
  return {.process = whole_number<int>(json.at("process")),
          .signal = whole_number<int>(json.at("signal")),
          .code = whole_number<int>(json.at("code")),
          .interrupted = whole_number<int>(json.at("interrupted")),
          .wall_seconds = json.at("wall_seconds").get<double>(),
          .user_seconds = json.at("user_seconds").get<double>(),
          .system_seconds = json.at("system_seconds").get<double>()};
}

Json json_of(const SampledFunction& function) {
  Json places = Json::array();
  for (const auto& place : function.places) places.push_back({{"file_offset", place.file_offset}, {"sum", json_of(place.sum)}});
  return {
      {"name", function.name}, {"object", function.object}, {"begin", function.begin}, {"sum", json_of(function.sum)}, {"places", places}};
}

SampledFunction function_in(const Json& json) {
  SampledFunction function{.name = json.at("name").get<std::string>(),
                           .object = json.at("object").get<std::string>(),
                           .begin = whole_number<std::uint64_t>(json.at("begin")),
                           .sum = sum_in(json.at("sum"))};
  for (const auto& place : json.at("places"))
    function.places.push_back({whole_number<std::uint64_t>(place.at("file_offset")), sum_in(place.at("sum"))});
  return function;
}

Json json_of(const Samples& samples) {
  Json functions = Json::array();
  for (const auto& one : samples.functions) functions.push_back(json_of(one));
  return {{"seconds_each", samples.seconds_each},
          {"whole", json_of(samples.whole)},
          {"processes", samples.processes},
          {"threads", samples.threads},
          {"lost", samples.lost},
          {"reading_seconds", samples.reading_seconds},
          {"functions", functions}};
}

Samples samples_in(const Json& json) {
  Samples samples{.seconds_each = json.at("seconds_each").get<double>(),
                  .functions = {},
                  .whole = sum_in(json.at("whole")),
                  .processes = whole_number<int>(json.at("processes")),
                  .threads = whole_number<int>(json.at("threads")),
                  .lost = whole_number<std::uint64_t>(json.at("lost")),
                  .reading_seconds = json.at("reading_seconds").get<double>()};
  for (const auto& one : json.at("functions")) samples.functions.push_back(function_in(one));
  return samples;
}

/// The CPUs of each host on which its ranks may run; a host whose ranks do not tell is not among them.
std::map<std::string, double> cpus_of_hosts(const std::vector<NativeRank>& ranks) {
  std::map<std::string, std::set<int>> cpus;
  for (const auto& rank : ranks) cpus[rank.host].insert(rank.cpus.begin(), rank.cpus.end());
  std::map<std::string, double> numbers;
  for (const auto& [host, its] : cpus)
    if (!its.empty()) numbers[host] = static_cast<double>(its.size());
  return numbers;
}

/// The sums of one function, or of all, over the ranks.
class SumOverRanks {
 public:
  void add(const std::string& host, const SampleSum& sum) { sums_.emplace_back(host, sum); }
  SampleSum take(const std::map<std::string, double>& cpus) const {
    constexpr double least_part = 0.05;
    SampleSum all;
    std::map<std::string, double> samples, cores;  // by host
    for (const auto& [host, sum] : sums_) {
      all.samples += sum.samples, all.elapsed = std::max(all.elapsed, sum.elapsed);
      samples[host] += static_cast<double>(sum.samples);
    }
    for (const auto& [host, sum] : sums_)
      if (sum.elapsed >= least_part * all.elapsed) cores[host] += sum.cores;
    for (const auto& [host, number] : cpus) all.elapsed = std::max(all.elapsed, samples[host] / number);
    for (const auto& [host, its] : cores) all.cores += cpus.contains(host) ? std::min(its, cpus.at(host)) : its;
    return all;
  }
  /// The ranks' times one after the other.
  double elapsed_in_turn() const {
    double elapsed = 0;
    for (const auto& [host, sum] : sums_) elapsed += sum.elapsed;
    return elapsed;
  }

 private:
  std::vector<std::pair<std::string, SampleSum>> sums_;  // with the rank's host
};

/// A function of several ranks.
class FunctionOverRanks {
 public:
  void add(const std::string& host, const SampledFunction& function) {
    function_ = {function.name, function.object, function.begin};
    sums_.add(host, function.sum);
    for (const auto& place : function.places) plumbline::add(places_[place.file_offset], place.sum);
  }
  SampledFunction take(const std::map<std::string, double>& cpus) {
    function_.sum = sums_.take(cpus);
    const double scale = sums_.elapsed_in_turn() > 0 ? function_.sum.elapsed / sums_.elapsed_in_turn() : 0;
    for (const auto& [offset, sum] : places_)
      function_.places.push_back({offset, {.samples = sum.samples, .elapsed = scale * sum.elapsed, .cores = function_.sum.cores}});
    return std::move(function_);
  }

 private:
  SampledFunction function_;
  SumOverRanks sums_;
  std::map<std::uint64_t, SampleSum> places_;  // by their offset in the file
};

Samples merged_samples(const std::vector<NativeRank>& ranks) {
  Samples all{.seconds_each = ranks.front().run.samples.seconds_each, .functions = {}, .whole = {}, .processes = 0, .threads = 0};
  SumOverRanks whole;
  std::map<std::pair<std::string, std::uint64_t>, FunctionOverRanks> functions;  // by file and begin
  for (const auto& rank : ranks) {
    const Samples& samples = rank.run.samples;
    all.processes += samples.processes, all.threads += samples.threads, all.lost += samples.lost,
        all.reading_seconds += samples.reading_seconds;
    whole.add(rank.host, samples.whole);
    for (const auto& one : samples.functions) functions[{one.object, one.begin}].add(rank.host, one);
  }
  const auto cpus = cpus_of_hosts(ranks);
  all.whole = whole.take(cpus);
  for (auto& [place, function] : functions) all.functions.push_back(function.take(cpus));
  return all;
}

/// A region of several ranks: it has no samples, but the time of its longest rank, and the cores of all.
struct RegionOverRanks {
  RegionTimes times = {.ranks = 0};
  SumOverRanks sums = {};

  void add(const std::string& host, const RegionTimes& more) {
    times.name = more.name;
    times.entries += more.entries;
    times.ranks += more.ranks, times.processes += more.processes, times.threads += more.threads;
    times.open = times.open || more.open;
    times.cpu_seconds += more.cpu_seconds;
    times.longest_cpu_seconds = std::max(times.longest_cpu_seconds, more.longest_cpu_seconds);
    sums.add(host, {.samples = 0, .elapsed = more.seconds, .cores = more.cores});
  }
  RegionTimes take(const std::map<std::string, double>& cpus) {
    const SampleSum all = sums.take(cpus);
    times.seconds = all.elapsed, times.cores = all.cores;
    return std::move(times);
  }
};

TimedRegions merged_regions(const std::vector<NativeRank>& ranks) {
  TimedRegions all;
  std::map<std::string, RegionOverRanks> regions;
  for (const auto& rank : ranks) {
    all.lost += rank.run.regions.lost;
    if (!rank.run.regions.why_none.empty()) all.why_none = rank.run.regions.why_none;
    all.outside.insert(all.outside.end(), rank.run.regions.outside.begin(), rank.run.regions.outside.end());
    all.mark_seconds = std::max(all.mark_seconds, rank.run.regions.mark_seconds);
    for (const auto& one : rank.run.regions.regions) regions[one.name].add(rank.host, one);
  }
  const auto cpus = cpus_of_hosts(ranks);
  for (auto& [name, region] : regions) all.regions.push_back(region.take(cpus));
  return all;
}

}  // namespace

void write_native_rank(const std::filesystem::path& file, const NativeRank& rank) {
  const Json json{{"schema", schema},
                  {"rank", rank.rank},
                  {"size", rank.size},
                  {"host", rank.host},
                  {"cpu", rank.cpu},
                  {"cpus", rank.cpus},
                  {"ending", json_of(rank.run.ending)},
                  {"clock_hz", rank.run.clock_hz},
                  {"note", rank.run.note},
                  {"window_seconds", rank.run.window_seconds},
                  {"samples", json_of(rank.run.samples)},
                  {"regions", rank.run.regions}};
  if (!write_own_file(file, json_text(json)))
    throw io_error(fmt::format("rank {} cannot leave its times in {}: {}", rank.rank, file.string(), std::strerror(errno)));
}

NativeRank read_native_rank(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw io_error(fmt::format("cannot read the times in {}: {}", file.string(), std::strerror(errno)));
  try {
    const Json json = Json::parse(in);
    if (json.at("schema") != schema) throw io_error(fmt::format("{} has no times of a rank", file.string()));
    return {.rank = whole_number<int>(json.at("rank")),
            .size = whole_number<int>(json.at("size")),
            .host = json.at("host").get<std::string>(),
            .cpu = json.at("cpu").get<std::string>(),
            .cpus = json.at("cpus").get<std::vector<int>>(),
            .run = {ending_in(json.at("ending")), samples_in(json.at("samples")), json.at("clock_hz").get<double>(),
                    json.at("note").get<std::string>(), json.at("regions").get<TimedRegions>(), json.at("window_seconds").get<double>()}};
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw io_error(fmt::format("the times in {} are not whole: {}", file.string(), error.what()));
  }
}

NativeRun merge_ranks(const std::vector<NativeRank>& ranks) {
  NativeRun all{
      .ending = {}, .samples = merged_samples(ranks), .clock_hz = 0, .note = ranks.front().run.note, .regions = merged_regions(ranks)};
  for (const auto& rank : ranks) {
    const ProgramEnding& ending = rank.run.ending;
    all.ending.wall_seconds = std::max(all.ending.wall_seconds, ending.wall_seconds);
    all.ending.user_seconds += ending.user_seconds, all.ending.system_seconds += ending.system_seconds;
    if (all.ending.code == 0) all.ending.code = ending.code, all.ending.signal = ending.signal;
    if (all.ending.interrupted == 0) all.ending.interrupted = ending.interrupted;
    all.window_seconds = std::max(all.window_seconds, rank.run.window_seconds);
    all.clock_hz += rank.run.clock_hz / static_cast<double>(ranks.size());
  }
  return all;
}

double message_seconds(const Samples& samples) {
  std::uint64_t met = 0;
  for (const auto& function : samples.functions)
    if (carries_messages(function.object)) met += function.sum.samples;
  return samples.seconds_each * static_cast<double>(met);
}

}  // namespace plumbline
