#include "profile/native_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/own_file.hpp"
#include "core/text/whole_number.hpp"
#include "profile/runtime_libraries.hpp"

namespace plumbline {
namespace {

using Json = nlohmann::json;

constexpr const char* schema = "plumbline-native-rank/1";

Json json_of(const SampleSum& sum) { return {{"samples", sum.samples}, {"elapsed", sum.elapsed}, {"cores", sum.cores}}; }

SampleSum sum_in(const Json& json) {
  return {whole_number<std::uint64_t>(json.at("samples")), whole_number<std::uint64_t>(json.at("elapsed")), json.at("cores").get<double>()};
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

Json json_of(const Samples& samples) {
  Json functions = Json::array();
  for (const auto& one : samples.functions)
    functions.push_back({{"name", one.name}, {"object", one.object}, {"begin", one.begin}, {"sum", json_of(one.sum)}});
  return {{"seconds_each", samples.seconds_each},
          {"whole", json_of(samples.whole)},
          {"processes", samples.processes},
          {"threads", samples.threads},
          {"lost", samples.lost},
          {"functions", functions}};
}

Samples samples_in(const Json& json) {
  Samples samples{.seconds_each = json.at("seconds_each").get<double>(),
                  .functions = {},
                  .whole = sum_in(json.at("whole")),
                  .processes = whole_number<int>(json.at("processes")),
                  .threads = whole_number<int>(json.at("threads")),
                  .lost = whole_number<std::uint64_t>(json.at("lost"))};
  for (const auto& one : json.at("functions"))
    samples.functions.push_back({one.at("name").get<std::string>(), one.at("object").get<std::string>(),
                                 whole_number<std::uint64_t>(one.at("begin")), sum_in(one.at("sum"))});
  return samples;
}

/// The sums of one function, or of all, over the ranks.
class SumOverRanks {
 public:
  void add(const SampleSum& sum) { sums_.push_back(sum); }
  SampleSum take() const {
    constexpr double least_part = 0.05;
    SampleSum all;
    for (const auto& sum : sums_) all.samples += sum.samples, all.elapsed = std::max(all.elapsed, sum.elapsed);
    for (const auto& sum : sums_)
      if (static_cast<double>(sum.elapsed) >= least_part * static_cast<double>(all.elapsed)) all.cores += sum.cores;
    return all;
  }

 private:
  std::vector<SampleSum> sums_;
};

Samples merged_samples(const std::vector<NativeRank>& ranks) {
  Samples all{.seconds_each = ranks.front().run.samples.seconds_each, .functions = {}, .whole = {}, .processes = 0, .threads = 0};
  SumOverRanks whole;
  std::map<std::pair<std::string, std::uint64_t>, std::pair<SampledFunction, SumOverRanks>> functions;  // by file and begin
  for (const auto& rank : ranks) {
    const Samples& samples = rank.run.samples;
    all.processes += samples.processes, all.threads += samples.threads, all.lost += samples.lost;
    whole.add(samples.whole);
    for (const auto& one : samples.functions) {
      auto& [function, sums] = functions[{one.object, one.begin}];
      function = one;
      sums.add(one.sum);
    }
  }
  all.whole = whole.take();
  for (auto& [place, merged] : functions) {
    merged.first.sum = merged.second.take();
    all.functions.push_back(std::move(merged.first));
  }
  return all;
}

}  // namespace

NativeRun run_natively(const ProgramRun& program, Symbols& symbols) {
  Sampler sampler(symbols);
  const ProgramEnding ending = run_program(program);
  return {ending, sampler.take(), 0};
}

void write_native_rank(const std::filesystem::path& file, const NativeRank& rank) {
  const Json json{{"schema", schema},
                  {"rank", rank.rank},
                  {"size", rank.size},
                  {"host", rank.host},
                  {"cpu", rank.cpu},
                  {"ending", json_of(rank.run.ending)},
                  {"clock_hz", rank.run.clock_hz},
                  {"samples", json_of(rank.run.samples)}};
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
            .run = {ending_in(json.at("ending")), samples_in(json.at("samples")), json.at("clock_hz").get<double>()}};
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw io_error(fmt::format("the times in {} are not whole: {}", file.string(), error.what()));
  }
}

NativeRun merge_ranks(const std::vector<NativeRank>& ranks) {
  NativeRun all{.ending = {}, .samples = merged_samples(ranks), .clock_hz = 0};
  for (const auto& rank : ranks) {
    const ProgramEnding& ending = rank.run.ending;
    all.ending.wall_seconds = std::max(all.ending.wall_seconds, ending.wall_seconds);
    all.ending.user_seconds += ending.user_seconds, all.ending.system_seconds += ending.system_seconds;
    if (all.ending.code == 0) all.ending.code = ending.code, all.ending.signal = ending.signal;
    if (all.ending.interrupted == 0) all.ending.interrupted = ending.interrupted;
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
